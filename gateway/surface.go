package gateway

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/invoke"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// open makes the surface of a catalog. The mode is chosen with the session's
// first catalog and then stays.
func (s *Session) open(c *catalog.Catalog) *toolsearch.Surface {
	a, scope := s.agent, s.scope
	allow := func(t *toolcrib.Tool) bool { return a.decide(t, scope).Allowed }
	choice, err := toolsearch.Choose(toolsearch.ChooseOptions{
		Configured: s.wanted(), Catalog: c, Split: a.search.SplitCalls, AllowControl: allow,
		CodeRuntime: func() error { _, err := s.gateway.runtimes.of(a.search); return err },
	})
	if err != nil { // the mode was checked when the session was opened
		s.gateway.logger.Error("choosing the mode", "error", err)
		choice.Mode, choice.Session = toolsearch.ModeDirect, toolsearch.ModeDirect
	}
	first := s.decided == ""
	if first {
		s.decided = choice.Session
		level := slog.LevelInfo
		if s.scope.Door == toolcrib.DoorCLI {
			level = slog.LevelDebug // the operator's own commands
		}
		s.gateway.logger.Log(context.Background(), level, "session opened", "agent", a.id, "door", s.scope.Door, "client", s.scope.Client,
			"mode", choice.Mode, "reason", choice.Reason, "tools", c.Len())
	}
	l := s.look(a, choice.Mode)
	surface := s.gateway.surfaceOf(a, c, l)
	measure := func() *session.Shown { return s.gateway.measure(surface, c, l) }
	if first {
		s.gateway.recorder.start(scope, measure)
	} else {
		s.gateway.recorder.list(scope, measure)
	}
	return surface
}

// surfaceOf returns the surface of a catalog with a look, shared by the agent's sessions.
func (g *Gateway) surfaceOf(a *agent, c *catalog.Catalog, l look) *toolsearch.Surface {
	return a.surface(c, l, func() *toolsearch.Surface { return g.show(a, c, l) })
}

// show makes the surface of a catalog, for all sessions of an agent.
func (g *Gateway) show(a *agent, c *catalog.Catalog, l look) *toolsearch.Surface {
	surface, err := toolsearch.Open(toolsearch.Options{
		Mode: l.mode, Split: l.split, Finder: l.finder, Directory: l.directory, Catalog: c, Index: g.indexes.of(c),
		Caller: caller{g.invoker.Bind(c)}, Keeper: g.results, Recorder: &g.recorder, Memory: g.memory,
		DefaultLimit: a.search.SearchDefaultLimit, MaxLimit: a.search.MaxSearchLimit, MaxResultBytes: a.maxResultBytes,
		Runner: runner{&g.runtimes, a.search}, CodeTimeout: time.Duration(a.search.CodeTimeoutMs) * time.Millisecond,
		Now: time.Now,
	})
	if err != nil {
		panic(err) // the options above are complete
	}
	for _, w := range slices.Concat(c.Warnings(), surface.Warnings()) {
		g.recorder.warn(w)
	}
	return surface
}

// look is what the session's surfaces in a mode look like. Where a directory is
// best shown depends on the client.
func (s *Session) look(a *agent, m toolsearch.Mode) look {
	l := look{mode: m, split: a.search.SplitCalls, finder: s.finder}
	if m != toolsearch.ModeDirectory {
		return l
	}
	l.directory.Untrusted = a.search.Directory.Untrusted
	if s.scope.Door == toolcrib.DoorMCP {
		l.directory = toolsearch.DirectoryFor(s.scope.Client, s.version, l.directory.Untrusted)
	}
	return l
}

// wanted is the mode to ask for: the decided one once there is one. A harness that
// searches by itself gets its tools directly, whatever is asked and configured.
func (s *Session) wanted() toolsearch.Mode {
	if s.fixed == "" && s.agent.direct(s.scope) {
		return toolsearch.ModeDirect
	}
	return cmp.Or(s.fixed, s.decided, s.asked)
}

// caller runs the tools of one catalog for a surface.
type caller struct{ bound *invoke.Bound }

// Call implements toolsearch.Caller.
func (c caller) Call(ctx context.Context, r toolsearch.Request) (toolcrib.Tool, toolcrib.Result, error) {
	return c.bound.Call(ctx, invoke.Request(r))
}
