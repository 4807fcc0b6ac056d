package node

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
	"github.com/toolcrib/toolcrib/internal/sandbox/process"
)

// Options say which Node runs scripts, and how its processes are started.
type Options struct {
	// Node is the path of Node, or its name in the folders of Path. Default "node".
	Node string
	// Path is a list of folders as in the variable PATH.
	Path string
	// Exe is the program that calls Child. Default: the running one, also if
	// its file was replaced meanwhile.
	Exe string
	// Pool, Running and StartTimeout are those of process.Options. Pool is
	// 0 or below for none: then each script starts a Node of its own.
	Pool         int
	Running      int
	StartTimeout time.Duration
	// Memory bounds the heap, in bytes. Default 128 MiB. A script's Limits.Memory can't
	// change that of a process that waits; a script that asks for less gets a process of its own.
	Memory int64
	// Data bounds all memory of a process, in bytes: what the heap's bound
	// doesn't count is in it too, such as typed arrays. Default 1 GiB.
	Data int64
}

const (
	defaultMemory = 128 << 20
	defaultData   = 1 << 30
)

// Runtime runs scripts with Node. It starts no process until the first Run or Warm.
type Runtime struct {
	options Options
	version version
	pool    *process.Pool
	folder  string
}

var _ sandbox.Runtime = (*Runtime)(nil)

// New finds Node and makes sure that it can be isolated here; the error says
// why the runtime can't be offered. The process's own folder is made by New and
// removed by Close.
func New(o Options) (*Runtime, error) {
	o, v, err := o.settle()
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	folder, err := os.MkdirTemp("", "toolcrib-node-")
	if err != nil {
		return nil, fmt.Errorf("node: make a folder to work in: %w", err)
	}
	r := &Runtime{options: o, version: v, folder: folder}
	if err := r.start(); err != nil {
		return nil, errors.Join(fmt.Errorf("node: %w", err), os.RemoveAll(folder))
	}
	return r, nil
}

// start makes the pool, after a look at whether processes will be isolated.
func (r *Runtime) start() (err error) {
	// A fenced process of root's is somebody else, who may look at the folder too. It is empty.
	if err := os.Chmod(r.folder, 0o555); err != nil {
		return err
	}
	command, verify, err := isolate(r.options, r.version, r.folder)
	if err != nil {
		return err
	}
	r.pool, err = process.New(process.Options{
		Name: r.Name(), Pool: r.options.Pool, Running: r.options.Running, StartTimeout: r.options.StartTimeout,
		Command: command, Verify: verify,
	})
	return err
}

func (o Options) settle() (Options, version, error) {
	if o.Memory < 0 || o.Data < 0 {
		return o, version{}, fmt.Errorf("Options.Memory %d and Options.Data %d must not be negative", o.Memory, o.Data)
	}
	o.Memory, o.Data = cmp.Or(o.Memory, defaultMemory), cmp.Or(o.Data, defaultData)
	if o.Pool == 0 {
		o.Pool = -1
	}
	if o.Exe == "" {
		exe, err := own()
		if err != nil {
			return o, version{}, fmt.Errorf("find the running program: %w", err)
		}
		o.Exe = exe
	}
	path, err := find(cmp.Or(o.Node, "node"), o.Path)
	if err != nil {
		return o, version{}, err
	}
	o.Node = path
	v, err := ask(path)
	return o, v, err
}

// launcher is the command that fences itself in and becomes Node.
func launcher(o Options, v version, folder string) (func() (*exec.Cmd, error), error) {
	read, err := libraries(o.Node)
	if err != nil {
		return nil, fmt.Errorf("find what %s is linked with: %w", o.Node, err)
	}
	argument, err := json.Marshal(launch{
		Parent: os.Getpid(), Data: o.Data, Node: o.Node, Flags: flags(v, o.Memory), Read: append(read, emptyFile),
	})
	if err != nil {
		return nil, err
	}
	return func() (*exec.Cmd, error) {
		cmd := exec.Command(o.Exe, Flag, string(argument))
		cmd.Dir = folder
		return cmd, nil
	}, nil
}

// verifyFence looks for the fence around a process.
func verifyFence(pid int) (bool, error) {
	err := fence.Check(pid)
	return err == nil, err
}

// Name is "node".
func (r *Runtime) Name() string { return "node" }

// Version is that of the Node found, such as "24.22".
func (r *Runtime) Version() string { return r.version.String() }

// Run runs a script in a Node of its own. Its Limits.Memory is that of the
// runtime: Node's heap is bounded when it starts.
func (r *Runtime) Run(ctx context.Context, s sandbox.Script, h sandbox.Host) (sandbox.Outcome, error) {
	if s.Limits.Memory > 0 && s.Limits.Memory < r.options.Memory {
		return r.runSmall(ctx, s, h)
	}
	return r.pool.Run(ctx, s, h)
}

// runSmall runs a script that wants less memory than those of the pool have.
func (r *Runtime) runSmall(ctx context.Context, s sandbox.Script, h sandbox.Host) (sandbox.Outcome, error) {
	if err := s.Limits.Check(); err != nil {
		return sandbox.Outcome{}, err
	}
	o := r.options
	o.Memory, o.Pool = s.Limits.Memory, -1
	small := &Runtime{options: o, version: r.version, folder: r.folder}
	if err := small.start(); err != nil {
		return sandbox.Outcome{}, err
	}
	out, err := small.pool.Run(ctx, s, h)
	return out, errors.Join(err, small.pool.Close())
}

// Warm starts a process and returns once it is confined: how well, or why none
// can be had.
func (r *Runtime) Warm(ctx context.Context) (sandbox.Isolation, error) {
	report, err := r.pool.Warm(ctx)
	if err != nil {
		return report, err
	}
	report.Pieces = append(report.Pieces, sandbox.Piece{
		Name: "node", OK: true, Detail: fmt.Sprintf("version %v at %s, with its permission model and %d MiB of heap", r.version, filepath.Clean(r.options.Node), r.options.Memory>>20),
	})
	for _, piece := range fence.Probe().Pieces {
		report.Pieces = append(report.Pieces, sandbox.Piece(piece))
	}
	return report, nil
}

// Ready is how many confined processes wait for a script.
func (r *Runtime) Ready() int { return r.pool.Ready() }

// Close ends all processes.
func (r *Runtime) Close() error { return errors.Join(r.pool.Close(), os.RemoveAll(r.folder)) }
