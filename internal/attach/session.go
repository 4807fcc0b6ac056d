package attach

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcrib/toolcrib"
)

// session is one Run.
type session struct {
	o   Relay
	ctx context.Context
	end context.CancelCauseFunc
	out output

	mu     sync.Mutex
	up     *upstream     // the present gateway; nil while there is none
	change chan struct{} // closed when up or away changes
	// away is why there is no gateway, once requests have waited long enough.
	away *toolcrib.Error
	// cause is why the last attempt to find one failed.
	cause   error
	again   bool // there was a gateway before
	closing bool // the input has ended
	memory  memory
	ledger  ledger
	// swallow counts, by key, answers that are for nobody; swallowAck the
	// acknowledgements of subscriptions that were made again.
	swallow, swallowAck map[string]int
}

func newSession(ctx context.Context, o Relay) *session {
	s := &session{
		o: o, out: output{w: o.Out, gate: make(chan struct{}, 1)}, change: make(chan struct{}), ledger: newLedger(),
		swallow: map[string]int{}, swallowAck: map[string]int{},
	}
	s.ctx, s.end = context.WithCancelCause(ctx)
	return s
}

// output writes whole lines until it is shut.
type output struct {
	w      io.Writer
	gate   chan struct{} // holds a value while somebody writes
	closed atomic.Bool
}

func (o *output) write(line []byte) error {
	o.gate <- struct{}{}
	defer func() { <-o.gate }()
	if o.closed.Load() {
		return io.ErrClosedPipe
	}
	_, err := o.w.Write(line)
	return err
}

// shut lets a write that goes on finish, if the client reads, and no other begin.
func (o *output) shut() {
	o.closed.Store(true)
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case o.gate <- struct{}{}:
		<-o.gate
	case <-timer.C:
	}
}

// tell writes a line to the client; a client that doesn't read ends the session.
func (s *session) tell(line []byte) {
	if err := s.out.write(line); err != nil {
		s.end(err)
	}
}

// changed wakes those who wait for a gateway; the caller holds mu.
func (s *session) changed() {
	close(s.change)
	s.change = make(chan struct{})
}

// install makes a gateway the present one, and tells the client that the tools
// may be others there.
func (s *session) install(up *upstream) {
	s.mu.Lock()
	s.up, s.away, s.cause = up, nil, nil
	var tell [][]byte
	if s.again {
		tell = s.listeners()
	}
	s.again = true
	s.changed()
	s.mu.Unlock()
	for _, line := range tell {
		s.tell(line)
	}
	s.watch(up)
}

// listeners are the notifications for a client that listens; the caller holds mu.
func (s *session) listeners() (all [][]byte) {
	if s.memory.hello != nil && s.memory.ready != nil {
		all = append(all, listChanged(nil))
	}
	for _, f := range s.ledger.inOrder() {
		if f.method == methodListen && wantsTools(f.line) && !f.cancelled {
			all = append(all, listChanged(f.id))
		}
	}
	return all
}

// watch gives a temporary connection up when there is a better one.
func (s *session) watch(up *upstream) {
	t, ok := up.conn.(Temporary)
	if !ok {
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	up.lock()
	up.unwatch = cancel
	dead := up.dead
	up.unlock()
	if dead {
		cancel()
		return
	}
	up.work.Go(func() {
		for t.Superseded(ctx) {
			rest := up.retire(s.rest)
			if rest == 0 {
				s.o.Logger.Debug("a better gateway has come: this session goes on there")
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(rest):
			}
		}
	})
}

// rest is how long nothing must go on until the session is at rest; all of it
// while something does.
func (s *session) rest() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ledger.owed() {
		return s.o.Rest
	}
	return s.o.Rest - time.Since(s.ledger.last)
}

// withdraw makes a gateway the present one no more.
func (s *session) withdraw(up *upstream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.up == up {
		s.up = nil
		s.changed()
	}
}

// fading is for a gateway that has stopped reading: it may still have answers on
// the way, but not for long. The caller holds its gate.
func (s *session) fading(up *upstream) {
	up.dead = true
	s.withdraw(up)
	time.AfterFunc(lastWords, func() { up.conn.Close() })
}

// lose closes the books of a gateway that has ended.
func (s *session) lose(up *upstream, why error) {
	s.withdraw(up)
	up.forget()
	up.conn.Close()
	up.lock()
	up.dead = true
	up.unwatch()
	up.unlock()
	up.work.Wait()
	s.withdraw(up) // resume may have been at work
	s.mu.Lock()
	failed, asked := s.ledger.lost(!s.closing)
	modern := s.memory.hello == nil
	clear(s.swallow)
	clear(s.swallowAck)
	s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	s.o.Logger.Info("the gateway has ended", "error", why, "calls", len(failed))
	for _, f := range failed {
		s.answer(f, errLost, modern)
	}
	for _, id := range asked {
		s.tell(cancelled(id))
	}
}

func (s *session) answer(f *flight, e *toolcrib.Error, modern bool) {
	s.tell(refusal(f.id, f.method, e, modern))
}

// blame notes why there is no gateway.
func (s *session) blame(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cause = err
	if s.away != nil {
		s.away = errAway(err)
	}
}

// giveUp answers what has waited for a gateway long enough. Whatever comes until
// there is one is answered at once.
func (s *session) giveUp() {
	s.mu.Lock()
	if s.up != nil { // it has come in this moment
		s.mu.Unlock()
		return
	}
	s.away = errAway(s.cause)
	e, modern := s.away, s.memory.hello == nil
	waited := s.ledger.waiting()
	for _, f := range waited {
		delete(s.ledger.flights, f.key)
	}
	s.changed()
	s.mu.Unlock()
	for _, f := range waited {
		s.answer(f, e, modern)
	}
}

// await returns the present gateway, and waits for one. It returns nil and the
// reason when there is none to be had.
func (s *session) await() (*upstream, *toolcrib.Error) {
	for {
		s.mu.Lock()
		up, away, change := s.up, s.away, s.change
		s.mu.Unlock()
		if up != nil || away != nil {
			return up, away
		}
		select {
		case <-change:
		case <-s.ctx.Done():
			return nil, errAway(nil)
		}
	}
}

// finish lets requests be answered after the input has ended, and ends the session.
func (s *session) finish(err error) {
	if !errors.Is(err, io.EOF) {
		s.o.Logger.Debug("the input broke", "error", err)
	}
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	timer := time.NewTimer(s.o.Drain)
	defer timer.Stop()
	for {
		s.mu.Lock()
		busy, change := s.ledger.busy(), s.change
		s.mu.Unlock()
		if !busy {
			break
		}
		select {
		case <-change:
			continue
		case <-timer.C:
		case <-s.ctx.Done():
		}
		break
	}
	s.giveUp() // nobody comes any more for what waits
	s.end(errDone)
}
