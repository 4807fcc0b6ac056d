package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcrib/toolcrib/internal/child"
)

// errNoCommand says that a command isn't there.
var errNoCommand = errors.New("command not found")

// process is one running server and everything that it started.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	group  *child.Group
	// exited is closed when the server is gone, its group ended, and its stderr read.
	exited chan struct{}
	// sign is when it last wrote anything, in nanoseconds since 1970.
	sign atomic.Int64

	mu       sync.Mutex
	released bool // the group's number may belong to others by now
	stopped  bool // we ended it
}

// startProcess starts a local server. Its stderr goes to the log.
func startProcess(l *child.Launcher, s *Server, environ []string, log *serverLog) (*process, error) {
	env := childEnviron(environ, s)
	path := child.Find(s.Command, env, s.Cwd)
	if path == "" {
		return nil, errNoCommand
	}
	p := &process{exited: make(chan struct{})}
	p.cmd = &exec.Cmd{Path: path, Args: append([]string{s.Command}, s.Args...), Env: env, Dir: s.Cwd}
	stderr, err := p.start(l)
	if err != nil {
		return nil, err
	}
	p.alive()
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer stderr.Close()
		log.follow(stderr, p.alive)
	}()
	go p.reap(read, stderr)
	return p, nil
}

// start makes the pipes and launches the command.
func (p *process) start(l *child.Launcher) (stderr *os.File, err error) {
	var files []*os.File
	defer func() {
		if err != nil {
			closeAll(files)
		}
	}()
	pair := func() (r, w *os.File) {
		if err == nil {
			if r, w, err = os.Pipe(); err == nil {
				files = append(files, r, w)
			}
		}
		return r, w
	}
	inR, inW := pair()
	outR, outW := pair()
	errR, errW := pair()
	if err != nil {
		return nil, fmt.Errorf("making pipes: %w", err)
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, errW
	if p.group, err = l.Start(p.cmd); err != nil {
		return nil, err
	}
	closeAll([]*os.File{inR, outW, errW})
	p.stdin, p.stdout = inW, outR
	return errR, nil
}

// closeAll closes files.
func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// alive notes a sign of life.
func (p *process) alive() { p.sign.Store(time.Now().UnixNano()) }

// lastSign returns when the process last wrote anything.
func (p *process) lastSign() time.Time { return time.Unix(0, p.sign.Load()) }

// reap waits for the server to end, then ends what it left behind.
func (p *process) reap(read <-chan struct{}, stderr *os.File) {
	_ = p.cmd.Wait()
	select {
	case <-read:
	case <-time.After(300 * time.Millisecond): // a child of its holds stderr open
	}
	p.end(true)
	p.release()
	select {
	case <-read:
	case <-time.After(time.Second):
		_ = stderr.SetReadDeadline(time.Now())
		<-read
	}
	close(p.exited)
}

// stop ends the process: stdin closed, then asked, then killed. It returns when
// the process is gone, or after three times grace at the latest.
func (p *process) stop(grace time.Duration) {
	p.mu.Lock()
	p.stopped = !p.released
	p.mu.Unlock()
	_ = p.stdin.Close()
	defer p.stdout.Close()
	if p.gone(grace) {
		return
	}
	p.end(false)
	if p.gone(grace) {
		return
	}
	p.end(true)
	p.gone(grace)
}

// end asks the group to end, or kills it.
func (p *process) end(kill bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.released:
	case kill:
		p.group.Kill()
	default:
		p.group.Terminate()
	}
}

// release lets go of the group.
func (p *process) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = true
	p.group.Release()
}

// gone waits for the end, at most so long.
func (p *process) gone(wait time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	select {
	case <-p.exited:
		return true
	case <-ctx.Done():
		return false
	}
}

// ending says how the process ended by itself, in words; "" while it runs, and
// when it was we who ended it.
func (p *process) ending() string {
	select {
	case <-p.exited:
	default:
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return ""
	}
	state := p.cmd.ProcessState
	switch code := state.ExitCode(); {
	case code == 0:
		return "it exited by itself with code 0"
	case code > 0:
		return fmt.Sprintf("it exited with code %d", code)
	}
	return fmt.Sprintf("it was ended by a signal (%s)", state)
}
