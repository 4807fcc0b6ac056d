// Package mcp makes MCP servers a source of tools: it starts them, keeps them
// alive, remembers what they list, and runs their tools.
//
// It owns the servers' processes and connections, their logs, and the lists
// that are kept on disk. Whatever a server sends is foreign: it is bounded,
// read part by part, and kept byte for byte where somebody may need it exactly.
// One server's fault stays with that server: a slow, dead, flooding or lying
// one never delays, breaks or hides another.
//
// It doesn't know policy (only the operator's allow and deny patterns of one
// server), search, modes, or who asks why.
package mcp
