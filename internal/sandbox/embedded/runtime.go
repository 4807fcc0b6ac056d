// Package embedded is the sandbox runtime that needs nothing installed:
// QuickJS in a child that is the program's own binary, started again and
// fenced in before it reads any script. It owns the child's side and the
// choice of what to start; the parent's side is package process. It knows no
// tools.
package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
	"github.com/toolcrib/toolcrib/internal/sandbox/process"
)

// Flag is the first argument of a child. It looks like a flag so that a
// program which doesn't know it ends at once, with a complaint.
const Flag = "--toolcrib-sandbox-child=embedded"

// Options say how children are started. The zero value is right for a program
// that calls Child first in main.
type Options struct {
	// Exe is the program that calls Child. Default: the running one, also if
	// its file was replaced meanwhile.
	Exe string
	// Pool, Running and StartTimeout are those of process.Options.
	Pool         int
	Running      int
	StartTimeout time.Duration
	// Data bounds all memory of a child, in bytes: what Limits.Memory doesn't
	// count is in it too. Default 512 MiB.
	Data int64
	// ProcessOnly takes the boundary of a process for enough where the
	// operating system has no fence.
	ProcessOnly bool
	// Probe names what a child in a test does once it is confined.
	Probe string
}

// Runtime runs scripts with QuickJS. It starts no process until the first Run
// or Warm.
type Runtime struct{ pool *process.Pool }

var _ sandbox.Runtime = (*Runtime)(nil)

const defaultData = 512 << 20

// New checks the options.
func New(o Options) (*Runtime, error) {
	if o.Data < 0 {
		return nil, fmt.Errorf("embedded: Options.Data is %d, and must not be negative", o.Data)
	}
	o.Data = cmp.Or(o.Data, defaultData)
	if o.Exe == "" {
		exe, err := own()
		if err != nil {
			return nil, fmt.Errorf("embedded: find the running program: %w", err)
		}
		o.Exe = exe
	}
	options := process.Options{
		Name: "embedded", Pool: o.Pool, Running: o.Running, StartTimeout: o.StartTimeout,
		Command: func() (*exec.Cmd, error) { return exec.Command(o.Exe, o.args()...), nil },
		Verify:  o.verify,
	}
	pool, err := process.New(options)
	if err != nil {
		return nil, err
	}
	return &Runtime{pool: pool}, nil
}

// verify looks for the fence around a child.
func (o Options) verify(pid int) (bool, error) {
	err := fence.Check(pid)
	if o.ProcessOnly && errors.Is(err, fence.ErrUnsupported) {
		return false, nil
	}
	return err == nil, err
}

// args tells a child what it can't find out by itself.
func (o Options) args() []string {
	args := []string{Flag, "parent=" + strconv.Itoa(os.Getpid()), "data=" + strconv.FormatInt(o.Data, 10)}
	if o.ProcessOnly {
		args = append(args, "process-only")
	}
	if o.Probe != "" {
		args = append(args, "probe="+o.Probe)
	}
	return args
}

// Name is "embedded".
func (r *Runtime) Name() string { return "embedded" }

// Run runs a script in a child of its own.
func (r *Runtime) Run(ctx context.Context, s sandbox.Script, h sandbox.Host) (sandbox.Outcome, error) {
	return r.pool.Run(ctx, s, h)
}

// Warm starts the pool, and returns once a child is confined: how well, or
// why none can be had.
func (r *Runtime) Warm(ctx context.Context) (sandbox.Isolation, error) {
	report, err := r.pool.Warm(ctx)
	if err != nil {
		return report, err
	}
	for _, piece := range fence.Probe().Pieces {
		report.Pieces = append(report.Pieces, sandbox.Piece(piece))
	}
	return report, nil
}

// Ready is how many confined children wait for a script.
func (r *Runtime) Ready() int { return r.pool.Ready() }

// Close ends all children.
func (r *Runtime) Close() error { return r.pool.Close() }
