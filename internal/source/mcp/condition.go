package mcp

import (
	"context"
	"time"

	"github.com/toolcrib/toolcrib"
)

// condition is what is known of a link at one moment.
type condition struct {
	state    toolcrib.State
	reason   string
	fault    Fault // when down
	list     *list // nil while nothing is known
	conn     *conn // set when ready
	since    time.Time
	began    time.Time // of the first start
	next     time.Time // of the next try, when down
	starts   int
	settled  int // rounds that came to ready or down
	protocol string
	name     string // as the server calls itself
	version  string
	pid      int
}

// sameList reports whether two lists offer the same tools.
func sameList(a, b *list) bool {
	return a != nil && b != nil && a.fingerprint == b.fingerprint
}

// await waits until good says that the condition will do.
func (l *link) await(ctx context.Context, good func(condition) bool) condition {
	for {
		now, changed := l.snapshot()
		if good(now) {
			return now
		}
		select {
		case <-changed:
		case <-l.done:
			now.state, now.reason = toolcrib.StateDown, "it was stopped"
			return now
		case <-ctx.Done():
			return now
		}
	}
}

// enter notes a call that begins, leave one that ends.
func (l *link) enter() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active++
	l.used = time.Now()
}

func (l *link) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active--
	l.used = time.Now()
}

// touch notes that somebody looked at the list.
func (l *link) touch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = time.Now()
}

// unused returns since when nobody has used the link; false while a call runs.
func (l *link) unused() (time.Time, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used, l.active == 0
}
