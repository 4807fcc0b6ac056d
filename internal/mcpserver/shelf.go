package mcpserver

import (
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// Bounds of the calls that wait for their client to come back.
const (
	// maxHeld is how many of one session may, and maxHeldAll of all together.
	maxHeld    = 64
	maxHeldAll = 1000
	// lateness is how long after the time of its questions, and after its end, the
	// outcome of a call is kept.
	lateness = time.Minute
)

// shelf has the calls of one session that wait for their client to come back.
type shelf struct {
	mu    sync.Mutex
	calls map[string]*kept // by the id of the round
}

// kept is one of them.
type kept struct {
	call *held
	done func() // frees the place; once
	drop *time.Timer
}

// keep puts a call on the shelf and returns the id under which it can be taken;
// false when there is no room.
func (c *conn) keep(h *held) (id string, ok bool) {
	s := &c.held
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) >= maxHeld {
		return "", false
	}
	if c.server.waiting.Add(1) > maxHeldAll {
		c.server.waiting.Add(-1)
		return "", false
	}
	release := func() {}
	if c.ages {
		release = c.server.stateless.hold(c)
	}
	k := &kept{call: h, done: sync.OnceFunc(func() {
		c.server.waiting.Add(-1)
		release()
	})}
	if s.calls == nil {
		s.calls = make(map[string]*kept)
	}
	id = newState()
	s.calls[id] = k
	k.drop = time.AfterFunc(h.left(), func() { c.expire(id) })
	return id, true
}

// left is how long a call is kept at least.
func (h *held) left() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(time.Until(h.until), 0) + lateness
}

// expire drops a call that nobody has come back for. One that still runs is given
// its time: its tool has begun.
func (c *conn) expire(id string) {
	s := &c.held
	s.mu.Lock()
	k := s.calls[id]
	if k == nil {
		s.mu.Unlock()
		return
	}
	select {
	case <-k.call.over:
		delete(s.calls, id)
	case <-c.ctx.Done():
		delete(s.calls, id)
	default:
		k.drop.Reset(lateness)
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	k.done()
}

// clear drops all; the session has ended, and its calls with it.
func (c *conn) clear() {
	s := &c.held
	s.mu.Lock()
	all := s.calls
	s.calls = nil
	s.mu.Unlock()
	for _, k := range all {
		k.drop.Stop()
		k.done()
	}
}

// take takes the call that a request goes on with off the shelf, or says why
// there is none. A request that asks for something else leaves it there.
func (c *conn) take(p *mcp.CallToolParamsRaw) (*held, Reply) {
	s := &c.held
	s.mu.Lock()
	k := s.calls[p.RequestState]
	if k == nil {
		s.mu.Unlock()
		return nil, failure(toolcrib.KindNotFound, "nothing waits for these answers: they came already, their time has passed, or somebody else was asked",
			"nothing was run for them; call the tool again without them")
	}
	if !k.call.is(p) {
		s.mu.Unlock()
		return nil, failure(toolcrib.KindInput, "these answers belong to a call of another tool, or with other arguments",
			"nothing was run for them; repeat the call that was asked about as it was")
	}
	delete(s.calls, p.RequestState)
	s.mu.Unlock()
	k.drop.Stop()
	k.done()
	return k.call, Reply{}
}
