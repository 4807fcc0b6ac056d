package gateway

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/invoke"
	"github.com/toolcrib/toolcrib/internal/mcpserver"
	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/source/builtin/exec"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
	"github.com/toolcrib/toolcrib/internal/source/builtin/results"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
	plugins "github.com/toolcrib/toolcrib/internal/source/plugin"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// Gateway is a set of sources, the policy over them, and the one way to run
// their tools. It is safe for concurrent use.
type Gateway struct {
	settings   atomic.Pointer[settings]
	reloads    reloads
	reread     func() (*config.Config, []config.Warning, error) // nil without a file
	programmed map[string]Server
	secrets    secrets
	version    string
	socket     string
	started    time.Time
	logger     *slog.Logger

	planner   *catalog.Planner
	indexes   indexes
	memory    *toolsearch.Memory
	invoker   *invoke.Invoker
	sessions  sessions
	door      *mcpserver.Server
	controls  controls
	recorder  recorder
	store     kept
	approvals approvals
	pins      *pinner
	hooks     hooks
	tokens    keys
	weights   weights
	functions *gofunc.Source
	commands  *exec.Source // nil without built-in tools
	servers   *mcp.Source
	plugins   *plugins.Source
	taken     func(id string) bool // whether others own plugin:ID
	results   *results.Results
	runtimes  runtimes
	doors     doors
	attached  attached
	talks     talks
	handoffs  handoffs
	sources   []source // all of the above, in the order of precedence

	// generation grows with every change of any source.
	generation atomic.Uint64
	listen     atomic.Pointer[string]
	stop       sync.Once
}

// Bounds of what is remembered.
const (
	planned    = 32   // about so many catalogs
	remembered = 1000 // sessions whose fruitless searches are known
)

// New reads the configuration, starts the MCP servers in the background, and
// returns at once: what a server offers appears when it has answered. It fails
// with KindConfig, saying where, when the configuration can't be used.
func New(ctx context.Context, o Options) (*Gateway, error) {
	o = o.withDefaults()
	c, warnings, err := o.load()
	if err != nil {
		return nil, err
	}
	if o, err = o.located(c); err != nil {
		return nil, err
	}
	first, err := newSettings(c, warnings, config.HashFile(c.Path), o.Servers)
	if err != nil {
		return nil, err
	}
	g := &Gateway{
		version: o.Version, socket: o.Socket, reread: o.reread(), programmed: o.Servers,
		planner: catalog.NewPlanner(planned), memory: toolsearch.NewMemory(remembered), started: time.Now(),
	}
	g.settings.Store(first)
	g.attached.settings = config.SettingsHash(config.Options{Environ: o.Environ})
	g.reloads.note(first.hash, "")
	g.secrets.hide(c.Redact)
	g.logger = redacting(o.Logger, g.secrets.redact)
	if err := g.startRecord(o.StateDir); err != nil {
		return nil, err
	}
	if err := g.startTokens(o.StateDir); err != nil {
		return nil, err
	}
	if err := g.startApprovals(o); err != nil {
		return nil, err
	}
	if err := g.startTalks(o); err != nil {
		return nil, err
	}
	if err := g.startHooks(o); err != nil {
		return nil, err
	}
	g.startPins()
	g.runtimes.logger = g.logger
	g.runtimes.start = func(ctx context.Context, w wantedRuntime) (sandbox.Runtime, error) {
		return o.Sandbox.start(ctx, w, o.env("PATH"))
	}
	g.runtimes.ctx, g.runtimes.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := g.assemble(ctx, o); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// listings asks every source what it offers to a caller.
func (g *Gateway) listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing {
	generation := g.generation.Load()
	var all []toolcrib.Listing
	for _, s := range g.sources {
		all = append(all, s.Listings(ctx, scope)...)
	}
	return g.pins.filter(ctx, g.settings.Load().pinning, all, scope.Session, generation)
}

// changed makes every session look anew.
func (g *Gateway) changed() {
	g.generation.Add(1)
	g.sessions.changed()
}

// Add offers more Go functions while the gateway runs. All are added or, when
// one can't be offered, none.
func (g *Gateway) Add(tools ...Tool) error {
	for _, t := range tools {
		if owner := cmp.Or(t.Owner, gofunc.DefaultOwner); t.Source != toolcrib.SourceCore && g.plugins.Owns(owner) {
			return toolcrib.NewError(toolcrib.KindConfig, "plugin:"+owner+" belongs to an installed plugin", "give the tools of your program another owner")
		}
	}
	return g.functions.Add(tools...)
}

// Remove withdraws Go functions by id and returns how many there were.
func (g *Gateway) Remove(ids ...string) int { return g.functions.Remove(ids...) }

// Refresh makes every session look anew at what the sources list.
func (g *Gateway) Refresh() { g.changed() }

// Close ends all sessions and stops the MCP servers, in a few seconds at most.
func (g *Gateway) Close() error {
	var err error
	g.stop.Do(func() {
		g.approvals.broker.Close()
		g.pins.close()
		if g.results != nil {
			g.results.Leave() // before the sessions, which end with the gateway and not by themselves
		}
		g.attached.end(0)
		g.handoffs.close()
		g.talks.providers.close()
		for _, s := range g.sessions.close() {
			s.Close()
		}
		if g.door != nil {
			err = g.door.Close()
		}
		if g.servers != nil {
			err = errors.Join(err, g.servers.Close())
		}
		if g.plugins != nil {
			err = errors.Join(err, g.plugins.Close())
		}
		if g.commands != nil {
			err = errors.Join(err, g.commands.Close())
		}
		g.hooks.close()
		err = errors.Join(err, g.runtimes.close())
		g.tokens.book.Close()
		err = errors.Join(err, g.endRecord())
	})
	return err
}
