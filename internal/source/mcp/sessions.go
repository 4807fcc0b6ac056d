package mcp

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
)

// link returns the connection that a session uses, started if there is none.
func (p *peer) link(session string) (*link, error) {
	if !p.config.perSession() {
		session = ""
	}
	p.mu.Lock()
	if l := p.links[session]; l != nil {
		p.mu.Unlock()
		return l, nil
	}
	if p.closed {
		p.mu.Unlock()
		return nil, toolcrib.NewError(toolcrib.KindUnavailable, "the gateway is stopping", "")
	}
	var out *link
	if p.config.perSession() && len(p.links) >= p.tuning.sessions {
		if out = p.oldest(); out == nil {
			p.mu.Unlock()
			return nil, toolcrib.NewError(toolcrib.KindLimit,
				fmt.Sprintf("server %q already serves %d sessions, all of them busy", p.config.Name, p.tuning.sessions), "end a session, or try again later")
		}
	}
	p.recall()
	l := newLink(p, p.memory)
	p.links[session] = l
	p.mu.Unlock()
	if out != nil {
		out.close()
	}
	return l, nil
}

// oldest takes the link out that was unused for longest; nil when all are busy. The lock is held.
func (p *peer) oldest() *link {
	var key string
	var found *link
	var at time.Time
	for session, l := range p.links {
		if used, free := l.unused(); free && (found == nil || used.Before(at)) {
			key, found, at = session, l, used
		}
	}
	if found != nil {
		delete(p.links, key)
	}
	return found
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
	l := p.links[session]
	delete(p.links, session)
	p.mu.Unlock()
	if l != nil {
		l.close()
	}
}

// dropIdle ends the connections of sessions that were not used since a time.
func (p *peer) dropIdle(since time.Time) {
	if !p.config.perSession() {
		return
	}
	var out []*link
	p.mu.Lock()
	for session, l := range p.links {
		if used, free := l.unused(); free && used.Before(since) {
			delete(p.links, session)
			out = append(out, l)
		}
	}
	p.mu.Unlock()
	closeLinks(out)
}

// closeLinks closes links at the same time.
func closeLinks(links []*link) {
	var wait sync.WaitGroup
	for _, l := range links {
		wait.Go(l.close)
	}
	wait.Wait()
}

// close ends the server for good.
func (p *peer) close() {
	p.mu.Lock()
	p.closed = true
	links := slices.Collect(maps.Values(p.links))
	clear(p.links)
	p.mu.Unlock()
	closeLinks(links)
	p.log.close()
}
