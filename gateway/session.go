package gateway

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// SessionOptions says who opens a session and what it wants.
type SessionOptions struct {
	// Scope is the caller. An empty Agent means toolcrib.DefaultAgent, an empty
	// Door DoorAgent, and an empty Session a fresh one.
	Scope toolcrib.Scope
	// Mode is the mode asked for: "direct", "tools", "code", "directory", "auto",
	// or empty for the configured one. A configuration that switches Tool
	// Search off allows "direct" alone.
	Mode string
	// Allow and Deny narrow what the session may use, as patterns of the
	// configuration do; an empty Allow allows all that the rest of policy leaves.
	Allow, Deny []string
	// Changed is called when the session's tools may have changed; it must not
	// block. Nil for a caller that asks anew each time.
	Changed func()

	version string // of the client
}

// Session is one caller's view of the gateway. It is safe for concurrent use.
type Session struct {
	gateway *Gateway
	scope   toolcrib.Scope
	wish    string          // the mode that the caller named; may be empty
	fixed   toolsearch.Mode // the mode whatever is asked and configured; "" for most
	finder  string          // what finds more tools, where no model asks
	version string          // of the client
	changed func()

	mu      sync.Mutex
	ruled   *settings // what agent and asked are of
	agent   *agent
	asked   toolsearch.Mode
	decided toolsearch.Mode // the mode, once it has been chosen
	seen    uint64          // the gateway's generation that now is of
	along   string          // the fingerprint of what the caller sent along for it
	now     *toolsearch.Surface
	shown   *Surface // now, as a program sees it
	catalog *catalog.Catalog
}

// Open opens a session. It fails with KindNotFound for an agent that is not
// configured and with KindInput for a mode that is not allowed or a list that
// can't be read. It waits for no
// server: that is Surface's to do.
func (g *Gateway) Open(o SessionOptions) (*Session, error) {
	if o.Scope.Agent == "" {
		o.Scope.Agent = toolcrib.DefaultAgent
	}
	if o.Scope.Door == "" {
		o.Scope.Door = toolcrib.DoorAgent
	}
	if o.Scope.Session == "" {
		o.Scope.Session = newID()
	}
	now := g.settings.Load()
	a, err := now.agents.named(o.Scope.Agent)
	if err != nil {
		return nil, err
	}
	mode, err := a.mode(o.Mode)
	if err != nil {
		return nil, err
	}
	if o.Scope, err = o.narrowed(a); err != nil {
		return nil, err
	}
	s := &Session{gateway: g, scope: o.Scope, wish: o.Mode, version: o.version, changed: o.Changed, ruled: now, agent: a, asked: mode}
	if !g.sessions.add(s) {
		return nil, toolcrib.NewError(toolcrib.KindUnavailable, "the gateway is shutting down", "connect again once it is back")
	}
	return s, nil
}

// Scope says who the session's caller is.
func (s *Session) Scope() toolcrib.Scope { return s.scope }

// Surface returns the present surface. While nothing has changed it is the same
// one, and costs next to nothing. The first time it waits, at most two seconds,
// for servers that have never answered.
func (s *Session) Surface(ctx context.Context) *Surface {
	now := s.surface(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown == nil || s.shown.inner != now {
		s.shown = newSurface(now)
	}
	return s.shown
}

// surface is Surface as the gateway's own parts use it.
func (s *Session) surface(ctx context.Context) *toolsearch.Surface {
	surface, _ := s.surfaceWith(ctx)
	return surface
}

// surfaceWith is the surface with tools in it that the caller has sent along, and
// the catalog that it shows.
func (s *Session) surfaceWith(ctx context.Context, along ...toolcrib.Listing) (*toolsearch.Surface, *catalog.Catalog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	generation := s.gateway.generation.Load()
	s.obey(s.gateway.settings.Load())
	var sent strings.Builder
	for _, l := range along {
		sent.WriteString(l.Fingerprint + " ")
	}
	if s.now != nil && s.seen == generation && s.along == sent.String() {
		return s.now, s.catalog
	}
	s.along = sent.String()
	c := s.agent.plan(s.gateway.planner, append(s.gateway.listings(ctx, s.scope), along...), s.scope)
	if s.now == nil || !sameView(s.catalog, c) {
		s.now, s.catalog = s.open(c), c
	}
	if ctx.Err() == nil { // a list that was cut short is asked for again
		s.seen = generation
	}
	return s.now, s.catalog
}

// obey makes settings that have come into force hold for the session too. Its mode
// stays as it was decided unless the configuration asks for another one now.
func (s *Session) obey(now *settings) {
	if s.ruled == now {
		return
	}
	a, err := now.agents.named(s.scope.Agent)
	if err != nil {
		a = nobody(s.scope.Agent)
	}
	mode, err := a.mode(s.wish)
	if err != nil { // what the caller named isn't allowed any more
		mode = toolsearch.ModeDirect
	}
	if mode != s.asked || a.direct(s.scope) != s.agent.direct(s.scope) || a.search.SplitCalls != s.agent.search.SplitCalls {
		s.decided = ""
	}
	s.ruled, s.agent, s.asked = now, a, mode
	s.now = nil // bounds and texts may be others
}

// sameView reports whether two catalogs look alike to a model.
func sameView(a, b *catalog.Catalog) bool {
	same := func(x, y *toolcrib.Withheld) bool { return x.Tool.ID == y.Tool.ID && x.Reason == y.Reason }
	return a.Fingerprint() == b.Fingerprint() && slices.Equal(a.Outages(), b.Outages()) && slices.EqualFunc(a.Withheld(), b.Withheld(), same)
}

// Close ends the session: what was kept for it is dropped. It may be called twice.
func (s *Session) Close() {
	if !s.gateway.sessions.remove(s) {
		return
	}
	s.mu.Lock()
	begun := s.decided != ""
	s.mu.Unlock()
	if begun {
		s.gateway.recorder.end(s.scope)
	}
	s.gateway.servers.EndSession(s.scope.Session)
	s.gateway.pins.forgetSession(s.scope.Session)
	s.gateway.results.EndSession(s.scope.Session)
}
