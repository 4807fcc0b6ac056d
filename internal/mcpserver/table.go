package mcpserver

import (
	"sync"
	"time"
)

// table holds the HTTP sessions of one era: at most max, each gone after it
// was idle for a while.
type table struct {
	max  int
	idle time.Duration

	mu     sync.Mutex
	conns  map[string]*conn
	closed bool
}

// slot is what the table knows of a conn; guarded by the table's mutex.
type slot struct {
	key      string
	requests int // in flight, open streams included
	lastUsed time.Time
	timer    *time.Timer
}

func newTable(limit int, idle time.Duration) *table {
	return &table{max: limit, idle: idle, conns: make(map[string]*conn)}
}

func (t *table) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.conns)
}

// acquire returns the session of a key for one request, nil when there is
// none. Give it back with release.
func (t *table) acquire(key string) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.conns[key]
	if c != nil {
		t.use(c)
	}
	return c
}

// obtain is acquire that makes the session if there is none.
func (t *table) obtain(key string, create func() *conn) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.conns[key]
	if c == nil {
		c = create()
		t.insert(key, c)
	}
	t.use(c)
	return c
}

// add puts a session in, as acquired by the request that made it.
func (t *table) add(key string, c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.insert(key, c)
	t.use(c)
}

// release ends a request. A session whose last request is over starts to age;
// one that was never opened goes at once. It reports whether the session is
// still in the table.
func (t *table) release(c *conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.key == "" {
		return false
	}
	c.requests--
	c.lastUsed = time.Now()
	if c.requests > 0 {
		return true
	}
	if c.opened() == nil {
		t.remove(c)
		c.close()
		return false
	}
	if c.timer == nil {
		c.timer = time.AfterFunc(t.idle, func() { t.expire(c) })
	} else {
		c.timer.Reset(t.idle)
	}
	return true
}

// hold keeps a session from ageing until release is called, as a request does. A
// session that isn't in the table doesn't age.
func (t *table) hold(c *conn) (release func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.key == "" {
		return func() {}
	}
	t.use(c)
	return func() { t.release(c) }
}

// expire ends a session that is still idle.
func (t *table) expire(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.key != "" && c.requests == 0 && time.Since(c.lastUsed) >= t.idle {
		t.remove(c)
		c.close()
	}
}

// drop forgets a session that has ended by itself.
func (t *table) drop(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.key != "" {
		t.remove(c)
	}
}

// shut empties the table for good and returns what it held.
func (t *table) shut() []*conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	all := make([]*conn, 0, len(t.conns))
	for _, c := range t.conns {
		all = append(all, c)
		t.remove(c)
	}
	return all
}

func (t *table) use(c *conn) {
	c.requests++
	c.lastUsed = time.Now()
	if c.timer != nil {
		c.timer.Stop()
	}
}

func (t *table) insert(key string, c *conn) {
	if t.closed {
		c.close()
		return
	}
	c.key = key
	t.conns[key] = c
	for len(t.conns) > t.max {
		victim := t.oldest(c)
		if victim == nil {
			return
		}
		t.remove(victim)
		victim.close()
	}
}

// oldest is the session to give up, other than keep: idle ones before busy ones.
func (t *table) oldest(keep *conn) *conn {
	var oldest *conn
	for _, c := range t.conns {
		if c == keep {
			continue
		}
		if oldest == nil || before(c, oldest) {
			oldest = c
		}
	}
	return oldest
}

func before(a, b *conn) bool {
	if (a.requests == 0) != (b.requests == 0) {
		return a.requests == 0
	}
	return a.lastUsed.Before(b.lastUsed)
}

func (t *table) remove(c *conn) {
	delete(t.conns, c.key)
	c.key = ""
	if c.timer != nil {
		c.timer.Stop()
	}
}
