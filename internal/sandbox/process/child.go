package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

// child is one process, from its start to its end.
type child struct {
	name   string
	cmd    *exec.Cmd
	kill   func(*exec.Cmd) error
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr *tail
	in     *wire.Writer
	out    *wire.Reader
	ready  wire.Ready
	kernel bool            // the operating system fences it in
	frames chan wire.Frame // closed at the first error, which is then in err
	err    error
	gone   chan struct{} // closed when nobody takes frames any more
	leave  sync.Once
	ended  chan struct{} // closed when the process was waited for
}

// firstFrame bounds what a child may say before it has a script.
const firstFrame = 64 << 10

// start starts a child and waits until it is ready.
func (p *Pool) start(ctx context.Context) (*child, error) {
	ctx, cancel := context.WithTimeout(ctx, p.options.StartTimeout)
	defer cancel()
	stop := context.AfterFunc(p.ctx, cancel)
	defer stop()
	c, err := p.spawn()
	if err != nil {
		return nil, fmt.Errorf("start a child of the %s sandbox: %w", p.options.Name, err)
	}
	if err := p.shake(ctx, c); err != nil {
		c.end()
		if detail := c.stderr.String(); detail != "" {
			err = fmt.Errorf("%w; it wrote %q", err, detail)
		}
		return nil, fmt.Errorf("the child of the %s sandbox is not ready: %w", p.options.Name, err)
	}
	return c, nil
}

func (p *Pool) spawn() (*child, error) {
	cmd, err := p.options.Command()
	if err != nil {
		return nil, err
	}
	c := &child{
		name: p.options.Name, cmd: cmd, kill: p.starter.Kill, stderr: &tail{},
		frames: make(chan wire.Frame), gone: make(chan struct{}), ended: make(chan struct{}),
	}
	cmd.Stderr, cmd.WaitDelay = c.stderr, time.Second
	if c.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, errors.Join(err, c.stdin.Close())
	}
	if err := p.starter.Start(cmd); err != nil {
		return nil, errors.Join(err, c.stdin.Close(), c.stdout.Close())
	}
	c.in, c.out = wire.NewWriter(c.stdin), wire.NewReader(c.stdout, firstFrame)
	p.work.Go(c.receive)
	return c, nil
}

// shake waits for the child to say that it is confined, and looks for itself.
func (p *Pool) shake(ctx context.Context, c *child) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("it said nothing in time; does its program call the sandbox's Child function first in main? %w", ctx.Err())
	case frame, ok := <-c.frames:
		if !ok {
			return c.early()
		}
		if frame.Kind != wire.KindReady {
			return fmt.Errorf("%w: the first frame is %q", wire.ErrProtocol, frame.Kind)
		}
		if err := frame.Decode(&c.ready); err != nil {
			return err
		}
	}
	switch {
	case c.ready.Error != "":
		return errors.New(c.ready.Error)
	case c.ready.Version != wire.Version:
		return fmt.Errorf("it speaks version %d of the protocol, not %d: the program was replaced while it ran; restart it", c.ready.Version, wire.Version)
	case p.options.Verify != nil:
		kernel, err := p.options.Verify(c.cmd.Process.Pid)
		c.kernel = kernel
		return err
	}
	return nil
}

// early says why there was no first frame.
func (c *child) early() error {
	if errors.Is(c.err, io.EOF) {
		return errors.New("it ended without a word; does its program call the sandbox's Child function first in main?")
	}
	return c.err
}

// receive hands on frames until the first error. The process then is ended
// and waited for, whoever reads: a child that died leaves no zombie.
func (c *child) receive() {
	for c.err == nil {
		var frame wire.Frame
		if frame, c.err = c.out.Read(); c.err != nil {
			break
		}
		select {
		case c.frames <- frame:
		case <-c.gone:
			c.err = io.EOF
		}
	}
	close(c.frames)
	c.quit()
	// How it ended is in ProcessState; that it was killed is no error.
	_ = c.cmd.Wait()
	close(c.ended)
}

// alive is for a child that waits for a script, and must be silent.
func (c *child) alive() bool {
	select {
	case <-c.frames:
		return false
	case <-c.ended:
		return false
	default:
		return true
	}
}

// quit kills the child's group and lets go of its pipes.
func (c *child) quit() {
	c.leave.Do(func() {
		close(c.gone)
		// A child that is gone already can't be killed, and needn't be.
		_ = c.kill(c.cmd)
		_ = c.stdin.Close()
		_ = c.stdout.Close()
	})
}

// end kills the child and waits for it.
func (c *child) end() {
	c.quit()
	<-c.ended
}

// tail keeps the beginning of what a child writes to its standard error.
type tail struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

const tailSize = 2 << 10

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept.Write(data[:min(len(data), tailSize-t.kept.Len())])
	return len(data), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.kept.String())
}
