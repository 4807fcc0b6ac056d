package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Source is all configured MCP servers. Its methods may be called from any goroutine.
type Source struct {
	options  Options
	logger   *slog.Logger
	launcher launcher
	peers    []*peer // by name
	stop     chan struct{}
	swept    chan struct{}
	once     sync.Once
}

// New starts all enabled servers that sessions share, in the background, and
// returns at once. The error is of kind KindConfig; a server that can't be used
// is no error, but down with a reason.
func New(o Options) (*Source, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.tuning = o.tuning.withDefaults()
	s := &Source{options: o, logger: o.Logger, launcher: newLauncher(), stop: make(chan struct{}), swept: make(chan struct{})}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	for _, config := range o.Servers {
		s.peers = append(s.peers, newPeer(s, config))
	}
	slices.SortFunc(s.peers, func(a, b *peer) int { return strings.Compare(a.config.Name, b.config.Name) })
	for _, p := range s.peers {
		if p.usable() && !p.config.perSession() {
			_, _ = p.link("")
		}
	}
	go s.sweep()
	return s, nil
}

// notify tells the owner that something about a server changed.
func (s *Source) notify(server string) {
	if s.options.OnChange != nil {
		s.options.OnChange(server)
	}
}

// find returns the server of a name.
func (s *Source) find(name string) (*peer, error) {
	for _, p := range s.peers {
		if p.config.Name == name {
			return p, nil
		}
	}
	return nil, toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("no MCP server is named %q", name), "")
}

// Listings returns what each server offers to a caller, in the order of their
// names. It waits for a server without a remembered list until that was started
// 2 s ago, for the others not at all.
func (s *Source) Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing {
	out := make([]toolcrib.Listing, len(s.peers))
	links := make([]*link, len(s.peers))
	for i, p := range s.peers {
		now := p.still()
		if p.usable() {
			var err error
			if links[i], err = p.link(scope.Session); err != nil {
				now.state, now.reason = toolcrib.StateDown, err.Error()
			}
		}
		out[i] = p.listing(now)
	}
	for i, p := range s.peers {
		if links[i] != nil {
			links[i].touch()
			out[i] = p.listing(links[i].first(ctx))
		}
	}
	return out
}

// first waits for the first list of a link, not longer than firstList after its start.
func (l *link) first(ctx context.Context) condition {
	now, _ := l.snapshot()
	ctx, cancel := context.WithDeadline(ctx, now.began.Add(l.peer.tuning.firstList))
	defer cancel()
	return l.await(ctx, func(c condition) bool { return c.list != nil || c.settled > 0 })
}

// listing is a condition as the catalog sees it.
func (p *peer) listing(c condition) toolcrib.Listing {
	out := toolcrib.Listing{
		Source: toolcrib.SourceMCP, Owner: p.config.Name, State: c.state, Reason: c.reason, ToolPrefix: p.config.Name,
	}
	if p.config.Prefix != nil {
		out.ToolPrefix, out.NoPrefix = *p.config.Prefix, *p.config.Prefix == ""
	}
	if c.list != nil && c.state != toolcrib.StateDisabled {
		out.Tools, out.Fingerprint, out.Known = c.list.tools, c.list.fingerprint, true
	} else {
		out.Fingerprint = fingerprint(nil)
	}
	return out
}

// Settle waits until each started server is ready or has failed once, or the
// context ends. It is for programs that list once and leave.
func (s *Source) Settle(ctx context.Context, scope toolcrib.Scope) {
	for _, p := range s.peers {
		if !p.usable() {
			continue
		}
		if l, err := p.link(scope.Session); err == nil {
			l.await(ctx, func(c condition) bool { return c.settled > 0 })
		}
	}
}

// Log returns the newest n lines of a server's log, oldest first; n <= 0
// returns all that are held in memory.
func (s *Source) Log(server string, n int) ([]string, error) {
	p, err := s.find(server)
	if err != nil {
		return nil, err
	}
	return p.log.lines(n), nil
}

// Restart ends a server's connections and starts them anew at once. It returns
// when the server is ready, or the reason why it is not.
func (s *Source) Restart(ctx context.Context, server string) error {
	p, err := s.find(server)
	if err != nil {
		return err
	}
	if !p.usable() {
		_, reason := p.resting()
		return toolcrib.NewError(toolcrib.KindUnavailable, fmt.Sprintf("server %q can't be started: %s", server, reason), "")
	}
	links := p.all()
	before := make([]int, len(links))
	for i, l := range links {
		now, _ := l.snapshot()
		before[i] = now.settled
		l.restart()
	}
	for i, l := range links {
		now := l.await(ctx, func(c condition) bool { return c.settled > before[i] })
		if now.state != toolcrib.StateReady {
			return p.unavailable(now)
		}
	}
	return nil
}

// EndSession ends the connections that servers have for one session alone. It
// doesn't wait for the servers to leave.
func (s *Source) EndSession(session string) {
	for _, p := range s.peers {
		if p.config.perSession() {
			p.drop(session)
		}
	}
}

// sweep closes connections of sessions that have not been used for long.
func (s *Source) sweep() {
	defer close(s.swept)
	tick := time.NewTicker(max(s.options.tuning.idle/10, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for _, p := range s.peers {
				p.dropIdle(time.Now().Add(-s.options.tuning.idle))
			}
		case <-s.stop:
			return
		}
	}
}

// Close ends all servers, each within about 5 s, and waits for that.
func (s *Source) Close() error {
	s.once.Do(func() {
		close(s.stop)
		<-s.swept
		var wait sync.WaitGroup
		for _, p := range s.peers {
			wait.Go(p.close)
		}
		wait.Wait()
		s.launcher.close()
	})
	return nil
}
