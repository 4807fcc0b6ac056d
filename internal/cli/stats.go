package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib/client"
)

func (a *app) toolsStatsCommand() *cobra.Command {
	var s source
	var asJSON bool
	c := &cobra.Command{
		Use:   "stats",
		Short: "Measure what the tools cost a model in each mode",
		Long: `Measure what the tools cost a model in each mode: the bytes of the tool list
that every request carries, and an estimate of its tokens (four bytes each).
Below stands each server's share of the direct list, the largest first.`,
		Example: `  toolcrib tools stats
  toolcrib tools stats --json | jq '.modes[] | {mode, bytes}'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.ask(cmd.Context(), s, forgotten, func(c *connection) error {
				stats, err := c.Stats(cmd.Context(), s.agent)
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(stats)
				}
				a.printStats(stats)
				return nil
			})
		},
	}
	a.toolsFlags(c, &s, &asJSON, `{"tools", "modes": [{"mode", "visible", "bytes", "tokens"}], "owners": [{"owner", "tools", "bytes", "tokens"}]}`)
	return c
}

func (a *app) printStats(s client.Stats) {
	var modes [][]string
	for _, m := range s.Modes {
		modes = append(modes, []string{m.Mode, fmt.Sprint(m.Visible), fmt.Sprint(m.Bytes), fmt.Sprint(m.Tokens)})
	}
	a.out.rows([]string{"MODE", "TOOLS SHOWN", "BYTES", "TOKENS"}, modes)
	a.out.printf("\n")
	var owners [][]string
	for _, o := range s.Owners {
		owners = append(owners, []string{folded(o.Owner), fmt.Sprint(o.Tools), fmt.Sprint(o.Bytes), fmt.Sprint(o.Tokens)})
	}
	a.out.rows([]string{"OWNER", "TOOLS", "BYTES", "TOKENS"}, owners)
}
