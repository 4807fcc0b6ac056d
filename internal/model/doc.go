// Package model holds the words in which a conversation with a language model
// is spoken of here, whatever protocol it is held in: what a caller asks
// (Prompt), what may be changed of it (Rewrite), what the model says (Delta,
// Said), who is asked (Provider), and how a protocol is read and written (Dialect).
//
// Nothing is translated from one protocol into another: whoever is asked speaks
// the protocol of the caller, and what isn't understood passes as it came. The
// package knows no protocol, no provider, no session and none of our tools.
package model
