package cli

import (
	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib/gateway"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can isolate",
		Long: `Say what this machine can do to hold a model's code: the pieces of the operating
system's fence, and the runtimes of tools.toolSearch.codeRuntime, each tried with a
child that is confined and ended. Where no runtime can be had, mode code becomes
mode tools. The exit code is 0 all the same.`,
		Example: `  toolcrib doctor
  toolcrib doctor --json | jq '.runtimes[] | select(.ok) | .name'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			i := a.p.Sandbox.Isolation(cmd.Context(), a.p.env("PATH"))
			if asJSON {
				return a.out.json(i)
			}
			a.printIsolation(i)
			return nil
		},
	}
	jsonFlag(c, &asJSON, `{"pieces": [{"name", "ok", "detail"}], "runtimes": [{"name", "ok", "reason"}]}`)
	return c
}

func (a *app) printIsolation(i gateway.Isolation) {
	var rows [][]string
	for _, p := range i.Pieces {
		rows = append(rows, []string{p.Name, yesNo(p.OK), folded(p.Detail)})
	}
	a.out.rows([]string{"PIECE", "HERE", "DETAIL"}, rows)
	a.out.printf("\n")
	rows = nil
	for _, r := range i.Runtimes {
		rows = append(rows, []string{r.Name, yesNo(r.OK), folded(r.Reason)})
	}
	a.out.rows([]string{"CODE RUNTIME", "HERE", "REASON"}, rows)
}

func yesNo(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}
