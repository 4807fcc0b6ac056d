package invoke

import (
	"context"
	"sync"

	"github.com/toolcrib/toolcrib"
)

// laneKey names one session of one caller.
type laneKey struct{ caller, session string }

// lanes lets calls of a session run together, and a sequential one alone: it
// waits for the calls that run, and later ones wait for it. First come, first served.
type lanes struct {
	mu   sync.Mutex
	open map[laneKey]*lane
}

// lane is one session's queue. It exists only while something runs or waits.
type lane struct {
	running int
	alone   bool
	queue   []*waiter
}

// waiter is a call that waits for its turn; ready is closed when it has it.
type waiter struct {
	alone bool
	ready chan struct{}
}

func newLanes() *lanes { return &lanes{open: map[laneKey]*lane{}} }

// enter waits for the call's turn and returns what ends it. When ctx ends
// first the call leaves the queue and err is the context's.
func (l *lanes) enter(ctx context.Context, s toolcrib.Scope, alone bool) (leave func(), err error) {
	key := laneKey{s.Caller, s.Session}
	l.mu.Lock()
	q := l.open[key]
	if q == nil {
		q = &lane{}
		l.open[key] = q
	}
	w := &waiter{alone: alone, ready: make(chan struct{})}
	q.queue = append(q.queue, w)
	q.admit()
	l.mu.Unlock()
	leave = sync.OnceFunc(func() { l.leave(key, q, alone) })
	select {
	case <-w.ready:
		return leave, nil
	default:
	}
	select {
	case <-w.ready:
		return leave, nil
	case <-ctx.Done():
		l.abandon(key, q, w)
		return nil, ctx.Err()
	}
}

// admit lets the head of the queue run as far as it may.
func (q *lane) admit() {
	for len(q.queue) > 0 {
		w := q.queue[0]
		if q.alone || (w.alone && q.running > 0) {
			return
		}
		q.queue = q.queue[1:]
		q.running++
		q.alone = w.alone
		close(w.ready)
	}
}

func (l *lanes) leave(key laneKey, q *lane, alone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q.running--
	if alone {
		q.alone = false
	}
	l.settle(key, q)
}

// abandon takes a waiter out of the queue, or ends its turn if it came just now.
func (l *lanes) abandon(key laneKey, q *lane, w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, x := range q.queue {
		if x == w {
			q.queue = append(q.queue[:i:i], q.queue[i+1:]...)
			l.settle(key, q)
			return
		}
	}
	q.running--
	if w.alone {
		q.alone = false
	}
	l.settle(key, q)
}

// settle admits the next ones and forgets an idle lane.
func (l *lanes) settle(key laneKey, q *lane) {
	q.admit()
	if q.running == 0 && len(q.queue) == 0 {
		delete(l.open, key)
	}
}
