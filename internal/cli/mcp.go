package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/attach"
	"github.com/toolcrib/toolcrib/internal/config"
)

// mcpFlags are those of toolcrib mcp.
type mcpFlags struct {
	demo                bool
	mode, agent, attach string
}

func (a *app) mcpCommand() *cobra.Command {
	var f mcpFlags
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the tools as an MCP server on standard input and output",
		Long: `Serve the tools as an MCP server on standard input and output, for programs that
start their servers themselves. It ends when its input does. What it has to say
goes to stderr.

While a toolcrib serve of the same configuration runs, it is attached to that, and
starts no servers of its own: all programs share one set of them. When that gateway
ends, it waits a moment for another one, and then goes on by itself; of calls that
were going on, the program at the other end is told that they failed. When there is
a toolcrib serve again, it goes back to that as soon as no tool was called for half
a minute.`,
		Example: `  toolcrib mcp
  toolcrib mcp --mode tools
  toolcrib mcp --attach always
  toolcrib mcp --demo --mode direct`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.mcp(cmd.Context(), f)
		},
	}
	c.Flags().BoolVar(&f.demo, "demo", false, "add the demo catalog; it is never attached then")
	c.Flags().StringVar(&f.mode, "mode", "", "what the model sees: direct, tools, code or directory (default: tools.toolSearch.mode, else by the size of the catalog)")
	c.Flags().StringVar(&f.agent, "agent", "", "`name` of the agent whose policy applies")
	c.Flags().StringVar(&f.attach, "attach", attachAuto, "`when` to use a running toolcrib serve: auto (if there is one), always (nothing else) or never")
	complete(c, "mode", fixed(modes()...))
	complete(c, "agent", a.completeAgents)
	complete(c, "attach", fixed(attachAuto, attachAlways, attachNever))
	return c
}

// The values of --attach.
const (
	attachAuto   = "auto"
	attachAlways = "always"
	attachNever  = "never"
)

// modes are those that a session can ask for.
func modes() []string { return []string{"direct", "tools", "code", "directory", "auto"} }

// checkMode refuses a mode that there isn't, before servers are started for it.
func (a *app) checkMode(mode string) error {
	switch {
	case mode == "", slices.Contains(modes(), mode):
		return nil
	case mode == "native":
		a.warn("--mode " + mode + " is not offered yet: mode tools is used")
		return nil
	}
	return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("there is no mode %q", mode), "use direct, tools, code, directory or auto")
}

func (f mcpFlags) check() error {
	switch {
	case !slices.Contains([]string{attachAuto, attachAlways, attachNever}, f.attach):
		return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("--attach takes auto, always or never, not %q", f.attach), "see: toolcrib mcp --help")
	case f.demo && f.attach == attachAlways:
		return toolcrib.NewError(toolcrib.KindInput, "--demo adds the demo catalog to a gateway of this process, and --attach=always wants none", "leave one of them out")
	}
	return nil
}

func (a *app) mcp(ctx context.Context, f mcpFlags) error {
	a.p.stays()
	if err := errors.Join(a.refuseNested(), f.check(), a.checkMode(f.mode)); err != nil {
		return err
	}
	serve := a.relayed
	if f.demo || f.attach == attachNever {
		serve = a.alone
	}
	err := serve(ctx, f)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // it was asked to end, and did
	}
	return err
}

// alone serves from a gateway inside the process.
func (a *app) alone(ctx context.Context, f mcpFlags) error {
	g, err := a.quietGateway(ctx, f.demo)
	if err != nil {
		return err
	}
	defer g.Close()
	return g.ServeStdio(ctx, gateway.StdioOptions{In: a.p.Stdin, Out: a.p.Stdout, Mode: f.mode, Agent: f.agent})
}

// quietGateway starts a gateway that says on stderr only what is wrong.
func (a *app) quietGateway(ctx context.Context, demo bool) (*gateway.Gateway, error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	return a.newGateway(ctx, cfg, demo, max(logLevel(cfg), slog.LevelWarn))
}

// relayed serves from the gateway that runs, or from one inside the process
// while there is none.
func (a *app) relayed(ctx context.Context, f mcpFlags) error {
	u := &uplink{app: a, always: f.attach == attachAlways, request: client.AttachRequest{
		Mode: f.mode, Agent: f.agent, Settings: config.SettingsHash(a.configOptions()), Version: a.p.Version, Identity: rand.Text(),
	}}
	defer u.wait()
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	return attach.Relay{
		In: a.p.Stdin, Out: a.p.Stdout, Connect: u.connect,
		Logger: slog.New(slog.NewTextHandler(a.p.Stderr, &slog.HandlerOptions{Level: level})),
	}.Run(ctx)
}
