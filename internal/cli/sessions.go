package cli

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/config"
)

func (a *app) sessionsCommand() *cobra.Command {
	return noun("sessions", "Look at what models searched for, read and called", a.sessionsListCommand(), a.sessionsShowCommand(), a.sessionsExplainCommand(), a.sessionsExportCommand())
}

const sessionShape = `{"id", "agent", "client", "caller", "door", "mode", "started", "last", "searches", "describes", "calls", "failed", "refused"}`

func (a *app) sessionsListCommand() *cobra.Command {
	var asJSON bool
	var r client.SessionsRequest
	c := &cobra.Command{
		Use:   "list",
		Short: "List recorded sessions, the newest first",
		Example: `  toolcrib sessions list --agent research
  toolcrib sessions list --json | jq -r '.sessions[] | select(.refused > 0) | .id'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.Limit < 1 {
				return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("--limit is %d", r.Limit), "give a whole number from 1 to 1000")
			}
			return a.lookUp(cmd.Context(), func(c *connection) error {
				list, err := c.Sessions(cmd.Context(), r)
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(list)
				}
				a.printSessions(list)
				return nil
			})
		},
	}
	c.Flags().StringVar(&r.Agent, "agent", "", "`name` of the agent whose sessions are shown")
	c.Flags().IntVar(&r.Limit, "limit", 20, "how many, at most 1000")
	c.Flags().Int64Var(&r.Before, "before", 0, "the `before` of the page before, for the next one")
	jsonFlag(c, &asJSON, `{"sessions": [`+sessionShape+`], "before"}`)
	return c
}

func (a *app) sessionsShowCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show what happened in a session, line by line",
		Example: `  toolcrib sessions show "$(toolcrib sessions list --json | jq -r '.sessions[0].id')"
  toolcrib sessions show ID --json | jq -r '.events[] | select(.outcome == "refused") | .reason'`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.lookUp(cmd.Context(), func(c *connection) error {
				record, err := c.Session(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(record)
				}
				a.printSession(record)
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON, `{"session": `+sessionShape+`, "shown": {"mode", "schemas", "bytes", "directBytes", "catalog"}, "found": ["..."], "described": ["..."], "final": EVENT, "events": [{"seq", "time", "kind", "run", "callId", "parent", "tool", "source", "query", "hits", "args", "ms", "outcome", "failure", "reason", "rule", "decision", "by", "shown"}], "truncated"}`)
	return c
}

// lookUp asks the gateway that runs, or one inside the process that starts no
// servers: what is kept can be read without them.
func (a *app) lookUp(ctx context.Context, f func(*connection) error) error {
	c, err := a.attach(ctx)
	if toolcrib.KindOf(err) == toolcrib.KindUnavailable {
		cfg, failed := a.loadConfig()
		if failed != nil {
			return failed
		}
		c, err = a.still(ctx, cfg)
	}
	if err != nil {
		return err
	}
	defer c.close()
	return f(c)
}

// still returns a client of a gateway inside the process without servers.
func (a *app) still(ctx context.Context, cfg *config.Config) (*connection, error) {
	alone := *cfg
	alone.MCP.Servers = nil
	g, err := a.newGateway(ctx, &alone, false, slog.LevelError+1)
	if err != nil {
		return nil, err
	}
	return &connection{Client: client.New(client.InProcess(g.Control()), ""), inside: g}, nil
}
