package attach

import (
	"context"
	"io"
	"sync"
	"time"
)

// Temporary is what a connection may be, too: one that is given up for a better
// one at once while no tool has been called through it, and later when no request
// has been going on for Relay.Rest. Those that only ask don't count: they are
// asked again.
type Temporary interface {
	// Superseded returns true when a better connection can be had, and false when
	// ctx has ended.
	Superseded(ctx context.Context) bool
}

// upstream is one connection to a gateway.
type upstream struct {
	conn  io.ReadWriteCloser
	lines *lines
	heard bool // something came from it; the reader's
	// gate holds a value while somebody writes, and guards what follows.
	gate chan struct{}
	// dead is true when nothing is to be written any more.
	dead bool
	// called is true when a tool was called through it.
	called bool

	unwatch context.CancelFunc // ends the wait for a better one
	forget  func() bool        // keeps the end of the session from closing it
	work    sync.WaitGroup     // goroutines that are about it
}

func newUpstream(conn io.ReadWriteCloser) *upstream {
	return &upstream{conn: conn, lines: newLines(conn, maxAnswer), gate: make(chan struct{}, 1), unwatch: func() {}}
}

func (u *upstream) lock()   { u.gate <- struct{}{} }
func (u *upstream) unlock() { <-u.gate }

// retire closes a connection through which no tool was called, or none for long
// enough. It returns how much rest is missing; 0 when it is closed.
func (u *upstream) retire(rest func() time.Duration) time.Duration {
	u.lock()
	defer u.unlock()
	if u.called && !u.dead {
		if missing := rest(); missing > 0 {
			return missing
		}
	}
	u.dead = true
	u.conn.Close()
	return 0
}
