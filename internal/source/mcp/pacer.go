package mcp

import (
	"sync"
	"time"
)

// pacer lets something happen at once, and then not again until every has
// passed: what is asked for meanwhile happens then, once.
type pacer struct {
	every time.Duration
	do    func()

	mu      sync.Mutex
	next    time.Time
	pending *time.Timer
	stopped bool
}

// ask makes it happen, now or as soon as it may.
func (p *pacer) ask() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || p.pending != nil {
		return
	}
	p.pending = time.AfterFunc(time.Until(p.next), p.run)
}

// run makes it happen.
func (p *pacer) run() {
	p.mu.Lock()
	p.pending = nil
	p.next = time.Now().Add(p.every)
	stopped := p.stopped
	p.mu.Unlock()
	if !stopped {
		p.do()
	}
}

// stop lets nothing happen any more.
func (p *pacer) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.pending != nil {
		p.pending.Stop()
	}
}
