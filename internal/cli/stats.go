package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib/client"
)

func (a *app) toolsStatsCommand() *cobra.Command {
	var s source
	var asJSON bool
	c := &cobra.Command{
		Use:   "stats",
		Short: "Measure what the tools cost a model in each mode, and say what to switch off first",
		Long: `Measure what the tools cost a model in each mode: the bytes of the tool list and
of the instructions that every request carries, and an estimate of their tokens
(four bytes each). Below stand each server's share of the direct list, the largest
tools of it, and what to switch off first: servers whose tools another one has too,
then what takes most.`,
		Example: `  toolcrib tools stats
  toolcrib tools stats --json | jq '.modes[] | {mode, bytes}'
  toolcrib tools stats --json | jq -r '.savings[].command'`,
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
	a.toolsFlags(c, &s, &asJSON, `{"tools", "tokenizer", "modes": [{"mode", "visible", "bytes", "instructions", "tokens"}], "owners": [{"owner", "tools", "bytes", "tokens"}], "largest": [{"id", "bytes", "tokens", "share"}], "savings": [{"command", "owner", "tool", "twin", "reason", "bytes", "tokens"}]}`)
	return c
}

func (a *app) printStats(s client.Stats) {
	var modes [][]string
	for _, m := range s.Modes {
		modes = append(modes, []string{m.Mode, fmt.Sprint(m.Visible), fmt.Sprint(m.Bytes), fmt.Sprint(m.Tokens)})
	}
	a.out.rows([]string{"MODE", "TOOLS SHOWN", "BYTES", "TOKENS"}, modes)
	if s.Tokenizer != "" {
		a.out.printf("%s\n", a.out.dim("tokens are "+folded(s.Tokenizer)))
	}
	a.out.printf("\n")
	var owners [][]string
	for _, o := range s.Owners {
		owners = append(owners, []string{folded(o.Owner), fmt.Sprint(o.Tools), fmt.Sprint(o.Bytes), fmt.Sprint(o.Tokens)})
	}
	a.out.rows([]string{"OWNER", "TOOLS", "BYTES", "TOKENS"}, owners)
	if len(s.Largest) > 0 {
		a.out.printf("\n")
		var tools [][]string
		for _, t := range s.Largest {
			tools = append(tools, []string{folded(t.ID), fmt.Sprint(t.Bytes), fmt.Sprint(t.Tokens), fmt.Sprintf("%.1f %%", t.Share)})
		}
		a.out.rows([]string{"LARGEST TOOL", "BYTES", "TOKENS", "SHARE"}, tools)
	}
	if note := searched(s.Modes); note != "" && len(s.Savings) > 0 {
		a.out.printf("\n%s\n", note)
	}
	a.printSavings(s.Savings)
}

// searched says what a model sees where it searches: there it makes no difference
// how many tools there are.
func searched(modes []client.ModeStats) string {
	var words []string
	for _, m := range modes {
		if m.Mode == "code" || m.Mode == "tools" {
			words = append(words, fmt.Sprintf("about %d tokens in mode %s", m.Tokens, m.Mode))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "A model that searches sees " + strings.Join(words, ", ") + ", whatever is switched off:\nwhat follows helps mode direct only."
}

// printSavings says what to switch off first.
func (a *app) printSavings(list []client.Saving) {
	if len(list) == 0 {
		return
	}
	a.out.printf("\n%s\n", a.out.bold("To make the direct list smaller, switch off first:"))
	for i, s := range list {
		a.out.printf("%d. %s: saves %d bytes, about %d tokens; %s\n", i+1, folded(subject(s)), s.Bytes, s.Tokens, folded(s.Reason))
		a.out.printf("   %s\n", folded(a.withConfig(s.Command)))
	}
}

// subject is what a saving switches off.
func subject(s client.Saving) string {
	if s.Tool != "" {
		return "tool " + s.Tool
	}
	return "server " + s.Owner
}

// withConfig is a command of ours for the configuration of this run.
func (a *app) withConfig(command string) string {
	if a.configPath == "" {
		return command
	}
	return command + " --config " + shellQuote(a.configPath)
}
