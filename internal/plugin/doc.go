// Package plugin reads the manifests of plugins: what a folder with a
// plugin.json5 says of its program, its tools and its hooks. It checks all of it,
// says where something is wrong, and finds plugins below folders.
//
// It doesn't know processes, MCP, policy, or which plugins an operator allows.
package plugin
