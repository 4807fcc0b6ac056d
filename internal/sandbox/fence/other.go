//go:build !linux || (!amd64 && !arm64)

package fence

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
)

// Enter can't confine a process on this system. It returns ErrUnsupported,
// or nil when Options.ProcessOnly says that the process boundary is enough.
func Enter(o Options) error {
	if _, err := o.settle(); err != nil {
		return err
	}
	if o.ProcessOnly {
		return nil
	}
	return fmt.Errorf("%w (%s/%s)", ErrUnsupported, runtime.GOOS, runtime.GOARCH)
}

// Exec always fails on this system.
func Exec(Options, Program) error {
	return fmt.Errorf("%w (%s/%s)", ErrUnsupported, runtime.GOOS, runtime.GOARCH)
}

// ExecCommand always fails on this system.
func ExecCommand(Options, Command) error {
	return fmt.Errorf("%w (%s/%s)", ErrUnsupported, runtime.GOOS, runtime.GOARCH)
}

// Check always fails on this system: there is no fence to find.
func Check(int) error {
	return fmt.Errorf("%w (%s/%s)", ErrUnsupported, runtime.GOOS, runtime.GOARCH)
}

// Probe says that all but the process boundary is missing.
func Probe() Report {
	missing := "needs Linux on amd64 or arm64; this is " + runtime.GOOS + " on " + runtime.GOARCH
	var r Report
	for _, name := range []string{PieceDescriptors, PieceUser, PieceParent, PieceNoNewPrivs, PieceLimits, PieceLandlock, PieceSeccomp} {
		r.Pieces = append(r.Pieces, Piece{Name: name, Detail: missing})
	}
	return r
}

// Starter starts children.
type Starter struct{}

// NewStarter returns a Starter. Close it when no child runs any more.
func NewStarter() *Starter { return &Starter{} }

// Start starts a command with an empty environment.
func (s *Starter) Start(cmd *exec.Cmd) error {
	if cmd.Process != nil {
		return errors.New("fence: the command is running already")
	}
	cmd.Env = []string{}
	return cmd.Start()
}

// Kill ends a child that Start has started.
func (s *Starter) Kill(cmd *exec.Cmd) error {
	if cmd.Process == nil {
		return nil
	}
	return cmd.Process.Kill()
}

// Close does nothing on this system.
func (s *Starter) Close() error { return nil }
