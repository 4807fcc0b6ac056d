// Package policy decides which tools a caller may see and run, from rules
// alone. It is pure: the same rules, tool and scope always give the same
// verdict, and it knows no network, storage, clock or approvals.
//
// A Policy is made of named scopes, such as "tools" and "agents.list[main].tools".
// Which of them hold for a caller is settled by whoever makes the Policy. Each has
// an allow and a deny list, and may have a profile, and each can only narrow: a
// tool passes when no scope denies it, every scope that has an allow list allows
// it, and every scope that has a profile has it there, or in its list beside the
// profile (alsoAllow). The order of scopes never matters but for which rule a
// verdict names. An owner-only tool passes for the proven owner alone, whatever
// the rules say.
//
// The profiles are sets of groups; "full" is the default:
//
//	minimal    core:sessions:session_status
//	coding     group:fs, group:runtime, group:web, group:sessions, group:memory,
//	           group:automation, group:media, group:mcp
//	messaging  group:messaging, and of the sessions' tools session_status,
//	           sessions_list, sessions_history and sessions_send; group:mcp
//	full       everything
//
// Every profile has the tools that a caller sends along, client:*. None but full has
// plugins: they are added by name, or as group:plugins, with alsoAllow.
//
// Patterns are case-insensitive (internal/glob says how letters are folded) and
// "*" stands for any run of characters. A pattern is one of:
//
//	group:mcp            every tool of an MCP server
//	group:plugins        every tool of a plugin
//	group:core           every core tool
//	group:NAME           the core tools of owner NAME: group:fs, group:runtime,
//	                     group:web, group:sessions, group:memory, group:messaging,
//	                     group:automation, group:media
//	mcp:SERVER:*         an id, or a part of one: anything with a ":" that starts
//	                     with a source (core, plugin, mcp, client) or a "*"
//	SERVER__NAME         an MCP tool by its server's configured name and its own,
//	                     split at any "__"; a tool of another source by its name
//	NAME or PLUGIN       a tool's name, or the exact id of a plugin
//
// Names are written by whoever wrote the tool, and so a pattern could mean more
// than its author thought. A deny list reads a pattern in every way that it can
// be read; an allow list only in the way that a server cannot forge by its
// choice of names: in "allow", SERVER__* is never matched against an MCP tool's
// own name, nor mcp:SERVER:* against any name.
//
// A Policy settles once for each owner of tools what is the same for all of them,
// so that a decision costs little more than looking at the patterns on names.
package policy
