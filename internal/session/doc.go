// Package session owns the record of what models did: its events, the log that
// takes them, what is taken out of them before anything is written, and the
// answers that a session's events alone can give.
//
// It doesn't know where events are kept: a Store is given to it. Nor does it know
// who records what, or how a tool is run.
package session
