package process

import (
	"sync"
	"time"
)

// clock counts a script's time, but for the time in which a person is asked.
type clock struct {
	expired chan struct{} // closed when the time is over

	mu      sync.Mutex
	left    time.Duration
	since   time.Time
	waiting int
	timer   *time.Timer
}

func startClock(wall time.Duration) *clock {
	c := &clock{expired: make(chan struct{}), left: wall, since: time.Now()}
	c.timer = time.AfterFunc(wall, sync.OnceFunc(func() { close(c.expired) }))
	return c
}

// pause stops the clock until the returned function is called; pauses overlap.
func (c *clock) pause() (resume func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting++; c.waiting == 1 && c.timer.Stop() {
		c.left -= time.Since(c.since)
	}
	return sync.OnceFunc(c.resume)
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting--; c.waiting > 0 {
		return
	}
	select {
	case <-c.expired:
	default:
		c.since = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

// paused reports whether the clock stands still.
func (c *clock) paused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting > 0
}

// stop ends it for good.
func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting++
	c.timer.Stop()
}
