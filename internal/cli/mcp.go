package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/gateway"
)

func (a *app) mcpCommand() *cobra.Command {
	var demo bool
	var mode, agent string
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the tools as an MCP server on standard input and output",
		Long: `Serve the tools as an MCP server on standard input and output, for programs that
start their servers themselves. It ends when its input does. What it has to say
goes to stderr.`,
		Example: `  toolcrib mcp
  toolcrib mcp --mode tools
  toolcrib mcp --demo --mode direct`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.mcp(cmd.Context(), demo, mode, agent)
		},
	}
	c.Flags().BoolVar(&demo, "demo", false, "add the demo catalog")
	c.Flags().StringVar(&mode, "mode", "", "what the model sees: direct, tools or code (default: tools.toolSearch.mode, else by the size of the catalog)")
	c.Flags().StringVar(&agent, "agent", "", "`name` of the agent whose policy applies")
	complete(c, "mode", fixed(modes()...))
	complete(c, "agent", a.completeAgents)
	return c
}

// modes are those that a session can ask for.
func modes() []string { return []string{"direct", "tools", "code", "auto"} }

// checkMode refuses a mode that there isn't, before servers are started for it.
func (a *app) checkMode(mode string) error {
	switch {
	case mode == "", slices.Contains(modes(), mode):
		return nil
	case mode == "directory", mode == "native":
		a.warn("--mode " + mode + " is not offered yet: mode tools is used")
		return nil
	}
	return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("there is no mode %q", mode), "use direct, tools, code or auto")
}

func (a *app) mcp(ctx context.Context, demo bool, mode, agent string) error {
	a.p.stays()
	if err := a.checkMode(mode); err != nil {
		return err
	}
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	g, err := a.newGateway(ctx, cfg, demo, max(logLevel(cfg), slog.LevelWarn))
	if err != nil {
		return err
	}
	defer g.Close()
	err = g.ServeStdio(ctx, gateway.StdioOptions{In: a.p.Stdin, Out: a.p.Stdout, Mode: mode, Agent: agent})
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // it was asked to end, and did
	}
	return err
}
