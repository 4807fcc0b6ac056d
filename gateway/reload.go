package gateway

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/httpapi"
	"github.com/toolcrib/toolcrib/internal/plugin"
)

// reloads is the state of reading the configuration again.
type reloads struct {
	mu   sync.Mutex // held while it is read and put in force
	last struct {
		sync.Mutex // never held while anything is read
		// read is the hash of the file that was read last, and failed why it is not
		// in force; "" when it is.
		read, failed string
	}
}

// note remembers how reading the file with a hash went, and returns what was
// wrong with the one before.
func (r *reloads) note(hash, failed string) (before string) {
	r.last.Lock()
	defer r.last.Unlock()
	before = r.last.failed
	r.last.read, r.last.failed = hash, failed
	return before
}

// state says which file was read last, and why it is not in force.
func (r *reloads) state() (read, failed string) {
	r.last.Lock()
	defer r.last.Unlock()
	return r.last.read, r.last.failed
}

// Reload reads the configuration again and puts it in force: policy and modes for
// all sessions, open ones too, and the MCP servers, of which only those that
// changed are restarted. Nothing changes when the new configuration can't be
// used; the error says why and where. An address to listen at stays as it is.
func (g *Gateway) Reload(context.Context) error {
	g.reloads.mu.Lock()
	defer g.reloads.mu.Unlock()
	former := g.settings.Load()
	hash := config.HashFile(former.config.Path)
	err := g.reload(former, hash)
	failed := ""
	if err != nil {
		failed = g.secrets.redact(err.Error())
	}
	if said := g.reloads.note(hash, failed); err != nil && failed != said {
		g.logger.Error("the configuration file can't be used; the former one stays in force", "file", former.config.Path, "error", failed)
	}
	return err
}

// reload does it, all or nothing.
func (g *Gateway) reload(former *settings, hash string) error {
	if g.reread == nil {
		return toolcrib.NewError(toolcrib.KindConfig, "this gateway was not made from a configuration file", "give Options.ConfigFile")
	}
	c, warnings, err := g.reread()
	if err != nil {
		return err
	}
	if former.config.Found && !c.Found {
		return toolcrib.NewError(toolcrib.KindConfig, c.Path+" is gone", "put it back, or write {} into it to say that everything is as by default")
	}
	if c.Blank && !former.config.Blank {
		return toolcrib.NewError(toolcrib.KindConfig, c.Path+" is empty", "write {} into it to say that everything is as by default")
	}
	now, err := newSettings(c, warnings, hash, g.programmed)
	if err != nil {
		return err
	}
	now.plugins = g.choosePlugins(c, former.plugins)
	if now.hooks, err = g.hooked(c, now.plugins); err != nil {
		return err
	}
	if err := g.doors.check(now); err != nil {
		return err
	}
	redactor, err := g.redactor(c)
	if err != nil {
		return err
	}
	g.secrets.hide(c.Redact)
	g.recorder.log.Use(redactor, c.Sessions.Args)
	g.settings.Store(now) // before the servers: what is new is under the new policy at once
	change, err := g.servers.Update(now.servers)
	if err != nil {
		g.settings.Store(former)
		return err
	}
	if _, err := g.plugins.Update(now.plugins.used()); err != nil {
		return err
	}
	g.warnOfPlugins(former.plugins, now.plugins)
	if former.config.Gateway.Token != c.Gateway.Token {
		g.door.End(httpapi.StaticCaller)
	}
	g.results.SetReplyBytes(replyBytes(c))
	g.logReload(former, now, change)
	g.changed()
	return nil
}

// failure says why the file that was read last is not in force, "" when it is.
func (g *Gateway) failure() string {
	_, failed := g.reloads.state()
	return failed
}

// watchEvery is how often Watch looks at the file.
const watchEvery = 500 * time.Millisecond

// Watch reads the configuration again whenever its file has changed, until ctx
// ends. It looks twice a second, which works on every file system and with every
// way to save a file; one that is being written is read when it has stopped
// changing. A gateway without a configuration file has nothing to watch.
func (g *Gateway) Watch(ctx context.Context) {
	path := g.settings.Load().config.Path
	if path == "" || g.reread == nil {
		return
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	seen, changed := glanceAt(path), true // it may have changed since it was read
	installed := quiet{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if installed.settled(plugin.Glance(g.settings.Load().config.Plugins.Paths)) {
			g.catchUpPlugins()
		}
		now := glanceAt(path)
		switch {
		case now != seen: // and wait until it is quiet
			seen, changed = now, true
		case changed:
			changed = false
			g.catchUp(ctx, path)
		}
	}
}

// catchUp reads a file again whose bytes are not those that were read last.
func (g *Gateway) catchUp(ctx context.Context, path string) {
	hash := config.HashFile(path)
	if read, _ := g.reloads.state(); read != hash {
		_ = g.Reload(ctx) // which says itself what is wrong
	}
}

// quiet notices when what is looked at has changed and then stopped changing.
type quiet struct {
	seen    string
	changed bool
}

// settled is told each look, and reports whether it is time to read.
func (q *quiet) settled(now string) bool {
	if now != q.seen {
		q.seen, q.changed = now, true
		return false
	}
	due := q.changed
	q.changed = false
	return due
}

// glance is what a look at a file tells without reading it.
type glance struct {
	size     int64
	modified time.Time
	missing  bool
}

// glanceAt looks at the file that a path leads to.
func glanceAt(path string) glance {
	info, err := os.Stat(path)
	if err != nil {
		return glance{missing: errors.Is(err, fs.ErrNotExist)}
	}
	return glance{size: info.Size(), modified: info.ModTime()}
}
