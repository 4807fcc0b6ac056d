package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/child"
)

// Source is all configured MCP servers. Its methods may be called from any goroutine.
type Source struct {
	options  Options
	logger   *slog.Logger
	launcher *child.Launcher
	peers    atomic.Pointer[[]*peer] // by name; replaced whole
	stop     chan struct{}
	swept    chan struct{}
	once     sync.Once

	mu      sync.Mutex // held while the servers are replaced
	closed  bool
	leaving map[string]*peer // the newest of each name that is on its way out
	ending  sync.WaitGroup   // those that are on their way out
}

// New starts all enabled servers that sessions share, in the background, and
// returns at once. The error is of kind KindConfig; a server that can't be used
// is no error, but down with a reason.
func New(o Options) (*Source, error) {
	if err := checkNames(o.Servers); err != nil {
		return nil, err
	}
	s := newSource(o)
	if _, err := s.update(o.Servers); err != nil {
		return nil, err
	}
	go s.sweep()
	return s, nil
}

// newSource returns a source without servers.
func newSource(o Options) *Source {
	o.tuning, o.Servers = o.tuning.withDefaults(), nil
	s := &Source{
		options: o, logger: o.Logger, launcher: new(child.Launcher), stop: make(chan struct{}), swept: make(chan struct{}),
		leaving: map[string]*peer{},
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	s.peers.Store(&[]*peer{})
	return s
}

// all are the present servers, by name.
func (s *Source) all() []*peer { return *s.peers.Load() }

// during reads what the present servers say, and once more when they were
// replaced meanwhile: those that were say that they are on their way out.
func during[T any](s *Source, read func([]*peer) T) T {
	for {
		peers := s.peers.Load()
		if out := read(*peers); s.peers.Load() == peers {
			return out
		}
	}
}

// notify tells the owner that something about a server changed.
func (s *Source) notify(server string) {
	if s.options.OnChange != nil {
		s.options.OnChange(server)
	}
}

// find returns the server of a name.
func (s *Source) find(name string) (*peer, error) {
	for _, p := range s.all() {
		if p.config().Name == name {
			return p, nil
		}
	}
	return nil, toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("no MCP server is named %q", name), "")
}

// Listings returns what each server offers to a caller, in the order of their
// names. It waits for a server without a remembered list until that was started
// 2 s ago, for the others not at all.
func (s *Source) Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing {
	return during(s, func(peers []*peer) []toolcrib.Listing { return listings(ctx, peers, scope) })
}

// Shared is what is known by now of what servers offer that have one connection for
// all sessions, and what is remembered of the others: nothing is started or waited for.
func (s *Source) Shared() []toolcrib.Listing {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	return during(s, func(peers []*peer) []toolcrib.Listing {
		out := make([]toolcrib.Listing, len(peers))
		for i, p := range peers {
			if p.config().perSession() {
				out[i] = p.listing(p.still())
				continue
			}
			out[i] = listings(done, peers[i:i+1], toolcrib.Scope{})[0]
		}
		return out
	})
}

// listings is what servers offer.
func listings(ctx context.Context, peers []*peer, scope toolcrib.Scope) []toolcrib.Listing {
	out := make([]toolcrib.Listing, len(peers))
	links := make([]*link, len(peers))
	for i, p := range peers {
		now := p.still()
		if p.usable() {
			var err error
			if links[i], err = p.link(scope.Session); err != nil {
				now.state, now.reason = toolcrib.StateDown, err.Error()
			}
		}
		out[i] = p.listing(now)
	}
	for i, p := range peers {
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
	config := p.config()
	out := toolcrib.Listing{
		Source: toolcrib.SourceMCP, Owner: config.Name, State: c.state, Reason: p.source.options.redact(c.reason), ToolPrefix: config.Name,
	}
	if config.Prefix != nil {
		out.ToolPrefix, out.NoPrefix = *config.Prefix, *config.Prefix == ""
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
	during(s, func(peers []*peer) struct{} {
		for _, p := range peers {
			if !p.usable() {
				continue
			}
			if l, err := p.link(scope.Session); err == nil {
				l.await(ctx, func(c condition) bool { return c.settled > 0 })
			}
		}
		return struct{}{}
	})
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
	for {
		p, err := s.find(server)
		if err != nil {
			return err
		}
		if err := p.restart(ctx); !errors.Is(err, errReplaced) {
			return err
		}
	}
}

// restart is Restart of one server.
func (p *peer) restart(ctx context.Context) error {
	if !p.usable() {
		_, reason := p.resting()
		return toolcrib.NewError(toolcrib.KindUnavailable, fmt.Sprintf("%s can't be started: %s", p.config().called(), reason), "")
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
		switch {
		case now.state == toolcrib.StateReady:
		case p.left() != "" && ctx.Err() == nil:
			return errReplaced
		default:
			return p.unavailable(now)
		}
	}
	return nil
}

// EndSession ends the connections that servers have for one session alone. It
// doesn't wait for the servers to leave.
func (s *Source) EndSession(session string) {
	for _, p := range s.all() {
		if p.config().perSession() {
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
			for _, p := range s.all() {
				p.dropIdle(time.Now().Add(-s.options.tuning.idle))
			}
		case <-s.stop:
			return
		}
	}
}

// Close ends all servers, each within about 5 s, and waits for that, as for those
// that were replaced or removed before.
func (s *Source) Close() error {
	s.once.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		close(s.stop)
		<-s.swept
		var wait sync.WaitGroup
		for _, p := range s.all() {
			wait.Go(p.close)
		}
		wait.Wait()
		s.ending.Wait()
		s.launcher.Close()
	})
	return nil
}
