package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/invoke"
	"github.com/toolcrib/toolcrib/internal/mcpserver"
	"github.com/toolcrib/toolcrib/internal/source/builtin/demo"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
	"github.com/toolcrib/toolcrib/internal/source/builtin/results"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
)

// load returns the configuration that the options name.
func (o Options) load() (*config.Config, []config.Warning, error) {
	if o.Config != nil {
		if o.ConfigFile != "" || len(o.Settings) > 0 {
			return nil, nil, errors.New("gateway: Options.Config goes without ConfigFile and Settings")
		}
		return o.Config, o.Warnings, nil
	}
	return o.read(false)
}

// read reads ConfigFile and Settings, for the first time or again.
func (o Options) read(again bool) (*config.Config, []config.Warning, error) {
	loading := config.Options{Path: o.ConfigFile, Environ: o.Environ, Home: o.home(), Flags: o.Settings, Again: again}
	if o.ConfigFile == "" {
		loading.Open = func(path string) (fs.File, error) { return nil, fs.ErrNotExist }
	}
	return config.Load(loading)
}

// reread returns what reads the configuration again; nil when there is no file.
func (o Options) reread() func() (*config.Config, []config.Warning, error) {
	switch {
	case o.Config != nil:
		return o.Reread
	case o.ConfigFile != "":
		return func() (*config.Config, []config.Warning, error) { return o.read(true) }
	}
	return nil
}

// located fills the folders of toolcrib's own commands; a program names its own.
func (o Options) located(c *config.Config) (Options, error) {
	if o.Config == nil {
		return o, nil
	}
	paths, err := config.Locate(config.Options{Path: c.Path, Environ: o.Environ, Home: o.home()})
	if err != nil {
		return o, err
	}
	o.StateDir, o.CacheDir, o.Socket = cmp.Or(o.StateDir, paths.StateDir), cmp.Or(o.CacheDir, paths.CacheDir), cmp.Or(o.Socket, paths.Socket)
	return o, nil
}

// home is the user's home folder.
func (o Options) home() string { return cmp.Or(o.env("HOME"), o.env("USERPROFILE")) }

// env returns a variable of the environment, "" when it isn't set.
func (o Options) env(name string) string {
	for _, pair := range slices.Backward(o.Environ) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// assemble makes the sources, the invoker over them, and the MCP door.
func (g *Gateway) assemble(ctx context.Context, o Options) (err error) {
	if g.functions, err = gofunc.New(gofunc.Options{Tools: o.Tools, Logger: g.logger, OnChange: func(toolcrib.Source, string) { g.changed() }}); err != nil {
		return err
	}
	if g.results, err = results.New(g.resultOptions()); err != nil {
		return err
	}
	fixed := []owned{holding(ctx, g.results)}
	if o.Demo {
		d, err := demo.New(demo.Options{Logger: g.logger})
		if err != nil {
			return err
		}
		fixed = append(fixed, holding(ctx, d))
	}
	builtIns, err := g.builtIns(o)
	if err != nil {
		return err
	}
	for _, s := range builtIns {
		fixed = append(fixed, holding(ctx, s))
	}
	plugins := []source{g.functions}
	for _, s := range o.Sources {
		plugins = append(plugins, pluginsOnly{s})
	}
	if err := g.startPlugins(ctx, o, fixed, plugins); err != nil {
		return err
	}
	plugins = append(plugins, g.plugins)
	invoking, err := executors(fixed, g.functions, late{g}, router{plugins}, callers{g})
	if err != nil {
		return err
	}
	invoking.Decide, invoking.Recorder, invoking.Logger = g.decide, &g.recorder, g.logger
	invoking.TimeoutFor, invoking.Approve, invoking.Audit = g.timeout, g.approve, g.recorder.audit
	invoking.Before, invoking.After = g.before, g.after
	if g.invoker, err = invoke.New(invoking); err != nil {
		return err
	}
	if g.door, err = mcpserver.New(mcpserver.Options{Opener: opener{g}, Title: "toolcrib", Version: g.version, Logger: g.logger}); err != nil {
		return err
	}
	for _, f := range fixed {
		g.sources = append(g.sources, f)
	}
	g.sources = append(g.sources, plugins...)
	if g.servers, err = mcp.New(g.serverOptions(o)); err != nil {
		return err
	}
	g.sources = append(g.sources, g.servers)
	return nil
}

// late sends calls to the MCP servers, which start last, when all else stands.
type late struct{ *Gateway }

func (l late) Listings(ctx context.Context, s toolcrib.Scope) []toolcrib.Listing {
	return l.servers.Listings(ctx, s)
}

func (l late) Execute(ctx context.Context, c toolcrib.Call) (toolcrib.Result, error) {
	return l.servers.Execute(ctx, c)
}

// replyBytes is how much of a kept result one reading may bring into a reply.
func replyBytes(c *config.Config) int { return c.Tools.MaxResultBytes * 9 / 10 }

// serverOptions is what the MCP servers are started with.
func (g *Gateway) serverOptions(o Options) mcp.Options {
	options := mcp.Options{
		Servers: g.settings.Load().servers,
		Environ: o.Environ, Logger: g.logger, Redact: g.secrets.redact, Version: o.Version,
		OnChange: func(string) { g.changed() },
	}
	if o.CacheDir != "" {
		options.CacheDir = listsDir(o.CacheDir)
	}
	if o.StateDir != "" {
		options.LogDir = filepath.Join(o.StateDir, "logs")
	}
	return options
}

// allServers translates the configured servers and those of the program.
func allServers(c *config.Config, program map[string]Server) ([]mcp.Server, error) {
	var servers []mcp.Server
	for _, name := range slices.Sorted(maps.Keys(c.MCP.Servers)) {
		servers = append(servers, configured(name, c.MCP.Servers[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(program)) {
		if _, twice := c.MCP.Servers[name]; twice {
			return nil, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("server %q is both in the configuration and in Options.Servers", name), "rename one")
		}
		servers = append(servers, programmed(name, program[name]))
	}
	return servers, nil
}

// lists is where the lists of servers are remembered.
func listsDir(cacheDir string) string { return filepath.Join(cacheDir, "servers") }

func configured(name string, s config.Server) mcp.Server {
	return mcp.Server{
		Name: name, Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers,
		Trusted: s.Trusted, TrustHints: s.TrustHints, Scope: s.Scope, Timeout: s.Timeout(), Allow: s.Allow, Deny: s.Deny, Prefix: s.Prefix, Enabled: s.Enabled,
		SSE: s.SSE, CallsSequential: s.CallsSequential,
	}
}

func programmed(name string, s Server) mcp.Server {
	scope := mcp.ScopeShared
	if s.PerSession {
		scope = mcp.ScopeSession
	}
	hints := s.Trusted
	if s.TrustHints != nil {
		hints = *s.TrustHints
	}
	return mcp.Server{
		Name: name, Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers,
		Trusted: s.Trusted, TrustHints: hints, Scope: scope, Timeout: cmp.Or(s.Timeout, time.Minute), Allow: s.Allow, Deny: s.Deny, Enabled: true,
	}
}
