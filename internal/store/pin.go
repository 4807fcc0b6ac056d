package store

import (
	"context"
	"time"
)

// Pin is what is known of one tool of one server: the form that is accepted, and
// the one that waits for a person.
type Pin struct {
	Server string
	Tool   string
	// Hash is of the accepted form, and Form is that form; both are empty while none is.
	Hash string
	Form []byte
	// State says how it came to be accepted, in the words of whoever pins.
	State string
	// Waiting is the form that waits for a person; nil for none.
	Waiting []byte
	// Rejected is the hash of the form that a person rejected last; may be empty.
	Rejected string
	// Flags says what is suspicious in the form that was seen last, as JSON; may be empty.
	Flags []byte
	// Seen is when the tool was judged last.
	Seen time.Time
}

// Pins keeps pins. It is safe for concurrent use.
type Pins interface {
	// AddPins keeps those of which there is none yet, all in one step.
	AddPins(ctx context.Context, list []Pin) error
	// NotePins replaces Waiting, Flags and Seen of those that there are, all in one
	// step: what was accepted and rejected stays.
	NotePins(ctx context.Context, list []Pin) error
	// PutPins keeps pins in place of those of the same servers and tools, all in one step.
	PutPins(ctx context.Context, list []Pin) error
	// Pins returns those of a server, by tool; of all servers for "".
	Pins(ctx context.Context, server string) ([]Pin, error)
	// PinsMark is another one after each change of any pin.
	PinsMark(ctx context.Context) (int64, error)
	// DeletePin forgets one, and reports whether there was one. An empty tool
	// means all of the server's.
	DeletePin(ctx context.Context, server, tool string) (bool, error)
}
