package store

import (
	"context"
	"time"
)

// Pin is what is known of one tool of one server: the form in which it was seen
// first, and whether that form still stands.
type Pin struct {
	Server string
	Tool   string
	// Hash is of the tool's texts and schemas.
	Hash string
	// State says what is thought of that form, in the words of whoever pins.
	State string
	// Seen is when the form was seen last.
	Seen time.Time
}

// Pins keeps pins. It is safe for concurrent use.
type Pins interface {
	// PutPin keeps a pin in place of the one of the same server and tool.
	PutPin(ctx context.Context, p Pin) error
	// Pins returns those of a server, by tool; of all servers for "".
	Pins(ctx context.Context, server string) ([]Pin, error)
	// DeletePin forgets one, and reports whether there was one. An empty tool
	// means all of the server's.
	DeletePin(ctx context.Context, server, tool string) (bool, error)
}
