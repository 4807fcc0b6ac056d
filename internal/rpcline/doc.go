// Package rpcline tells whether a line holds one JSON-RPC message, and what is
// to be answered when it doesn't. It knows of a message no more than what makes
// it one: no methods, and no state.
package rpcline
