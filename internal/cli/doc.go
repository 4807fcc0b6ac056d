// Package cli is the command line: commands, flags, tables for people and JSON
// for programs, and the one table of exit codes. It owns where the process
// enters (process.go) and knows nothing of how tools are found or run: the
// commands are a client of the gateway's control API, or of a gateway inside
// the process where none is running.
package cli
