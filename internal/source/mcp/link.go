package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
)

// link keeps one connection to a server alive: it starts it, reads its list,
// reads it again when it changes, and starts it anew when it dies. One goroutine
// does all of that; others read snapshots.
type link struct {
	peer *peer
	ctx  context.Context
	end  context.CancelFunc
	done chan struct{}
	lost bool // the last round ended with a lost session, soon after it began

	mu      sync.Mutex
	now     condition
	changed chan struct{}      // closed and replaced with each change
	redo    context.CancelFunc // ends the present round, so that another begins
	active  int                // calls that run
	used    time.Time
}

// newLink starts a connection in the background.
func newLink(p *peer, memory *list) *link {
	l := &link{peer: p, done: make(chan struct{}), changed: make(chan struct{})}
	l.ctx, l.end = context.WithCancel(context.Background())
	l.used = time.Now()
	l.now = condition{state: toolcrib.StateStarting, reason: "it is starting", list: memory, since: time.Now(), began: time.Now()}
	l.redo = func() {}
	go l.run()
	return l
}

// snapshot returns the present condition, and a channel that is closed when it changes.
func (l *link) snapshot() (condition, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now, l.changed
}

// update changes the condition and tells who waits and, if what others can see
// of the server changed, the source.
func (l *link) update(change func(*condition)) {
	l.mu.Lock()
	before := l.now
	change(&l.now)
	if l.now.state != before.state {
		l.now.since = time.Now()
	}
	if l.now.state != toolcrib.StateDown {
		l.now.fault = ""
	}
	visible := l.now.state != before.state || l.now.reason != before.reason || l.now.list != before.list && !sameList(l.now.list, before.list)
	close(l.changed)
	l.changed = make(chan struct{})
	l.mu.Unlock()
	if visible && l.ctx.Err() == nil {
		l.peer.source.notify(l.peer.config().Name)
	}
}

// run starts the server again and again until the link is closed.
func (l *link) run() {
	defer close(l.done)
	if !l.turn() {
		return
	}
	t := l.peer.tuning
	retry := newBackoff(t.retryMin, t.retryMax)
	limit := t.start
	for l.ctx.Err() == nil {
		ctx, cancel := context.WithCancel(l.ctx)
		l.mu.Lock()
		l.redo = cancel
		l.mu.Unlock()
		wait, grown := l.round(ctx, retry, limit)
		limit = grown
		if wait > 0 {
			sleep(ctx, wait)
		}
		if ctx.Err() != nil { // somebody asked for a fresh start
			retry.reset()
			limit = t.start
			l.update(func(c *condition) {
				c.state, c.reason, c.next = toolcrib.StateStarting, "it is starting", time.Time{}
			})
		}
		cancel()
	}
}

// turn waits until the former servers of the name have ended, whose files and
// ports a local one may need; false when the link is closed before.
func (l *link) turn() bool {
	if l.peer.after == nil || l.peer.config().URL != "" {
		return true
	}
	select {
	case <-l.peer.after:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// round starts the server once and stays with it until it ends. It returns how
// long to wait before the next round, and how long a start may be silent then.
func (l *link) round(ctx context.Context, retry *backoff, limit time.Duration) (time.Duration, time.Duration) {
	l.update(func(c *condition) { c.starts++ })
	c, lst, err := l.peer.open(ctx, limit)
	if err != nil {
		if ctx.Err() == nil {
			wait := retry.next()
			l.fall(l.peer.diagnose(ctx, nil, err), wait)
			return wait, min(2*limit, l.peer.tuning.startMax)
		}
		return 0, limit
	}
	up := time.Now()
	l.rise(c, lst)
	again := l.attend(ctx, c)
	l.update(func(n *condition) {
		n.state, n.reason, n.conn, n.pid = toolcrib.StateStarting, "its connection ended", nil, 0
	})
	c.close(l.peer.tuning.grace)
	if ctx.Err() != nil {
		return 0, limit
	}
	if time.Since(up) >= l.peer.tuning.healthy {
		retry.reset()
	}
	if errors.Is(again, errSessionLost) && !l.lost {
		l.lost = time.Since(up) < time.Second // once; a server that loses each session isn't asked in a loop
		l.update(func(n *condition) {
			n.state, n.reason = toolcrib.StateStarting, "it lost the session and is connected anew"
		})
		return 0, l.peer.tuning.start
	}
	l.lost = false
	wait := retry.next()
	l.fall(l.peer.diagnose(ctx, c, again), wait)
	return wait, l.peer.tuning.start
}

// rise makes the link ready.
func (l *link) rise(c *conn, lst *list) {
	lst = l.peer.keep(lst)
	l.peer.log.note(fmt.Sprintf("ready with %d tools", len(lst.tools))) // who sees that it is ready finds this
	l.update(func(n *condition) {
		n.state, n.reason, n.next = toolcrib.StateReady, "", time.Time{}
		n.settled++
		n.conn = c
		n.list = lst.judged(l.peer.config()) // it may have changed this very moment
		n.pid = 0
		if c.process != nil {
			n.pid = c.process.cmd.Process.Pid
		}
		if info := c.session.InitializeResult(); info != nil {
			n.protocol = info.ProtocolVersion
			if info.ServerInfo != nil {
				n.name, n.version = selfName(info.ServerInfo)
			}
		}
	})
	l.peer.source.logger.Info("an MCP server is ready", "server", l.peer.config().Name, "tools", len(lst.tools))
}

// fall marks the link as down.
func (l *link) fall(why diagnosis, wait time.Duration) {
	reason := why.Error()
	l.peer.log.note("down: " + reason)
	if before, _ := l.snapshot(); before.state != toolcrib.StateDown || before.reason != reason {
		l.peer.source.logger.Warn("an MCP server is down", "server", l.peer.config().Name, "reason", reason)
	}
	l.update(func(n *condition) {
		n.state, n.reason, n.fault, n.conn, n.pid = toolcrib.StateDown, reason, why.fault, nil, 0
		n.settled++
		n.next = time.Now().Add(wait)
	})
}

// errSessionLost says that a remote server doesn't know the session any more.
var errSessionLost = errors.New("the server lost the session")

// attend stays with a connection until it ends, and reads its list again when
// it changed. It returns why it ended.
func (l *link) attend(ctx context.Context, c *conn) error {
	var due <-chan time.Time
	var exited <-chan struct{}
	if c.process != nil {
		exited = c.process.exited
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.stale:
			if due == nil {
				due = time.After(l.peer.tuning.debounce)
			}
		case <-due:
			due = nil
			l.reread(ctx, c)
		case <-c.lost:
			return errSessionLost
		case err := <-c.dead:
			return err
		case <-exited:
			return diagnosis{fault: FaultExit, what: c.process.ending(), words: l.peer.log.lastWords(), hint: incomplete(l.peer.log.lastLines())}
		case <-c.gone:
			return c.ended()
		}
	}
}

// reread reads the list again. When that fails the old one stays.
func (l *link) reread(ctx context.Context, c *conn) {
	lst, err := c.list(ctx, l.peer.tuning.start)
	if err != nil {
		l.peer.log.note("its list can't be read again: " + err.Error())
		return
	}
	l.peer.warn(lst)
	lst = l.peer.keep(lst)
	l.update(func(n *condition) { n.list = lst.judged(l.peer.config()) })
}

// restart begins a new round at once.
func (l *link) restart() {
	l.mu.Lock()
	redo := l.redo
	l.mu.Unlock()
	redo()
}

// close ends the connection for good and waits for it.
func (l *link) close() {
	l.end()
	<-l.done
}
