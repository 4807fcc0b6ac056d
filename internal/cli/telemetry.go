package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

func (a *app) telemetryCommand() *cobra.Command {
	var asJSON bool
	var days int
	c := &cobra.Command{
		Use:   "telemetry",
		Short: "Sum up what models were shown and did, and what Tool Search saved",
		Long: `Sum up the record by agent: sessions, searches, descriptions and calls; how often a
list of tools was shown, its bytes, and the bytes that lists of all tools would have
had. A list counts once for each request to a model or, where a client asks the
model, once for each list that the client got: what the client sent again and again
isn't known here. Tokens saved are an estimate of four bytes each; input and output
tokens are what models counted.

A gateway that runs also answers GET /metrics, in the form of Prometheus, to who
shows the admin token.`,
		Example: `  toolcrib telemetry --days 7
  toolcrib telemetry --json | jq '.total.savedTokens'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 0 {
				return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("--days is %d", days), "give a whole number, or 0 for all that is recorded")
			}
			return a.lookUp(cmd.Context(), func(c *connection) error {
				t, err := c.Telemetry(cmd.Context(), days)
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(t)
				}
				a.printTelemetry(t)
				return nil
			})
		},
	}
	c.Flags().IntVar(&days, "days", 0, "count sessions of the last `n` days; 0 counts all")
	const shape = `{"sessions", "searches", "describes", "calls", "failed", "refused", "lists", "bytes", "directBytes", "savedTokens", "inputTokens", "outputTokens"}`
	jsonFlag(c, &asJSON, `{"since", "tokenizer", "agents": [{"agent", ...TOTAL}], "total": TOTAL}, with TOTAL `+shape)
	return c
}

func (a *app) printTelemetry(t client.Telemetry) {
	if len(t.Agents) == 0 {
		a.out.printf("nothing is recorded yet\n")
		return
	}
	var rows [][]string
	row := func(name string, x client.AgentTelemetry) {
		calls := callCounts(client.RecordedSession{Calls: x.Calls, Failed: x.Failed, Refused: x.Refused})
		rows = append(rows, []string{
			folded(name), fmt.Sprint(x.Sessions), fmt.Sprint(x.Searches), calls, fmt.Sprint(x.Lists), fmt.Sprint(x.Bytes), fmt.Sprint(x.DirectBytes),
			fmt.Sprint(x.SavedTokens),
		})
	}
	for _, x := range t.Agents {
		row(x.Agent, x)
	}
	if len(t.Agents) > 1 {
		row("all", t.Total)
	}
	a.out.rows([]string{"AGENT", "SESSIONS", "SEARCHES", "CALLS", "LISTS", "BYTES", "DIRECT BYTES", "TOKENS SAVED"}, rows)
	a.out.printf("%s\n", a.out.dim("tokens are "+folded(t.Tokenizer)))
}
