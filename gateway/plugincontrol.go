package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	plugins "github.com/toolcrib/toolcrib/internal/source/plugin"
)

// Plugins implements httpapi.Control. Plugins that were put there a moment ago are
// in it.
func (c control) Plugins(context.Context) (client.PluginList, error) {
	c.catchUpPlugins()
	now := c.settings.Load()
	status := map[string]plugins.Status{}
	for _, s := range c.plugins.Status() {
		status[s.Name] = s
	}
	list := client.PluginList{Plugins: []client.Plugin{}, Paths: now.config.Plugins.Paths, Warnings: now.plugins.warnings}
	for _, f := range now.plugins.all {
		list.Plugins = append(list.Plugins, c.wirePlugin(f, status[f.ID]))
	}
	return list, nil
}

// wirePlugin is a plugin as the control API sends it; s is that of one in use.
func (c control) wirePlugin(f foundPlugin, s plugins.Status) client.Plugin {
	p := client.Plugin{ID: f.ID, Path: f.Dir, State: f.state, Reason: c.secrets.redact(f.why), Tools: []string{}, Hooks: []string{}}
	if m := f.Manifest; m != nil {
		p.Version, p.Description = m.Version, m.Description
	}
	if f.used == nil {
		return p
	}
	p.Version, p.Description = f.used.Version, f.used.Description
	for _, h := range f.used.Hooks {
		if h.Enabled {
			p.Hooks = append(p.Hooks, h.Name)
		}
	}
	p.Tools = append(p.Tools, s.Names...)
	p.State, p.PID, p.Restarts, p.Since, p.NextTry, p.Warnings = s.State, s.PID, s.Restarts, when(s.Since), when(s.NextTry), s.Warnings
	if s.Reason != "" {
		p.Reason = strings.TrimPrefix(p.Reason+"; "+s.Reason, "; ")
	}
	return p
}

// PluginLogs implements httpapi.Control.
func (c control) PluginLogs(_ context.Context, id string, n int) ([]string, error) {
	if p := c.settings.Load().plugins.find(id); p == nil {
		return nil, noPlugin(id)
	} else if p.Command == "" {
		return nil, nil
	}
	return c.plugins.Log(id, n)
}

// RestartPlugin implements httpapi.Control.
func (c control) RestartPlugin(ctx context.Context, id string) (client.Plugin, error) {
	p := c.settings.Load().plugins.find(id)
	if p == nil {
		return client.Plugin{}, noPlugin(id)
	}
	if p.Command != "" {
		if err := c.plugins.Restart(ctx, id); err != nil {
			return client.Plugin{}, err
		}
	}
	list, err := c.Plugins(ctx)
	for _, one := range list.Plugins {
		if one.ID == id {
			return one, err
		}
	}
	return client.Plugin{}, noPlugin(id)
}

func noPlugin(id string) error {
	return toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("no plugin with the id %q is in use", id), "see: toolcrib plugins list")
}
