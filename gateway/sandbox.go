package gateway

import (
	"context"
	"errors"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/embedded"
	"github.com/toolcrib/toolcrib/internal/sandbox/node"
)

// Sandbox is the ability of a program to run code in isolation, in children that
// are the program itself. SandboxMain gives it; the zero value is the lack of it.
type Sandbox struct{ able bool }

// isolated is a runtime that can prove that it is fenced in.
type isolated interface {
	sandbox.Runtime
	// Warm starts a child, and says how well it is confined or why none can be had.
	Warm(ctx context.Context) (sandbox.Isolation, error)
}

// start starts a runtime and waits for the proof. Node is looked for in the
// folders of path.
func (s Sandbox) start(ctx context.Context, w wantedRuntime, path string) (sandbox.Runtime, error) {
	if !s.able {
		return nil, errors.New("this program doesn't offer one: its main has to call gateway.SandboxMain and put what that returns into Options.Sandbox")
	}
	r, err := newRuntime(w, path)
	if err != nil {
		return nil, err
	}
	isolation, err := r.Warm(ctx) // it has a bound of its own
	if err == nil && !isolation.Kernel && !w.processOnly {
		err = errors.New("the operating system doesn't fence it in")
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func newRuntime(w wantedRuntime, path string) (isolated, error) {
	switch w.name {
	case "embedded":
		return embedded.New(embedded.Options{ProcessOnly: w.processOnly})
	case "node":
		return node.New(node.Options{Path: path})
	}
	return nil, errors.New("there is no runtime " + w.name)
}
