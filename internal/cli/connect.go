package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/config"
)

// settleTime is how long a command waits for servers that it started itself. It is
// as long as a server may take: npx and its like fetch programs at their first
// start, and leave half of one behind when they are ended in the middle.
const settleTime = 5 * time.Minute

// answerTime is how long a gateway that runs may take to begin an answer for which
// it needs no server.
const answerTime = 5 * time.Second

// source says which gateway a command asks.
type source struct {
	agent string
	demo  bool

	// only is the one server that a gateway of this process starts, "" for all: to
	// start the others would be for nothing.
	only string
	// patience is how long to wait for servers that this process started; 0 is settleTime.
	patience time.Duration
}

func (s *source) addAgent(flags *pflag.FlagSet) {
	flags.StringVar(&s.agent, "agent", "", "`name` of the agent whose policy applies")
}

func (s *source) addDemo(flags *pflag.FlagSet) {
	flags.BoolVar(&s.demo, "demo", false, "use the demo catalog, inside this process")
}

// connection is a client and what stands behind it.
type connection struct {
	*client.Client
	// inside is the gateway of this process; nil when a running one answers.
	inside *gateway.Gateway
}

// close ends what the connection started.
func (c *connection) close() {
	c.Client.Close()
	if c.inside != nil {
		c.inside.Close()
	}
}

// connect returns a client of the running gateway of this user and
// configuration, or else of one inside the process.
func (a *app) connect(ctx context.Context, s source) (*connection, error) {
	if !s.demo {
		c, err := a.attach(ctx)
		if err == nil || toolcrib.KindOf(err) != toolcrib.KindUnavailable || client.Silent(err) {
			return c, err
		}
	}
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	g, err := a.newGateway(ctx, s.narrowed(cfg), s.demo, slog.LevelError+1)
	if err != nil {
		return nil, err
	}
	return &connection{Client: client.New(client.InProcess(g.Control()), ""), inside: g}, nil
}

// narrowed is a configuration with the only server that is asked for. One that
// doesn't know it stays as it is, and what is asked for will not be found.
func (s source) narrowed(cfg *config.Config) *config.Config {
	server, known := cfg.MCP.Servers[s.only]
	if !known {
		return cfg
	}
	one := *cfg
	one.MCP.Servers = map[string]config.Server{s.only: server}
	return &one
}

// attach returns a client of the gateway that runs already. One that hasn't
// noticed yet that the configuration has changed reads it now.
func (a *app) attach(ctx context.Context) (*connection, error) {
	c, err := a.running()
	if err != nil {
		return nil, err
	}
	status, err := c.Status(ctx)
	switch {
	case err == nil:
		a.refresh(ctx, c, status)
	case client.Silent(err):
		c.close()
		return nil, err
	}
	return c, nil
}

// refresh makes a running gateway read a configuration file that is another one
// now than it has in force, and says so when it can't use that.
func (a *app) refresh(ctx context.Context, c *connection, s client.Status) {
	paths, err := config.Locate(a.configOptions())
	if err != nil || config.HashFile(paths.Config) == s.ConfigHash {
		return
	}
	if err := c.Reload(ctx); err != nil {
		a.warn(fmt.Sprintf("the running gateway (process %d) goes on with the configuration of before: %v", s.PID, err))
	}
}

// running returns a client of the gateway that runs already; an error of kind
// "unavailable" means that none does.
func (a *app) running() (*connection, error) {
	paths, err := config.Locate(a.configOptions())
	if err != nil {
		return nil, err
	}
	c, err := client.Dial(paths.Socket)
	if err != nil {
		return nil, err
	}
	return &connection{Client: c.WithToken(a.adminSecret()).WithPatience(answerTime)}, nil
}

// settle waits until the servers that this process started have answered or
// failed, so that a first search doesn't miss them. Those whose tools are
// remembered need no waiting.
func (a *app) settle(ctx context.Context, c *connection, patience time.Duration, wanted func(client.Server) bool) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(patience, settleTime))
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	progress := a.progress()
	defer progress.stop()
	for {
		servers, err := c.Servers(ctx)
		if err != nil {
			return nil // the command itself will say it better
		}
		var waiting []string
		for _, s := range servers {
			if s.State == toolcrib.StateStarting && wanted(s) {
				waiting = append(waiting, s.Name)
			}
		}
		waiting = append(waiting, startingPlugins(ctx, c)...)
		if len(waiting) == 0 {
			return nil
		}
		progress.say("waiting for " + strings.Join(waiting, ", ") + " (a first start may have to fetch programs)")
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// forgotten is true for a server of which no list is remembered.
func forgotten(s client.Server) bool { return s.Tools == 0 }

// ask connects, waits for servers that must start first, and runs f.
func (a *app) ask(ctx context.Context, s source, wanted func(client.Server) bool, f func(*connection) error) error {
	return a.askOnce(ctx, s, func(*connection) func(client.Server) bool { return wanted }, f)
}

// askAbout is ask about one tool, by its id or name, which f runs or only looks
// at: it waits for no server but the tool's own, as far as that is known.
func (a *app) askAbout(ctx context.Context, s source, ref string, runs bool, f func(*connection) error) error {
	if from, owner, _, err := toolcrib.ParseID(strings.TrimSpace(ref)); err == nil && from == toolcrib.SourceMCP {
		s.only = owner
	}
	return a.askOnce(ctx, s, func(c *connection) func(client.Server) bool { return ownersOf(ctx, c, s, ref, runs) }, f)
}

// ownersOf says which servers a tool has to wait for: the one in its id, that of
// the only tool that is remembered under its name, or else all that are forgotten.
// Who only looks at a tool has no need to wait for one that is remembered.
func ownersOf(ctx context.Context, c *connection, s source, ref string, runs bool) func(client.Server) bool {
	ref = strings.TrimSpace(ref)
	of := func(from toolcrib.Source, owner string) func(client.Server) bool {
		return func(s client.Server) bool {
			return from == toolcrib.SourceMCP && s.Name == owner && (runs || forgotten(s))
		}
	}
	if from, owner, _, err := toolcrib.ParseID(ref); err == nil {
		return of(from, owner)
	}
	list, err := c.Tools(ctx, client.ToolsRequest{Agent: s.agent})
	if err != nil {
		return forgotten // the command itself will say it better
	}
	named := slices.DeleteFunc(list.Tools, func(t client.Tool) bool { return t.Name != ref })
	if len(named) != 1 {
		return forgotten
	}
	return of(named[0].Source, named[0].Owner)
}

// askOnce is ask, which learns from the connection what to wait for.
func (a *app) askOnce(ctx context.Context, s source, wanted func(*connection) func(client.Server) bool, f func(*connection) error) error {
	c, err := a.connect(ctx, s)
	if err != nil {
		return err
	}
	defer c.close()
	if c.inside != nil { // a running gateway is taken as it is
		if err := a.settle(ctx, c, s.patience, wanted(c)); err != nil && ctx.Err() != nil {
			return toolcrib.NewError(toolcrib.KindCanceled, "cancelled while servers were starting", "").WithCause(err)
		}
	}
	progress := a.progress()
	defer progress.stop()
	progress.say("waiting for an answer")
	return f(c)
}

// warnUnavailable names the servers whose tools are not to be had now.
func (a *app) warnUnavailable(list []client.Unavailable) {
	for _, u := range list {
		text := "server " + u.Server + " is " + string(u.State)
		if u.State == "" {
			text = "server " + u.Server + " is down"
		}
		if u.Reason != "" {
			text += ": " + u.Reason
		}
		a.warn(text)
	}
}
