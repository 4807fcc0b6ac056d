package mcp

import (
	"sync"

	"github.com/toolcrib/toolcrib"
)

// maxReports bounds the reports that wait for a slow listener; the oldest go first.
const maxReports = 64

// reports hands one call's progress to its listener, in order, from a goroutine
// of its own, so that a slow listener holds up no connection.
type reports struct {
	mu     sync.Mutex
	queue  []toolcrib.Progress
	closed bool
	wake   chan struct{}
	done   chan struct{}
}

// newReports starts handing reports to listen.
func newReports(listen func(toolcrib.Progress)) *reports {
	r := &reports{wake: make(chan struct{}, 1), done: make(chan struct{})}
	go r.run(listen)
	return r
}

// add queues a report.
func (r *reports) add(p toolcrib.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if len(r.queue) == maxReports {
		r.queue = append(r.queue[:0], r.queue[1:]...)
	}
	r.queue = append(r.queue, p)
	r.nudge()
}

// nudge wakes the goroutine.
func (r *reports) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// run hands out the queue until it is closed and empty.
func (r *reports) run(listen func(toolcrib.Progress)) {
	defer close(r.done)
	for range r.wake {
		for {
			p, more, closed := r.next()
			if !more {
				if closed {
					return
				}
				break
			}
			listen(p)
		}
	}
}

// next takes the oldest report.
func (r *reports) next() (p toolcrib.Progress, more, closed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) == 0 {
		return p, false, r.closed
	}
	p = r.queue[0]
	r.queue = append(r.queue[:0], r.queue[1:]...)
	return p, true, r.closed
}

// finish takes no more reports and returns when those that came are handed out.
// With drop set they are thrown away; the listener is not called after the return.
func (r *reports) finish(drop bool) {
	r.mu.Lock()
	r.closed = true
	if drop {
		r.queue = nil
	}
	r.nudge()
	r.mu.Unlock()
	<-r.done
}
