package sandbox

import (
	"context"
	"encoding/json"
)

// Runtime runs scripts, each in a process of its own. It may be used from many
// goroutines.
type Runtime interface {
	// Name is "embedded" or "node".
	Name() string
	// Run runs the script to its end, to a limit, or until ctx is done. What
	// goes wrong with the script is in Outcome.Failure; the error is for a
	// runtime that could not run it at all.
	Run(ctx context.Context, s Script, h Host) (Outcome, error)
	// Close ends all children, also those that run a script.
	Close() error
}

// Host answers one call of a function that the script was given. args is the
// JSON array of the arguments; the answer is JSON, and nil means null. It is
// called from many goroutines, and its context ends when the answer can't be
// used any more. An error may be a *HostError, whose kind reaches the script
// and the outcome.
type Host func(ctx context.Context, function string, args json.RawMessage) (json.RawMessage, error)

// HostError is a failure that the script can catch and tell apart.
type HostError struct {
	// Kind is a word of the caller's, such as "tool" or "blocked".
	Kind string
	// Message is for the script and its author; it must hold no secrets.
	Message string
	// Data is JSON for the property "data" of the error; nil for none.
	Data json.RawMessage
}

func (e *HostError) Error() string { return e.Message }

// Isolation says how well a runtime is fenced in on this system.
type Isolation struct {
	// Kernel is true when the operating system itself refuses files, sockets
	// and processes to a child, also if its engine was broken out of.
	Kernel bool
	Pieces []Piece
}

// Piece is one part of the fence.
type Piece struct {
	Name   string
	OK     bool
	Detail string
}
