package model

import (
	"context"
	"fmt"
	"net/http"
)

// Ask is one request to a provider, in the protocol's form.
type Ask struct {
	// Path stands below the provider's address, such as "chat/completions".
	Path string
	Body []byte
	// Header is sent beside the provider's own, and gives way to it.
	Header http.Header
	// Key is sent in the place of the provider's own, unless "".
	Key string
}

// Whole is an answer that was not streamed.
type Whole struct {
	Header http.Header
	Body   []byte
}

// Event is one event of a stream.
type Event struct {
	Name string
	Data []byte
}

// Stream is an answer that comes in events. Whoever has it closes it, which
// ends the provider's work.
type Stream interface {
	Header() http.Header
	// Next returns the next event, io.EOF after the last one.
	Next() (Event, error)
	Close() error
}

// Provider is somebody who has models. It is safe for concurrent use. What it
// refuses is a *Refusal; what fails on the way is a *toolcrib.Error.
type Provider interface {
	Complete(ctx context.Context, a Ask) (Whole, error)
	Stream(ctx context.Context, a Ask) (Stream, error)
}

// Refusal is an answer of a provider that says no. Its body is written for the
// caller, and is passed on as it is.
type Refusal struct {
	Status int
	// Header holds those that tell a caller what to do, such as Retry-After.
	Header http.Header
	Body   []byte
}

// Error names the status alone; the body may hold anything.
func (r *Refusal) Error() string {
	return fmt.Sprintf("the model's provider answered %d %s", r.Status, http.StatusText(r.Status))
}
