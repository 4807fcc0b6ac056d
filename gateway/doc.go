// Package gateway is the door for Go programs and the place where toolcrib's
// parts are put together: sources of tools, policy, search, the one way to run a
// tool, and the transports. Nothing else knows all of them.
//
// A Gateway holds the sources and lives as long as the program. A Session is one
// caller's view of them: its catalog after policy, the mode in which a model sees
// it, and search, describe and call.
package gateway
