package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib/client"
)

// exported is one line of an export: an event with the session that it is of.
type exported struct {
	Session string `json:"session"`
	Agent   string `json:"agent,omitempty"`
	Client  string `json:"client,omitempty"`
	client.SessionEvent
}

func (a *app) sessionsExportCommand() *cobra.Command {
	var agent string
	c := &cobra.Command{
		Use:   "export [ID...]",
		Short: "Write the record, or some sessions of it, as lines of JSON",
		Long: `Write each event of the sessions, or of all sessions, as one line of JSON: the
newest session first, its events in their order. Secrets were taken out when they
were recorded.`,
		Example: `  toolcrib sessions export > record.jsonl
  toolcrib sessions export --agent research | jq -r 'select(.kind == "search") | .query'`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			return a.lookUp(cmd.Context(), func(c *connection) error {
				if len(ids) > 0 {
					return a.exportNamed(cmd.Context(), c, ids)
				}
				return a.exportAll(cmd.Context(), c, agent)
			})
		},
	}
	c.Flags().StringVar(&agent, "agent", "", "`name` of the agent whose sessions are written")
	return c
}

func (a *app) exportNamed(ctx context.Context, c *connection, ids []string) error {
	for _, id := range ids {
		record, err := c.Session(ctx, id) // it says whose it is
		if err != nil {
			return err
		}
		if err := a.export(ctx, c, record.Session); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) exportAll(ctx context.Context, c *connection, agent string) error {
	for r := (client.SessionsRequest{Agent: agent, Limit: 1000}); ; {
		list, err := c.Sessions(ctx, r)
		if err != nil {
			return err
		}
		for _, s := range list.Sessions {
			if err := a.export(ctx, c, s); err != nil {
				return err
			}
		}
		if r.Before = list.Before; r.Before == 0 {
			return nil
		}
	}
}

// export writes the events of one session.
func (a *app) export(ctx context.Context, c *connection, s client.RecordedSession) error {
	for after := int64(0); ; {
		page, err := c.SessionEvents(ctx, s.ID, after)
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			line, err := json.Marshal(exported{s.ID, s.Agent, s.Client, e})
			if err != nil {
				return err
			}
			a.out.printf("%s\n", line)
		}
		if after = page.After; after == 0 {
			return nil
		}
	}
}
