package gateway

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/hook"
	"github.com/toolcrib/toolcrib/internal/plugin"
	plugins "github.com/toolcrib/toolcrib/internal/source/plugin"
)

// startPlugins finds the plugins of the first configuration, puts their hooks in
// force and starts their programs. fixed and more are the sources that own plugin
// ids already.
func (g *Gateway) startPlugins(ctx context.Context, o Options, fixed []owned, more []source) (err error) {
	g.taken = func(id string) bool { return ownsPlugin(ctx, fixed, more, id) }
	first := g.settings.Load()
	first.plugins = g.choosePlugins(first.config, pluginSet{})
	if first.hooks, err = g.hooked(first.config, first.plugins); err != nil {
		return err
	}
	g.warnOfPlugins(pluginSet{}, first.plugins)
	options := plugins.Options{
		Plugins: first.plugins.used(), Environ: o.Environ, Logger: g.logger, Redact: g.secrets.redact,
		OnChange: func(string) { g.changed() }, Version: o.Version,
	}
	if o.CacheDir != "" {
		options.CacheDir = filepath.Join(o.CacheDir, "plugins")
	}
	if o.StateDir != "" {
		options.LogDir = filepath.Join(o.StateDir, "logs", "plugins")
	}
	g.plugins, err = plugins.New(options)
	return err
}

// ownsPlugin reports whether one of the sources has tools of plugin:ID.
func ownsPlugin(ctx context.Context, fixed []owned, more []source, id string) bool {
	for _, f := range fixed {
		for o := range f.owners {
			if o.Source == toolcrib.SourcePlugin && strings.EqualFold(o.Owner, id) {
				return true
			}
		}
	}
	return slices.ContainsFunc(more, func(s source) bool {
		return slices.ContainsFunc(s.Listings(ctx, toolcrib.Scope{}), func(l toolcrib.Listing) bool {
			return l.Source == toolcrib.SourcePlugin && strings.EqualFold(l.Owner, id)
		})
	})
}

// choosePlugins looks for the plugins of a configuration.
func (g *Gateway) choosePlugins(c *config.Config, former pluginSet) pluginSet {
	return chooser{
		config: c.Plugins, former: former, taken: g.taken,
		check: func(all []hook.Hook) error {
			_, err := hook.New(hook.Options{Hooks: all, Host: g.hooks.host, Matcher: matcher})
			return err
		},
	}.choose()
}

// warnOfPlugins logs what is wrong with plugins and was not before.
func (g *Gateway) warnOfPlugins(former, now pluginSet) {
	said := map[string]bool{}
	for _, text := range former.complaints() {
		said[text] = true
	}
	for _, text := range now.complaints() {
		if !said[text] {
			g.logger.Warn(text)
		}
	}
}

// complaints say what is wrong, one a line. A plugin that is switched off is in order.
func (s pluginSet) complaints() []string {
	texts := slices.Clone(s.warnings)
	for _, f := range s.all {
		if f.why != "" && f.state != toolcrib.StateDisabled {
			texts = append(texts, "plugin "+f.ID+" in "+f.Dir+": "+f.why)
		}
	}
	return texts
}

// catchUpPlugins reads the plugins again when their files have changed, under the
// configuration that is in force.
func (g *Gateway) catchUpPlugins() {
	g.reloads.mu.Lock()
	defer g.reloads.mu.Unlock()
	former := g.settings.Load()
	if plugin.Glance(former.config.Plugins.Paths) == former.plugins.glance {
		return
	}
	now := *former
	now.plugins = g.choosePlugins(now.config, former.plugins)
	var err error
	if now.hooks, err = g.hooked(now.config, now.plugins); err != nil {
		g.logger.Error("the plugins can't be read again; the former ones stay in force", "error", g.secrets.redact(err.Error()))
		return
	}
	g.settings.Store(&now) // hooks first: what is new is under them at once
	change, err := g.plugins.Update(now.plugins.used())
	if err != nil {
		g.settings.Store(former)
		g.logger.Error("the plugins can't be replaced", "error", err)
		return
	}
	g.logger.Info("the plugins were read again", "added", change.Added, "changed", change.Changed, "removed", change.Removed)
	g.warnOfPlugins(former.plugins, now.plugins)
	g.changed()
}

// pluginHooks are the hooks of all plugins that are in use.
func (s pluginSet) hooks() ([]hook.Hook, error) {
	var all []hook.Hook
	for _, p := range s.used() {
		made, err := pluginHooks(p)
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
	}
	return all, nil
}
