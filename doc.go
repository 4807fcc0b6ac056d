// Package toolcrib holds the words that every part of the gateway shares: a
// tool, where it comes from, who calls it, what it answers, how it fails and
// what is recorded of it. All of them are plain data. A value of this package
// can be held, searched, shown or logged by anything, and nothing can be run
// with it: effects live behind internal/invoke.
//
// The package imports only the standard library. Programs that want to use
// toolcrib as a library start at package gateway.
package toolcrib
