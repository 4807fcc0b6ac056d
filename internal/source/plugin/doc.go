// Package plugin makes plugins a source of tools: the program of each is an MCP
// server that this package starts by a source/mcp of its own, and whose list it
// reads by what the plugin's manifest says of it.
//
// Unlike servers, plugins were installed by the operator: their tools are trusted.
// The package doesn't know where manifests come from, which plugins are allowed,
// policy, or hooks.
package plugin
