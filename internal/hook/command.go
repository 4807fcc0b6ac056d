package hook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib/internal/child"
)

// maxStderr is how much of what a program complains of is kept, in bytes.
const maxStderr = 64 << 10

// codeBlock is the exit code by which a program blocks.
const codeBlock = 2

// linger is how long pipes may stay open that a program's children have taken
// with them out of its group, and how long its end may take after it was killed.
const linger = time.Second

// command runs a program, and reads what it says when it has ended.
func (x *Host) command(ctx context.Context, h *hook, input []byte) outcome {
	env := child.Environ(x.environ, h.Env)
	path := child.Find(h.Command, env, h.Cwd)
	if path == "" {
		return outcome{fault: "its command was not found", detail: h.Command}
	}
	p, err := start(&x.launcher, &exec.Cmd{Path: path, Args: append([]string{h.Command}, h.Args...), Env: env, Dir: h.Cwd})
	if err != nil {
		return outcome{fault: "its command can't be started", detail: err.Error()}
	}
	ended := p.talk(ctx, input)
	o := outcome{trace: trace{answer: p.stdout.data.Bytes(), stderr: p.stderr.data.String()}, detail: p.stderr.data.String()}
	if ended && ctx.Err() == nil {
		code := p.cmd.ProcessState.ExitCode()
		o.trace.exit = &code
	}
	switch {
	case p.stdout.over:
		o.fault = tooMuch
	case o.trace.exit == nil:
		o.fault = h.slow()
	case *o.trace.exit == codeBlock:
		o.decision, o.reason = Block, p.stderr.data.String()
	case *o.trace.exit < 0:
		o.fault = fmt.Sprintf("it was ended by a signal (%s)", p.cmd.ProcessState)
	case *o.trace.exit != 0:
		o.fault = fmt.Sprintf("it exited with code %d", *o.trace.exit)
	case len(bytes.TrimSpace(p.stdout.data.Bytes())) == 0:
		o.decision = Allow
	default:
		o.parse(h.Event, p.stdout.data.Bytes())
	}
	return o
}

// program is one running program.
type program struct {
	cmd            *exec.Cmd
	in, out, errs  *os.File
	stdout, stderr *capture

	mu       sync.Mutex
	group    *child.Group
	released bool // the group's number may belong to others by now
}

// kill ends the program and all that it started.
func (p *program) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.released {
		p.group.Kill()
	}
}

// reap waits for the program's end, and ends what it left behind.
func (p *program) reap() {
	_ = p.cmd.Wait()
	p.kill()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = true
	p.group.Release()
}

// start starts a program with pipes to it.
func start(l *child.Launcher, cmd *exec.Cmd) (p *program, err error) {
	var files []*os.File
	defer func() {
		if err != nil {
			closeAll(files)
		}
	}()
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		files = append(files, r, w)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[3], files[5]
	group, err := l.Start(cmd)
	if err != nil {
		return nil, err
	}
	closeAll([]*os.File{files[0], files[3], files[5]})
	p = &program{cmd: cmd, group: group, in: files[1], out: files[2], errs: files[4]}
	p.stdout, p.stderr = &capture{most: maxAnswer, full: p.kill}, &capture{most: maxStderr, full: func() {}}
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// talk writes the input, reads the output and waits for the end of the program,
// which it brings about itself when ctx ends. It reports whether the program is
// gone and all that it said was read.
func (p *program) talk(ctx context.Context, input []byte) bool {
	wrote, read, exited := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(wrote)
		_, _ = p.in.Write(input) // a program need not read it
		_ = p.in.Close()
	}()
	go func() {
		defer close(read)
		second := make(chan struct{})
		go func() {
			defer close(second)
			_, _ = io.Copy(p.stderr, p.errs)
		}()
		_, _ = io.Copy(p.stdout, p.out)
		<-second
	}()
	go func() {
		defer close(exited)
		p.reap()
	}()
	return p.await(ctx, wrote, read, exited)
}

// await waits for the program and for what goes through its pipes.
func (p *program) await(ctx context.Context, wrote, read, exited <-chan struct{}) bool {
	select {
	case <-exited:
	case <-ctx.Done():
		p.kill()
	}
	// What left the group may hold the pipes open, and what sleeps in the kernel
	// can't be killed: neither holds the call up.
	soon := time.NewTimer(linger)
	defer soon.Stop()
	for _, done := range []<-chan struct{}{exited, read, wrote} {
		select {
		case <-done:
			continue
		case <-soon.C:
		}
		break
	}
	for _, f := range []*os.File{p.in, p.out, p.errs} {
		_ = f.Close()
	}
	<-read // ends, for the files are closed
	select {
	case <-exited:
		return true
	default:
		return false
	}
}
