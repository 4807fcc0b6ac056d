package mcp

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcrib/toolcrib"
)

// peer is one configured server with all connections to it: one, or one a session.
type peer struct {
	source *Source
	conf   atomic.Pointer[Server]
	tuning tuning
	log    *serverLog
	cache  cache
	// after is closed when the former servers of this name have ended; nil when
	// there was none.
	after <-chan struct{}
	// done is closed when this one and those before it have ended.
	done chan struct{}
	// odd is told of the first line on stdout that is no message.
	odd func(line string)
	// legacy is set when the server died of server/discover, or never answered
	// it, and is asked by initialize the next time.
	legacy atomic.Bool

	mu     sync.Mutex
	links  map[string]*link // by session; "" alone when shared
	memory *list            // the last-known list
	loaded bool
	closed bool
	why    string         // it left before the source was closed
	ending sync.WaitGroup // connections that are on their way out
}

// newPeer returns a server that isn't started. It follows a former one of its
// name; nil when there is none.
func newPeer(s *Source, config *Server, former *peer) *peer {
	p := &peer{source: s, tuning: s.options.tuning, links: map[string]*link{}, done: make(chan struct{})}
	p.conf.Store(config)
	p.cache = cache{dir: s.options.CacheDir}
	p.odd = func(line string) {
		s.logger.Warn("an MCP server writes to stdout what is no message", "server", config.Name, "line", line)
	}
	if former != nil {
		p.after = former.done
	}
	if former != nil && former.config().Name == config.Name {
		p.log = former.log.heir()
	} else {
		p.log = newServerLog(s.options.LogDir, config.Name, s.options.redact)
	}
	return p
}

// config is the configuration that is in force.
func (p *peer) config() *Server { return p.conf.Load() }

// usable reports whether the server may be started at all.
func (p *peer) usable() bool { return p.config().usable() }

// start connects to a server that all sessions share, in the background.
func (p *peer) start() {
	if p.usable() && !p.config().perSession() {
		_, _ = p.link("")
	}
}

// apply puts a configuration in force that needs no other connection.
func (p *peer) apply(s *Server) {
	p.conf.Store(s)
	p.mu.Lock()
	p.memory = p.memory.judged(s)
	memory := p.memory
	p.mu.Unlock()
	for _, l := range p.all() {
		l.update(func(n *condition) { n.list = n.list.judged(s).sharing(memory) })
	}
}

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
	l, err := p.cache.load(p.config())
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			p.source.logger.Debug("a remembered list is ignored", "server", p.config().Name, "error", err)
		}
		return nil
	}
	p.memory = l
	return l
}

// keep remembers a list that was read and returns the one to use: judged, and
// when the remembered one offers the same, with its tools.
func (p *peer) keep(l *list) *list {
	p.mu.Lock()
	known := p.memory != nil && p.memory.mark == l.mark
	l = l.judged(p.config()).sharing(p.memory)
	p.memory, p.loaded = l, true
	p.mu.Unlock()
	if known {
		return l
	}
	if err := p.cache.save(p.config(), l); err != nil {
		p.source.logger.Debug("a list can't be remembered", "server", p.config().Name, "error", err)
	}
	return l
}

// warn logs the warnings of a list.
func (p *peer) warn(l *list) {
	for _, w := range p.shown(l.warnings) {
		p.log.note("warning: " + w)
		p.source.logger.Warn("an MCP server's list has a fault", "server", p.config().Name, "fault", w)
	}
}

// diagnose explains an error, without secrets.
func (p *peer) diagnose(ctx context.Context, c *conn, err error) diagnosis {
	return diagnose(ctx, p.config(), c, err, p.log).redacted(p.source.options.redact)
}

// open connects to the server and reads its list. The error is a diagnosis.
// The context must live as long as the connection.
func (p *peer) open(ctx context.Context, limit time.Duration) (*conn, *list, error) {
	p.log.forget()
	ctx, cancel := context.WithCancelCause(ctx)
	var c *conn
	var err error
	quiet, total := p.patience(limit)
	watch := newWatch(cancel, quiet, total)
	if p.config().URL != "" {
		c, err = dial(ctx, p.config(), &p.source.options, p.log)
	} else {
		c, err = p.spawn(ctx, watch)
	}
	var l *list
	if err == nil {
		p.source.options.pass(stageHandshake)
		l, err = c.list(ctx, p.tuning.startMax)
	}
	watch.stop()
	if err == nil && ctx.Err() == nil {
		p.source.options.pass(stageList)
		p.warn(l)
		c.release = func() { cancel(nil) }
		return c, l, nil
	}
	p.source.options.pass(stageFailed)
	if c != nil {
		c.linger(err)
		c.close(p.tuning.grace)
	}
	why := p.diagnose(ctx, c, err)
	cancel(nil)
	return nil, nil, why
}

// patience is how long a start may be silent, and how long it may take in all.
// Commands that fetch a program before they run it are silent meanwhile, and
// starting them over makes it worse.
func (p *peer) patience(limit time.Duration) (quiet, total time.Duration) {
	if p.config().URL != "" {
		return limit, limit
	}
	total = max(limit, p.tuning.startMax)
	if Fetches(p.config().Command) {
		return total, total
	}
	return limit, total
}

// spawn starts a local server and connects to it.
func (p *peer) spawn(ctx context.Context, w *watch) (*conn, error) {
	proc, err := startProcess(p.source.launcher, p.config(), p.source.options.Environ, p.log)
	if err != nil {
		return nil, err
	}
	w.follow(proc)
	p.source.options.pass(stageStart)
	c := newConn(p.config())
	c.process = proc
	var once sync.Once
	stray := func(line string) {
		p.log.note("stdout holds what is no message: " + line)
		once.Do(func() { p.odd(p.source.options.redact(printable(clip(line, 200)))) })
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
	case !p.config().Enabled:
		return toolcrib.StateDisabled, "it is switched off in the configuration"
	case p.config().fault != "":
		return toolcrib.StateDown, p.config().fault
	}
	return toolcrib.StateStarting, "it starts when a session first uses it"
}
