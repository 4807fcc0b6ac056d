package plugin

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/plugin"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
)

// Plugin is one plugin that is in use.
type Plugin struct {
	*plugin.Manifest
	// Env is added to the manifest's and wins over it.
	Env map[string]string
	// Timeout bounds one call; 0 is that of source/mcp.
	Timeout time.Duration
}

// Options is what a Source needs.
type Options struct {
	Plugins []Plugin
	// CacheDir keeps the last-known lists, LogDir the programs' logs; neither is
	// shared with servers. Empty keeps none.
	CacheDir, LogDir string
	// Environ is the gateway's own environment.
	Environ []string
	Logger  *slog.Logger
	// Redact takes secrets out of a text; nil changes nothing.
	Redact func(string) string
	// OnChange is told the id of a plugin whose tools or state changed. It must not
	// block for long.
	OnChange func(id string)
	// Version is toolcrib's own.
	Version string
}

// Source is all plugins that are in use. Its methods may be called from any goroutine.
type Source struct {
	programs *mcp.Source
	mu       sync.Mutex // held while plugins are replaced
	present  atomic.Pointer[map[string]*present]
}

// present is a plugin with what was made of its program's list last.
type present struct {
	Plugin
	// mu guards made, which is of the program's list with the fingerprint from.
	mu   sync.Mutex
	from string
	made *made
}

// New starts all programs in the background and returns at once. A program that
// can't be started is no error, but down with a reason.
func New(o Options) (*Source, error) {
	s := &Source{}
	all := held(o.Plugins)
	s.present.Store(&all)
	var err error
	s.programs, err = mcp.New(mcp.Options{
		Servers: servers(o.Plugins), CacheDir: o.CacheDir, LogDir: o.LogDir, Environ: o.Environ, Logger: labelled(o.Logger),
		Redact: o.Redact, OnChange: o.OnChange, Version: o.Version,
	})
	return s, err
}

// labelled marks the lines of a log as about plugins.
func labelled(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	return l.With("kind", "plugin")
}

func held(plugins []Plugin) map[string]*present {
	all := make(map[string]*present, len(plugins))
	for _, p := range plugins {
		all[p.ID] = &present{Plugin: p}
	}
	return all
}

// servers are the programs of plugins.
func servers(plugins []Plugin) []mcp.Server {
	var all []mcp.Server
	for _, p := range plugins {
		if p.Command != "" {
			all = append(all, p.server())
		}
	}
	return all
}

// Variables that a plugin's program has beside those that were written for it. The
// version is in them so that another one starts the program anew.
const (
	IDVariable      = "TOOLCRIB_PLUGIN"
	VersionVariable = "TOOLCRIB_PLUGIN_VERSION"
)

// Environ are the variables for the plugin's program and its hooks.
func (p Plugin) Environ() map[string]string {
	env := maps.Clone(p.Manifest.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, p.Env)
	env[IDVariable], env[VersionVariable] = p.ID, p.Version
	return env
}

// server is the plugin's program as source/mcp starts it.
func (p Plugin) server() mcp.Server {
	return mcp.Server{
		Name: p.ID, Command: p.Command, Args: p.Args, Env: p.Environ(), Cwd: p.Dir,
		Trusted: true, Timeout: p.Timeout, Enabled: true, Plugin: true,
	}
}

// Update replaces the plugins. One that is as before goes on untouched; one of
// which the manifest's declarations alone changed keeps its program; one whose
// command, arguments, variables or version changed is started anew.
func (s *Source) Update(plugins []Plugin) (mcp.Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := *s.present.Load()
	all := held(plugins)
	for id, p := range all {
		if b := before[id]; b != nil && b.Hash == p.Hash && b.Dir == p.Dir && maps.Equal(b.Env, p.Env) && b.Timeout == p.Timeout {
			all[id] = b // with what was made of its list
		}
	}
	s.present.Store(&all) // before the programs, whose lists are told of at once
	change, err := s.programs.Update(servers(plugins))
	if err != nil {
		s.present.Store(&before)
	}
	return change, err
}

// Owns reports whether a plugin of this id is in use.
func (s *Source) Owns(id string) bool { return (*s.present.Load())[id] != nil }

// Listings returns what each plugin offers, in the order of their ids.
func (s *Source) Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing {
	programs := map[string]toolcrib.Listing{}
	for _, l := range s.programs.Listings(ctx, scope) {
		programs[l.Owner] = l
	}
	all := *s.present.Load()
	out := make([]toolcrib.Listing, 0, len(all))
	for _, id := range slices.Sorted(maps.Keys(all)) {
		p := all[id]
		l, running := programs[id]
		switch {
		case p.Command == "":
			l = toolcrib.Listing{State: toolcrib.StateReady, Known: true}
		case !running: // it is being replaced this moment
			l = toolcrib.Listing{State: toolcrib.StateStarting, Reason: "it is starting"}
		}
		out = append(out, p.listing(l))
	}
	return out
}

// Execute runs a tool of a plugin. A tool that the plugin's manifest doesn't have
// any more is refused with KindNotFound.
func (s *Source) Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	p := (*s.present.Load())[call.Tool.Owner]
	if p == nil {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("plugin %q is not in use any more", call.Tool.Owner), "search again: the tools have changed")
	}
	if !p.offers(call.Tool.Name) {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindNotFound,
			fmt.Sprintf("plugin %q doesn't offer a tool %q any more", p.ID, call.Tool.Name), "search again: the tools have changed")
	}
	return s.programs.Execute(ctx, call)
}

// offers reports whether the manifest lets the program's tool through.
func (p *present) offers(name string) bool {
	if !p.Declared {
		return true // the program says itself what it doesn't have
	}
	_, ok := slices.BinarySearchFunc(p.Manifest.Tools, name, func(t plugin.Tool, n string) int { return strings.Compare(t.Name, n) })
	return ok
}

// Settle waits until each program is ready or has failed once, or ctx ends.
func (s *Source) Settle(ctx context.Context) { s.programs.Settle(ctx, toolcrib.Scope{}) }

// Log returns the newest n lines of a program's log, oldest first; n <= 0 returns
// all that are held.
func (s *Source) Log(id string, n int) ([]string, error) { return s.programs.Log(id, n) }

// Restart starts a plugin's program anew and returns when it is ready, or why it isn't.
func (s *Source) Restart(ctx context.Context, id string) error { return s.programs.Restart(ctx, id) }

// Close ends all programs, as source/mcp does.
func (s *Source) Close() error { return s.programs.Close() }
