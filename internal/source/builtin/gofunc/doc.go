// Package gofunc is the source behind tools that are Go functions: those of a
// program that uses toolcrib as a library, and those that toolcrib has built in.
//
// It owns the tie between a tool's description and its handler, the listings by
// owner, and what a handler's panic or plain error turns into. It knows no
// policy, no search and no transport, and it does not validate arguments: that
// is done once, on the way in, for every source.
package gofunc
