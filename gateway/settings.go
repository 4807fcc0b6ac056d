package gateway

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/hook"
	"github.com/toolcrib/toolcrib/internal/source/builtin/exec"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
)

// settings is all that one reading of the configuration decides. It is immutable
// and replaced whole when the file is read again.
type settings struct {
	config   *config.Config
	warnings []config.Warning
	hash     string // of the file as it was read
	agents   agents
	asking   askRuleSet
	commands exec.Settings
	hooks    *hook.Runner
	plugins  pluginSet
	servers  []mcp.Server
	timeouts map[string]time.Duration // of one call, by server
	pinning  map[string]pinRule       // of the servers that are pinned
}

// newSettings translates a configuration; programmed are the servers of the program.
func newSettings(c *config.Config, warnings []config.Warning, hash string, programmed map[string]Server) (*settings, error) {
	s := &settings{config: c, warnings: warnings, hash: hash, timeouts: map[string]time.Duration{}}
	var err error
	if s.agents, err = newAgents(c); err != nil {
		return nil, err
	}
	if s.asking, err = newAskRules(c); err != nil {
		return nil, err
	}
	var risky []config.Warning
	if s.commands, risky, err = newExecSettings(c); err != nil {
		return nil, err
	}
	s.warnings = slices.Concat(s.warnings, risky)
	if s.servers, err = allServers(c, programmed); err != nil {
		return nil, err
	}
	s.pinning = pinRules(c, s.servers)
	for _, server := range s.servers {
		s.timeouts[server.Name] = server.Timeout
	}
	return s, nil
}

// decide is policy as the invoker asks it.
func (g *Gateway) decide(t *toolcrib.Tool, scope toolcrib.Scope) (bool, string) {
	a, err := g.settings.Load().agents.named(scope.Agent)
	if err != nil {
		return false, err.Error()
	}
	v := a.decide(t, scope)
	if v.Allowed {
		if why := g.blocked(t, scope); why != "" {
			return false, why
		}
	}
	return v.Allowed, v.Rule
}

// timeout is the outer bound of one call of a server's tool; 0 for the default.
// The source itself bounds the call, and before it, by as much again, the wait
// for a server that is still starting; its errors say which of the two it was.
func (g *Gateway) timeout(t *toolcrib.Tool) time.Duration {
	const grace = 5 * time.Second
	now := g.settings.Load()
	switch t.Source {
	case toolcrib.SourceMCP:
		return 2*now.timeouts[t.Owner] + grace
	case toolcrib.SourceCore:
		if t.ID == exec.ToolID {
			return now.commands.Timeout + grace // it bounds itself
		}
	case toolcrib.SourcePlugin:
		if p := now.plugins.find(t.Owner); p != nil {
			return 2*p.Timeout + grace
		}
	}
	return 0
}

// formerSecrets is how many configurations before the present one have their
// secrets taken out of texts: a server that is on its way out may still say them.
const formerSecrets = 8

// secrets takes the secrets of the present configuration and of some before it
// out of texts.
type secrets struct {
	mu     sync.RWMutex
	hidden []func(string) string // newest first
}

// hide adds the secrets of a configuration.
func (x *secrets) hide(redact func(string) string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hidden = append([]func(string) string{redact}, x.hidden[:min(len(x.hidden), formerSecrets)]...)
}

// redact takes them out.
func (x *secrets) redact(text string) string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, redact := range x.hidden {
		text = redact(text)
	}
	return text
}

// logReload says what a reading of the configuration has changed.
func (g *Gateway) logReload(former, now *settings, change mcp.Change) {
	g.logger.Info("the configuration was read again", "file", now.config.Path,
		"added", change.Added, "changed", change.Changed, "removed", change.Removed, "settings", differences(former.config, now.config))
	for _, w := range now.warnings {
		g.recorder.warn(w.String())
	}
	if former.config.Gateway.Listen != now.config.Gateway.Listen && g.listen.Load() != nil {
		g.logger.Log(g.runtimes.ctx, slog.LevelWarn, fmt.Sprintf("gateway.listen is %s now: that takes a restart", now.config.Gateway.Listen))
	}
}

// differences names the parts in which two configurations differ, but for their
// servers.
func differences(a, b *config.Config) []string {
	parts := []struct {
		name string
		of   func(*config.Config) any
	}{
		{"policy", func(c *config.Config) any { return []any{c.Tools.Allow, c.Tools.Deny, c.Tools.ToolPolicy} }},
		{"modes", func(c *config.Config) any { return c.Tools.ToolSearch }},
		{"approvals", func(c *config.Config) any { return c.Tools.Approvals }},
		{"exec", func(c *config.Config) any { return c.Tools.Exec }},
		{"web", func(c *config.Config) any { return c.Tools.Web }},
		{"workspace", func(c *config.Config) any { return c.Tools.FS }},
		{"maxResultBytes", func(c *config.Config) any { return c.Tools.MaxResultBytes }},
		{"agents", func(c *config.Config) any { return c.Agents }},
		{"plugins", func(c *config.Config) any { return c.Plugins }},
		{"hooks", func(c *config.Config) any { return c.Hooks }},
		{"models", func(c *config.Config) any { return c.Models }},
		{"gateway", func(c *config.Config) any { return c.Gateway }},
		{"store", func(c *config.Config) any { return c.Store }},
		{"sessions", func(c *config.Config) any { return c.Sessions }},
		{"log", func(c *config.Config) any { return c.Log }},
	}
	differ := []string{}
	for _, p := range parts {
		if !reflect.DeepEqual(p.of(a), p.of(b)) {
			differ = append(differ, p.name)
		}
	}
	return differ
}
