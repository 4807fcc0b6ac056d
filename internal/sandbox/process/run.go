package process

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

// maxArguments bounds the arguments of one call, in bytes of JSON.
const maxArguments = 1 << 20

// maxSent bounds the arguments of all calls of a script: they are kept for its
// outcome.
const maxSent = 8 << 20

// lookEvery is how often a script is looked after whose clock stands still: it
// must not burn a processor while a person is asked.
const lookEvery = 250 * time.Millisecond

// grace is how long calls in flight have to end after they were canceled.
const grace = 200 * time.Millisecond

// run is one script in one child.
type run struct {
	script    sandbox.Script
	limits    sandbox.Limits
	host      sandbox.Host
	functions map[string]bool
	child     *child
	clock     *clock
	ctx       context.Context // of the calls
	cancel    context.CancelFunc
	slots     chan struct{} // calls that run at a time
	serving   sync.WaitGroup

	mu       sync.Mutex
	over     bool // no host is called and no answer is sent any more
	calls    []sandbox.Call
	inFlight int
	kinds    map[string]bool // those that the host's errors had
	logBytes int
	sent     int
	outcome  sandbox.Outcome
}

// Run runs one script in a child of its own.
func (p *Pool) Run(ctx context.Context, s sandbox.Script, h sandbox.Host) (sandbox.Outcome, error) {
	limits := s.Limits.WithDefaults()
	if err := check(s, limits, h); err != nil {
		return sandbox.Outcome{}, err
	}
	if len(s.Code) > limits.Code {
		return sandbox.Outcome{Failure: sandbox.TooMuchCode(len(s.Code), limits.Code)}, nil
	}
	if ctx.Err() != nil {
		return sandbox.Outcome{}, context.Cause(ctx)
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return sandbox.Outcome{}, context.Cause(ctx)
	case <-p.ctx.Done():
		return sandbox.Outcome{}, ErrClosed
	}
	c, err := p.take(ctx)
	if err != nil {
		return sandbox.Outcome{}, err
	}
	defer p.refillSoon()()
	defer c.quit() // it is waited for in the background, see receive
	r := newRun(ctx, s, limits, h, c)
	stop := context.AfterFunc(p.ctx, r.cancel)
	defer stop()
	return r.do(ctx)
}

func check(s sandbox.Script, limits sandbox.Limits, h sandbox.Host) error {
	if h == nil && len(s.Functions) > 0 {
		return fmt.Errorf("the script has functions %q and no host to answer them", s.Functions)
	}
	for _, name := range s.Functions {
		if !sandbox.ValidFunction(name) {
			return fmt.Errorf("%q is no dotted path of JavaScript names", name)
		}
	}
	return limits.Check()
}

func newRun(ctx context.Context, s sandbox.Script, limits sandbox.Limits, h sandbox.Host, c *child) *run {
	r := &run{
		script: s, limits: limits, host: h, child: c,
		functions: map[string]bool{}, kinds: map[string]bool{}, slots: make(chan struct{}, limits.Parallel),
	}
	for _, name := range s.Functions {
		r.functions[name] = true
	}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// do sends the script and follows it to its end.
func (r *run) do(ctx context.Context) (sandbox.Outcome, error) {
	started := time.Now()
	r.child.out.SetMax(max(maxArguments, 2*r.limits.Result) + firstFrame)
	r.clock = startClock(r.limits.Wall)
	total := time.NewTimer(r.limits.Total)
	defer total.Stop()
	// A child that takes nothing, or is gone already, shows in follow.
	r.serving.Go(func() { _ = r.child.in.Write(wire.KindRun, r.message()) })
	failure := r.follow(ctx, total.C)
	r.finish(failure)
	r.outcome.Elapsed = time.Since(started)
	return r.outcome, nil
}

func (r *run) message() wire.Run {
	sum := sha256.Sum256(r.script.Seed[:])
	m := wire.Run{
		Code: sandbox.Plain(r.script.Code), Functions: r.script.Functions,
		Logs: r.limits.Logs, Result: r.limits.Result, Calls: r.limits.Calls, Arguments: maxArguments, Sent: maxSent, Memory: r.limits.Memory,
	}
	if m.Functions == nil {
		m.Functions = []string{}
	}
	for i := range m.Seed {
		m.Seed[i] = binary.LittleEndian.Uint32(sum[4*i:])
	}
	if !r.script.Now.IsZero() {
		m.Now = r.script.Now.UnixMilli()
	}
	return m
}

// follow takes the child's frames until the script has ended, or must.
func (r *run) follow(ctx context.Context, total <-chan time.Time) *sandbox.Failure {
	before := computed(r.child.cmd.Process.Pid)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-r.clock.expired:
			return r.late(sandbox.LimitWall, r.limits.Wall)
		case <-look.C:
			if r.clock.paused() && computed(r.child.cmd.Process.Pid)-before > r.limits.Wall {
				return r.late(sandbox.LimitWall, r.limits.Wall)
			}
		case <-total:
			return r.late(sandbox.LimitTotal, r.limits.Total)
		case <-r.ctx.Done():
			if ctx.Err() == nil {
				return &sandbox.Failure{Kind: sandbox.KindCanceled, Message: "the sandbox was closed while the script ran"}
			}
			return &sandbox.Failure{Kind: sandbox.KindCanceled, Message: "the script was stopped: " + context.Cause(ctx).Error()}
		case frame, ok := <-r.child.frames:
			if !ok {
				return r.died()
			}
			if ended, failure := r.take(frame); ended {
				return failure
			}
		}
	}
}

func (r *run) late(limit string, after time.Duration) *sandbox.Failure {
	return &sandbox.Failure{Kind: sandbox.KindTimeout, Limit: limit, Message: fmt.Sprintf("the script did not end within %v", after)}
}

// finish ends the child and the calls in flight, and puts the outcome together.
func (r *run) finish(failure *sandbox.Failure) {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.clock.stop()
	r.cancel()
	r.child.quit()
	r.settle()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome.Calls = slices.Clone(r.calls)
	for i := range r.outcome.Calls {
		call := &r.outcome.Calls[i]
		if !call.OK && call.Error == "" {
			call.Kind = sandbox.KindCanceled
			call.Error = "the script ended before this call did; it may or may not have taken effect"
			if call.Started.IsZero() {
				call.Error = "the script ended before this call was made"
			} else {
				call.Elapsed = time.Since(call.Started)
			}
		}
	}
	if failure != nil {
		r.outcome.Value = nil
		r.outcome.Failure = sandbox.Explain(*failure, r.script)
	}
}

// settle gives canceled calls a moment to end, so that it is known how.
func (r *run) settle() {
	done := make(chan struct{})
	go func() {
		r.serving.Wait()
		close(done)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// hostKinds lists the kinds that the host's errors had in this run.
func (r *run) hostKinds() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.kinds))
}
