// Package attach joins one MCP client that speaks newline-delimited JSON over a
// pair of streams to a gateway that may die and come back. It passes messages
// on as they are, remembers how the client introduced itself, and when the
// gateway ends it finds another one, introduces the client there, and answers
// for the calls that were lost.
//
// It reads of a message no more than its id and its method. Which gateway there
// is, and how one gets to it, is its caller's to know.
package attach
