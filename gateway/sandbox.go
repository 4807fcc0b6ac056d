package gateway

import (
	"errors"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// Sandbox is the ability of a program to run code in isolation, in children that
// are the program itself. The zero value is the lack of it.
type Sandbox struct{ able bool }

// SandboxMain is what a program calls first thing in main, to offer mode code. In
// a child that was started to run code it never returns; elsewhere it does
// nothing, and what it returns goes into Options.Sandbox.
func SandboxMain() Sandbox {
	return Sandbox{able: true}
}

// start starts a runtime and proves that it is fenced in.
func (s Sandbox) start(w wantedRuntime) (sandbox.Runtime, error) {
	if !s.able {
		return nil, errors.New("this program doesn't offer one: its main has to call gateway.SandboxMain and put what that returns into Options.Sandbox")
	}
	return nil, errors.New("there is no runtime " + w.name)
}
