package gateway

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/hook"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
	plugins "github.com/toolcrib/toolcrib/internal/source/plugin"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// installed are the plugins of a configuration, as a gateway of toolcrib's own
// commands would find them.
func installed(c *config.Config) pluginSet {
	host := newHost(nil)
	defer host.Close()
	return chooser{
		config: c.Plugins, taken: func(string) bool { return false },
		check: func(all []hook.Hook) error {
			_, err := hook.New(hook.Options{Hooks: all, Host: host, Matcher: matcher})
			return err
		},
	}.choose()
}

// ProbePlugin tries the program of one plugin by a process of its own, beside a
// gateway that may run. One that can't be used is no error, but a report that says
// why. It fails with KindNotFound for an id that no plugin has, and with
// KindConfig for a plugin that is not in use.
func ProbePlugin(ctx context.Context, c *config.Config, id string, o ProbeOptions) (ServerReport, error) {
	var ids []string
	for _, f := range installed(c).all {
		ids = append(ids, f.ID)
		switch {
		case f.ID != id:
		case f.used == nil:
			return ServerReport{}, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("plugin %q in %s is not in use: %s", id, f.Dir, f.why), "")
		default:
			r, _ := probePlugin(ctx, c, *f.used, o)
			return r, nil
		}
	}
	hint := "there are: " + strings.Join(ids, ", ")
	if near := config.Nearest(id, ids); near != "" {
		hint = "did you mean " + near + "?"
	} else if len(ids) == 0 {
		hint = "there are none: toolcrib plugins new NAME makes one"
	}
	return ServerReport{}, toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("there is no plugin %q", id), hint)
}

// probePlugin tries a plugin, and returns its listing too.
func probePlugin(ctx context.Context, c *config.Config, p plugins.Plugin, o ProbeOptions) (ServerReport, toolcrib.Listing) {
	r := plugins.Probe(ctx, p, plugins.Options{Environ: o.Environ, Redact: c.Redact, Version: o.Version})
	tools := r.Tools
	l := listingOf(r, config.Server{})
	l.Source, l.ToolPrefix = toolcrib.SourcePlugin, ""
	report := reportOf(withoutTools(r), config.Server{})
	if r.OK() {
		report.Tools = ProbedTools{Listed: r.Listed, Count: len(tools)}
		plan := catalog.Plan([]toolcrib.Listing{l}, func(*toolcrib.Tool) bool { return true })
		if w, err := weigh(plan, toolsearch.Show(plan, toolsearch.ModeDirect)); err == nil {
			report.Tools = ProbedTools{Listed: r.Listed, Count: len(tools), Bytes: w.total, Tokens: tokens(w.total), Largest: w.largest(5)}
		}
	}
	return report, l
}

// withoutTools is a report whose tools are weighed elsewhere.
func withoutTools(r mcp.Report) mcp.Report {
	r.Tools = nil
	return r
}
