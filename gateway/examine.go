package gateway

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/glob"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
)

// Bounds of an examination.
const (
	probesAtOnce = 8
	probeTime    = 30 * time.Second // of one server
	fetchTime    = 2 * time.Minute  // of one whose command may have to fetch it
)

// ExamineOptions say for whom a configuration is examined.
type ExamineOptions struct {
	ProbeOptions
	// Home is the user's home folder, GOOS the system, as runtime.GOOS.
	Home, GOOS string
	// Offline starts no server and connects to none.
	Offline bool
	// Ready are the servers that a running gateway of this configuration has ready,
	// by name. They are not tried: what is remembered of them in CacheDir counts. One
	// of which nothing is remembered is tried all the same.
	Ready    map[string]client.Server
	CacheDir string
	// Progress is told how many of the servers have been looked at, and which are
	// being tried, each time that this changes; nil for nobody. It is called by one
	// goroutine at a time.
	Progress func(done, all int, trying []string)
}

// Examination is what Examine found.
type Examination struct {
	// Servers are those that were tried, by name; none offline.
	Servers []ServerReport `json:"servers"`
	// Findings are those of the areas servers, plugins, tools, schemas and policy, in
	// that order.
	Findings []Finding `json:"findings"`
}

// Examine tries every server of a configuration that is switched on, at most eight
// at once and 30 seconds each (two minutes where a command such as npx may have to
// fetch it), and says what is wrong with them, with their tools and with the
// patterns of policy. No gateway has to run, and one that does isn't touched. It
// fails only when ctx ends.
func Examine(ctx context.Context, c *config.Config, o ExamineOptions) (Examination, error) {
	x := examiner{config: c, options: o}
	x.prepare()
	if !o.Offline {
		x.probe(ctx)
		if err := ctx.Err(); err != nil {
			return Examination{}, toolcrib.NewError(toolcrib.KindCanceled, "cancelled while servers were tried", "").WithCause(err)
		}
	}
	e := Examination{Servers: []ServerReport{}, Findings: x.servers()}
	e.Findings = append(e.Findings, x.plugins(ctx)...)
	if o.Offline {
		return e, nil
	}
	for _, t := range x.tried {
		if t.probed {
			e.Servers = append(e.Servers, t.shown)
		}
	}
	more, err := x.catalog(ctx)
	e.Findings = append(e.Findings, more...)
	return e, err
}

// examiner carries an examination from part to part.
type examiner struct {
	config  *config.Config
	options ExamineOptions
	tried   []*trial // by name
	// installed is what the plugins list.
	installed []toolcrib.Listing
}

// trial is one server that is switched on.
type trial struct {
	name    string
	config  config.Server
	program string // the file of its command; "" when there is none, or it is remote
	probed  bool
	reused  bool // not tried: a running gateway has it ready
	shown   ServerReport
	listing toolcrib.Listing
	// idle are its own patterns that match none of its tools.
	idle []string
}

// prepare lists the servers and looks for their commands.
func (x *examiner) prepare() {
	for _, name := range slices.Sorted(maps.Keys(x.config.MCP.Servers)) {
		s := x.config.MCP.Servers[name]
		if !s.Enabled {
			continue
		}
		t := &trial{name: name, config: s, program: configured(name, s).Program(x.options.Environ)}
		t.listing = toolcrib.Listing{Source: toolcrib.SourceMCP, Owner: name, State: toolcrib.StateDown}
		x.tried = append(x.tried, t)
	}
}

// probe tries the servers.
func (x *examiner) probe(ctx context.Context) {
	var wg sync.WaitGroup
	w := &trying{all: len(x.tried), tell: x.options.Progress}
	free := make(chan struct{}, probesAtOnce)
	for _, t := range x.tried {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			w.begin(t.name)
			defer w.end(t.name)
			ctx, cancel := context.WithTimeout(ctx, t.patience())
			defer cancel()
			if ctx.Err() == nil && x.itself(t) == "" && !x.reuse(t) {
				x.try(ctx, t)
			}
		})
	}
	wg.Wait()
}

// patience is how long the server may take.
func (t *trial) patience() time.Duration {
	if t.config.URL == "" && mcp.Fetches(t.config.Command) {
		return fetchTime
	}
	return probeTime
}

// trying tells what is under way.
type trying struct {
	mu   sync.Mutex
	now  []string
	done int
	all  int
	tell func(done, all int, trying []string)
}

func (w *trying) begin(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = append(w.now, name)
	w.say()
}

func (w *trying) end(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = slices.DeleteFunc(w.now, func(other string) bool { return other == name })
	w.done++
	w.say()
}

func (w *trying) say() {
	if w.tell != nil {
		w.tell(w.done, w.all, slices.Clone(w.now))
	}
}

// reuse takes a server as the running gateway has it, where that is known.
func (x *examiner) reuse(t *trial) bool {
	ready, ok := x.options.Ready[t.name]
	if !ok {
		return false
	}
	o := x.options.mcp(x.config)
	if x.options.CacheDir != "" {
		o.CacheDir = listsDir(x.options.CacheDir)
	}
	r, ok := mcp.Remembered(t.unfiltered(), o)
	if ok {
		r.Protocol, r.ServerName, r.ServerVersion, r.Warnings = ready.Protocol, ready.ServerName, ready.ServerVersion, ready.Warnings
		t.reused = true
		t.take(r)
	}
	return ok
}

// try tries one server.
func (x *examiner) try(ctx context.Context, t *trial) {
	t.take(mcp.Probe(ctx, t.unfiltered(), x.options.mcp(x.config)))
}

// unfiltered is the server without its own patterns. They are applied by take, so
// that those which match nothing are seen.
func (t *trial) unfiltered() mcp.Server {
	server := configured(t.name, t.config)
	server.Allow, server.Deny = nil, nil
	return server
}

// take keeps what was found out about the server.
func (t *trial) take(r mcp.Report) {
	if filter, err := glob.NewFilter(t.config.Allow, t.config.Deny); err == nil && r.OK() {
		t.idle = idle(t.name, t.config, r.Tools)
		r.Tools = slices.DeleteFunc(slices.Clone(r.Tools), func(tool toolcrib.Tool) bool { return !filter.Allows(tool.Name) })
	}
	t.probed, t.shown, t.listing = true, reportOf(r, t.config), listingOf(r, t.config)
	t.shown.FromGateway = t.reused
}

// idle names the patterns of a server that match none of its tools.
func idle(name string, s config.Server, tools []toolcrib.Tool) []string {
	var list []string
	for key, patterns := range map[string][]string{"allow": s.Allow, "deny": s.Deny} {
		for _, text := range patterns {
			p, err := glob.Compile(text)
			if err == nil && !slices.ContainsFunc(tools, func(t toolcrib.Tool) bool { return p.Match(t.Name) }) {
				list = append(list, "mcp.servers."+name+"."+key+" \""+text+"\"")
			}
		}
	}
	slices.Sort(list)
	return list
}
