// Package process owns the parent's side of a sandbox: children that are
// started and confined before they are needed, each used for one script, and
// everything that a child is not trusted with: the clock, every limit, the
// calls in flight, and the end. It knows no engine: a child is a command that
// speaks the frames of package wire.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// Options say how children are started.
type Options struct {
	// Name is the runtime's, for messages.
	Name string
	// Command makes the command of one child, without its streams. Required.
	Command func() (*exec.Cmd, error)
	// Verify looks at a child from outside before it gets a script: whether
	// the operating system fences it in, or why it must not be used. Nil means
	// that there is nothing to look at, and no fence.
	Verify func(pid int) (kernel bool, err error)
	// Pool is how many confined children wait for scripts. Default 2; below 0 for none.
	Pool int
	// Running bounds the scripts that run at a time; others wait. Default 16.
	Running int
	// StartTimeout bounds the start of a child. Default 10 s.
	StartTimeout time.Duration
}

// ErrClosed is what Run returns after Close.
var ErrClosed = errors.New("the sandbox is closed")

// Pool starts children and runs scripts in them. It starts nothing until the
// first Run or Warm.
type Pool struct {
	options Options
	starter *fence.Starter
	slots   chan struct{}
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	work    sync.WaitGroup // starts in the background, and children that still end

	mu       sync.Mutex
	idle     []*child
	starting int
	closed   bool
}

// New checks the options; it starts no process.
func New(o Options) (*Pool, error) {
	if o.Command == nil || o.Name == "" {
		return nil, errors.New("process: Options.Name and Options.Command are needed")
	}
	o.Pool = max(cmp.Or(o.Pool, 2), 0)
	o.Running = cmp.Or(o.Running, 16)
	o.StartTimeout = cmp.Or(o.StartTimeout, 10*time.Second)
	if o.Running < 0 || o.StartTimeout < 0 {
		return nil, fmt.Errorf("process: Running %d and StartTimeout %v must not be negative", o.Running, o.StartTimeout)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Pool{options: o, starter: fence.NewStarter(), slots: make(chan struct{}, o.Running), ctx: ctx, cancel: cancel}, nil
}

// Warm starts one child and waits until it is confined, then fills the pool
// in the background. It says why no child can be had.
func (p *Pool) Warm(ctx context.Context) (sandbox.Isolation, error) {
	c, err := p.take(ctx)
	if err != nil {
		return sandbox.Isolation{}, err
	}
	report := sandbox.Isolation{Kernel: c.kernel}
	if c.ready.Probe != nil {
		report.Pieces = append(report.Pieces, sandbox.Piece{Name: "probe", OK: true, Detail: string(c.ready.Probe)})
	}
	p.put(c)
	p.refill()
	return report, nil
}

// take gives a child that waits for a script: one from the pool, or a new one.
func (p *Pool) take(ctx context.Context) (*child, error) {
	for {
		c, err := p.pop()
		if err != nil {
			return nil, err
		}
		if c == nil {
			return p.startNow(ctx)
		}
		if c.alive() {
			return c, nil
		}
		c.end()
	}
}

// startNow starts a child for a script that waits. Close waits for it.
func (p *Pool) startNow(ctx context.Context) (*child, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	p.work.Add(1)
	p.mu.Unlock()
	defer p.work.Done()
	return p.start(ctx)
}

func (p *Pool) pop() (*child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if len(p.idle) == 0 {
		return nil, nil
	}
	c := p.idle[0] // the oldest, which had most time to get ready
	p.idle = p.idle[1:]
	return c, nil
}

func (p *Pool) put(c *child) {
	p.mu.Lock()
	keep := !p.closed && len(p.idle) < p.options.Pool
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		c.end()
	}
}

// refillAfter is how long a script runs before the pool is filled up, so that
// starting children takes no processor from the many scripts that are short.
const refillAfter = 50 * time.Millisecond

// refillSoon fills the pool when the returned function is called, at the
// latest after a moment.
func (p *Pool) refillSoon() (now func()) {
	timer := time.AfterFunc(refillAfter, p.refill)
	return func() {
		timer.Stop()
		p.refill()
	}
}

// Ready is how many confined children wait for a script.
func (p *Pool) Ready() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// refill starts what is missing in the pool, in the background.
func (p *Pool) refill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	for len(p.idle)+p.starting < p.options.Pool {
		p.starting++
		p.work.Go(p.addOne)
	}
}

func (p *Pool) addOne() {
	c, err := p.start(p.ctx)
	p.mu.Lock()
	p.starting--
	p.mu.Unlock()
	if err == nil { // else the next Run starts one itself, and says what is wrong
		p.put(c)
	}
}

// Close ends all children, also those that run a script, and waits for them.
func (p *Pool) Close() error {
	p.mu.Lock()
	idle, first := p.idle, !p.closed
	p.closed, p.idle = true, nil
	p.mu.Unlock()
	p.cancel()
	for _, c := range idle {
		c.end()
	}
	p.work.Wait()
	if first {
		return p.starter.Close()
	}
	return nil
}
