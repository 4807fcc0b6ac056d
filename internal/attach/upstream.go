package attach

import (
	"context"
	"io"
	"sync"
)

// Temporary is what a connection may be, too: one that is given up for a better
// one as long as no tool has been called through it.
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

// retire closes a connection through which no tool was called.
func (u *upstream) retire() {
	u.lock()
	defer u.unlock()
	if !u.called {
		u.dead = true
		u.conn.Close()
	}
}
