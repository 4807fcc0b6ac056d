package mcp

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib"
)

// link returns the connection that a session uses, started if there is none.
func (p *peer) link(session string) (*link, error) {
	if !p.config().perSession() {
		session = ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.links[session]; l != nil {
		return l, nil
	}
	if p.why != "" {
		return nil, errReplaced
	}
	if p.closed {
		return nil, toolcrib.NewError(toolcrib.KindUnavailable, "the gateway is stopping", "")
	}
	if p.config().perSession() && len(p.links) >= p.tuning.sessions {
		if !p.dropOldest() {
			return nil, toolcrib.NewError(toolcrib.KindLimit,
				fmt.Sprintf("server %q already serves %d sessions, all of them busy", p.config().Name, p.tuning.sessions), "end a session, or try again later")
		}
	}
	p.recall()
	l := newLink(p, p.memory)
	p.links[session] = l
	return l, nil
}

// dropOldest ends the connection that was unused for longest; false when all
// are busy. The lock is held.
func (p *peer) dropOldest() bool {
	var key string
	var at time.Time
	found := false
	for session, l := range p.links {
		if used, free := l.unused(); free && (!found || used.Before(at)) {
			key, at, found = session, used, true
		}
	}
	if found {
		p.end(key)
	}
	return found
}

// end takes a connection out and ends it in the background, since a server may
// take its time to leave. The lock is held; Close waits for what is under way.
func (p *peer) end(session string) {
	if l := p.links[session]; l != nil {
		delete(p.links, session)
		p.ending.Go(l.close)
	}
}

// all returns the connections, in a stable order.
func (p *peer) all() []*link {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*link
	for _, session := range slices.Sorted(maps.Keys(p.links)) {
		out = append(out, p.links[session])
	}
	return out
}

// drop ends the connection of a session.
func (p *peer) drop(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(session)
}

// dropIdle ends the connections of sessions that were not used since a time.
func (p *peer) dropIdle(since time.Time) {
	if !p.config().perSession() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for session, l := range p.links {
		if used, free := l.unused(); free && used.Before(since) {
			p.end(session)
		}
	}
}

// leave lets no connection begin any more, since the server is replaced or gone.
func (p *peer) leave(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.why = why
}

// left says why the server was replaced or removed; "" when it wasn't.
func (p *peer) left() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// close ends the server for good.
func (p *peer) close() {
	p.mu.Lock()
	p.closed = true
	for session := range p.links {
		p.end(session)
	}
	p.mu.Unlock()
	p.ending.Wait()
	p.log.close()
}
