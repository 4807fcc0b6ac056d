package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib/client"
)

func (a *app) sessionsExplainCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "explain ID",
		Short: "Say what a session's model saw up front, looked for, and ran in the end",
		Long: `Say, from the record alone: how many schemas the model saw up front, how many
searches and descriptions it asked for, which tool it called in the end, and from
which kind of source that tool's result came.`,
		Example: `  toolcrib sessions explain "$(toolcrib sessions list --json | jq -r '.sessions[0].id')"
  toolcrib sessions explain ID --json | jq -r '.final.source'`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.lookUp(cmd.Context(), func(c *connection) error {
				x, err := c.ExplainSession(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(x)
				}
				a.printExplanation(x)
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON, `{"session", "shown": {"mode", "schemas", "bytes", "directBytes", "catalog"}, "searches", "describes", "bodies", "requests", "found": ["..."], "described": ["..."], "calls": [CALL], "final": CALL}, with CALL {"callId", "tool", "source", "ms", "outcome", "failure", "reason"}`)
	return c
}

func (a *app) printExplanation(x client.SessionExplanation) {
	answer := func(question, text string) { a.out.printf("%s %s\n", a.out.bold(fmt.Sprintf("%-12s", question)), text) }
	saw := "not recorded"
	if s := x.Shown; s != nil {
		saw = fmt.Sprintf("%s in mode %s, %d bytes; all tools would be %d", counted(s.Schemas, "schema"), s.Mode, s.Bytes, s.DirectBytes)
	}
	answer("saw up front", saw)
	looked := fmt.Sprintf("%s, %s", countedIn(x.Searches, "search", "searches"), counted(x.Describes, "description"))
	if x.Bodies > 0 {
		looked += ", " + countedIn(x.Bodies, "body of code", "bodies of code")
	}
	answer("looked", looked)
	if x.Requests > 0 {
		answer("was asked", counted(x.Requests, "time"))
	}
	ran, from := "nothing", "nowhere"
	if f := x.Final; f != nil {
		ran, from = fmt.Sprintf("%s: %s", folded(f.Tool), cmp.Or(f.Outcome, "no end is known")), string(f.Source)
	}
	answer("ran last", ran)
	answer("result from", from)
	if len(x.Described) > 0 {
		answer("read", folded(strings.Join(x.Described, ", ")))
	}
	if len(x.Calls) == 0 {
		return
	}
	a.out.printf("\n")
	var rows [][]string
	for _, c := range x.Calls {
		rows = append(rows, []string{c.CallID, folded(c.Tool), string(c.Source), fmt.Sprint(c.Ms), cmp.Or(c.Outcome, "unknown"), folded(c.Reason)})
	}
	a.out.rows([]string{"CALL", "TOOL", "SOURCE", "MS", "OUTCOME", "REASON"}, rows)
}
