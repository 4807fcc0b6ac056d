package mcp

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcrib/toolcrib"
)

// peer is one configured server with all connections to it: one, or one a session.
type peer struct {
	source *Source
	config *Server
	tuning tuning
	log    *serverLog
	cache  cache
	fault  string // what makes it unusable for good
	// legacy is set when the server died of server/discover, or never answered
	// it, and is asked by initialize the next time.
	legacy atomic.Bool

	mu     sync.Mutex
	links  map[string]*link // by session; "" alone when shared
	memory *list            // the last-known list
	loaded bool
	closed bool
	ending sync.WaitGroup // connections that are on their way out
}

// newPeer returns a server that isn't started.
func newPeer(s *Source, config Server) *peer {
	p := &peer{source: s, config: &config, tuning: s.options.tuning, links: map[string]*link{}}
	p.fault = p.config.prepare()
	p.log = newServerLog(s.options.LogDir, config.Name, s.options.redact)
	p.cache = cache{dir: s.options.CacheDir}
	return p
}

// usable reports whether the server may be started at all.
func (p *peer) usable() bool { return p.config.Enabled && p.fault == "" }

// remembered returns the last-known list, from disk the first time.
func (p *peer) remembered() *list {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.recall()
}

// recall is remembered with the lock held.
func (p *peer) recall() *list {
	if p.loaded {
		return p.memory
	}
	p.loaded = true
	l, err := p.cache.load(p.config)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			p.source.logger.Debug("a remembered list is ignored", "server", p.config.Name, "error", err)
		}
		return nil
	}
	p.memory = l
	return l
}

// keep remembers a list and returns the one to use: when the remembered one
// offers the same, all connections share its tools.
func (p *peer) keep(l *list) *list {
	p.mu.Lock()
	same := sameList(p.memory, l)
	if same {
		l = &list{tools: p.memory.tools, fingerprint: l.fingerprint, warnings: l.warnings}
	}
	p.memory, p.loaded = l, true
	p.mu.Unlock()
	if same {
		return l
	}
	if err := p.cache.save(p.config, l); err != nil {
		p.source.logger.Debug("a list can't be remembered", "server", p.config.Name, "error", err)
	}
	return l
}

// warn logs the warnings of a list.
func (p *peer) warn(l *list) {
	for _, w := range l.warnings {
		w = p.source.options.redact(printable(w))
		p.log.note("warning: " + w)
		p.source.logger.Warn("an MCP server's list has a fault", "server", p.config.Name, "fault", w)
	}
}

// words makes the reason of an error, without secrets.
func (p *peer) words(ctx context.Context, c *conn, err error) string {
	return p.source.options.redact(reasonFor(ctx, p.config, c, err, p.log))
}

// errReason is an error whose text is a reason for people.
type errReason string

func (e errReason) Error() string { return string(e) }

// open connects to the server and reads its list. The error is a reason in words.
// The context must live as long as the connection.
func (p *peer) open(ctx context.Context, limit time.Duration) (*conn, *list, error) {
	p.log.forget()
	ctx, cancel := context.WithCancelCause(ctx)
	var c *conn
	var err error
	quiet, total := p.patience(limit)
	watch := newWatch(cancel, quiet, total)
	if p.config.URL != "" {
		c, err = dial(ctx, p.config, &p.source.options, p.log)
	} else {
		c, err = p.spawn(ctx, watch)
	}
	var l *list
	if err == nil {
		l, err = c.list(ctx, p.tuning.startMax)
	}
	watch.stop()
	if err == nil && ctx.Err() == nil {
		p.warn(l)
		c.release = func() { cancel(nil) }
		return c, l, nil
	}
	if c != nil {
		c.linger(err)
		c.close(p.tuning.grace)
	}
	reason := p.words(ctx, c, err)
	cancel(nil)
	return nil, nil, errReason(reason)
}

// patience is how long a start may be silent, and how long it may take in all.
// Commands that fetch a program before they run it are silent meanwhile, and
// starting them over makes it worse.
func (p *peer) patience(limit time.Duration) (quiet, total time.Duration) {
	if p.config.URL != "" {
		return limit, limit
	}
	total = max(limit, p.tuning.startMax)
	fetchers := []string{"npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "bun", "uvx", "uv", "pipx", "docker", "podman", "deno"}
	if slices.Contains(fetchers, programName(p.config.Command)) {
		return total, total
	}
	return limit, total
}

// spawn starts a local server and connects to it.
func (p *peer) spawn(ctx context.Context, w *watch) (*conn, error) {
	proc, err := startProcess(p.source.launcher, p.config, p.source.options.Environ, p.log)
	if err != nil {
		return nil, err
	}
	w.follow(proc)
	c := newConn(p.config)
	c.process = proc
	var once sync.Once
	stray := func(line string) {
		p.log.note("stdout holds what is no message: " + line)
		once.Do(func() {
			p.source.logger.Warn("an MCP server writes to stdout what is no message", "server", p.config.Name,
				"line", p.source.options.redact(printable(clip(line, 200))))
		})
	}
	t := newPipe(proc, c.tap, p.tuning.discover, stray)
	err = c.connect(ctx, t, p.source.options.Version, p.legacy.Load(), p.log.note)
	if err != nil {
		p.legacy.Store(!p.legacy.Load())
	}
	return c, err
}

// resting is the state of a peer that has no link.
func (p *peer) resting() (toolcrib.State, string) {
	switch {
	case !p.config.Enabled:
		return toolcrib.StateDisabled, "it is switched off in the configuration"
	case p.fault != "":
		return toolcrib.StateDown, p.fault
	}
	return toolcrib.StateStarting, "it starts when a session first uses it"
}
