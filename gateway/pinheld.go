package gateway

import (
	"context"
	"maps"

	"github.com/toolcrib/toolcrib"
)

// heldKey is a server, and a session where each has a connection of its own.
type heldKey struct{ server, session string }

// held is what is withheld of the newest list of a server.
type held struct {
	generation uint64            // of the gateway, before the list was asked for
	reasons    map[string]string // by tool
}

// key is where the verdicts on a server's list are held.
func (r pinRule) key(server, session string) heldKey {
	if !r.perSession {
		session = ""
	}
	return heldKey{server, session}
}

// hold notes what is withheld of a list, unless a newer one was judged already.
func (p *pinner) hold(key heldKey, now held) {
	p.verdicts.Lock()
	defer p.verdicts.Unlock()
	if now.generation >= p.withheld[key].generation {
		p.withheld[key] = now
	}
}

// forgetSession drops what is held of a session's own connections.
func (p *pinner) forgetSession(session string) {
	p.verdicts.Lock()
	defer p.verdicts.Unlock()
	for key := range p.withheld {
		if key.session == session && session != "" {
			delete(p.withheld, key)
		}
	}
}

// holds returns what is withheld of a server's newest list.
func (p *pinner) holds(key heldKey) held {
	p.verdicts.RLock()
	defer p.verdicts.RUnlock()
	return p.withheld[key]
}

// blocked says why a tool that a catalog of before has can't be called any more, ""
// when it can. Lists that have changed since are judged first.
func (g *Gateway) blocked(t *toolcrib.Tool, scope toolcrib.Scope) string {
	r, ok := g.settings.Load().pinning[t.Owner]
	if !ok || t.Source != toolcrib.SourceMCP {
		return ""
	}
	key := r.key(t.Owner, scope.Session)
	if g.pins.holds(key).generation != g.generation.Load() {
		g.listings(g.runtimes.ctx, scope)
	}
	if why := g.pins.holds(key).reasons[t.Name]; why != "" {
		return "mcp.pinning: " + why + " (toolcrib servers review " + t.Owner + ")"
	}
	return ""
}

// judgeShared judges what servers with one connection for all sessions list now, for
// whoever asks what waits: it may be that no session has looked since they changed.
func (g *Gateway) judgeShared() {
	rules := maps.Clone(g.settings.Load().pinning)
	maps.DeleteFunc(rules, func(_ string, r pinRule) bool { return r.perSession })
	if len(rules) == 0 {
		return
	}
	generation := g.generation.Load()
	done, cancel := context.WithCancel(context.Background())
	cancel() // nothing is waited for
	var all []toolcrib.Listing
	for _, s := range g.sources {
		if s == source(g.servers) {
			all = append(all, g.servers.Shared()...)
			continue
		}
		all = append(all, s.Listings(done, toolcrib.Scope{})...)
	}
	g.pins.filter(done, rules, all, "", generation)
}
