// Package policy decides which tools a caller may see and run, from rules
// alone. It is pure: the same rules, tool and scope always give the same
// verdict, and it knows no network, storage, clock or approvals.
//
// A Policy is made of named scopes, such as "tools" and "agents.list[main].tools".
// Each scope has an allow and a deny list, and each can only narrow: a tool
// passes when no scope denies it and every scope that has an allow list allows
// it. The order of scopes never matters. An owner-only tool passes for the
// proven owner alone, whatever the rules say.
//
// Patterns are case-insensitive (internal/glob says how letters are folded) and
// "*" stands for any run of characters. A pattern is one of:
//
//	group:mcp            every tool of an MCP server
//	group:plugins        every tool of a plugin
//	group:core           every core tool
//	group:NAME           the core tools of owner NAME, such as group:sessions
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
package policy
