package mcp

import (
	"context"
	"sync"
	"time"
)

// watch ends a start that takes too long. A local server that writes something
// now and then is alive and gets more time, up to a bound.
type watch struct {
	cancel context.CancelCauseFunc
	began  time.Time
	quiet  time.Duration
	total  time.Duration

	mu    sync.Mutex
	timer *time.Timer
	proc  *process
}

// newWatch starts watching: quiet is how long it may be silent, total how long it may take.
func newWatch(cancel context.CancelCauseFunc, quiet, total time.Duration) *watch {
	w := &watch{cancel: cancel, began: time.Now(), quiet: quiet, total: total}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(quiet, w.look)
	return w
}

// follow names the process whose signs of life count.
func (w *watch) follow(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.proc = p
}

// look ends the start, or looks again later.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		return
	}
	due := w.began.Add(w.quiet)
	if w.proc != nil {
		due = w.proc.lastSign().Add(w.quiet)
	}
	if end := w.began.Add(w.total); due.After(end) {
		due = end
	}
	if left := time.Until(due); left > 0 {
		w.timer.Reset(left)
		return
	}
	w.cancel(errSilent{time.Since(w.began)})
}

// stop ends the watching.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.timer = nil
}
