package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

const (
	questionShape = `{"id", "title", "description", "severity", "decisions": ["..."], "tool", "source", "callId", "args": {}, "scope": {}, "rule", "bindArgs", "asked", "expires"}`
	settledShape  = `{"id", "title", "tool", "rule", "decision", "by", "reason", "settled"} and what approvals list shows`
	grantShape    = `{"id", "agent", "tool", "rule", "argsHash", "by", "created", "lastUsed", "uses"}`
)

func (a *app) approvalsCommand() *cobra.Command {
	return noun("approvals", "Say yes or no to calls that wait for a person",
		a.approvalsListCommand(), a.approvalsWatchCommand(), a.approvalsResolveCommand(), a.approvalsGrantsCommand(), a.approvalsRevokeCommand(), a.approvalsHistoryCommand())
}

func (a *app) approvalsListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the calls that wait for an approval, the oldest first",
		Example: `  toolcrib approvals list
  toolcrib approvals list --json | jq -r '.approvals[].id'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.lookUp(cmd.Context(), func(c *connection) error {
				list, err := c.Approvals(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(client.ApprovalList{Approvals: orEmpty(list)})
				}
				a.printApprovals(list)
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON, `{"approvals": [`+questionShape+`]}`)
	return c
}

func (a *app) printApprovals(list []client.Approval) {
	if len(list) == 0 {
		a.note("note", "2", "no call waits for an approval")
		return
	}
	for i, q := range list {
		if i > 0 {
			a.out.printf("\n")
		}
		a.printQuestion(q, time.Now())
	}
	a.note("hint", "36", "answer with: toolcrib approvals resolve ID "+decisionWords(list[0].Decisions, "|"))
}

// printQuestion writes one question whole.
func (a *app) printQuestion(q client.Approval, now time.Time) {
	left := max(q.Expires.Sub(now), 0).Round(time.Second)
	a.out.printf("%s  %s\n", a.out.bold(folded(q.Title)), a.out.dim(fmt.Sprintf("(%s, %s left)", folded(string(q.Severity)), left)))
	line := func(name, text string) {
		if text = folded(text); text != "" {
			a.out.printf("  %-6s %s\n", name, text)
		}
	}
	line("", q.Description)
	line("tool", q.Tool)
	line("args", string(q.Args))
	who := "agent " + q.Scope.Agent
	if q.Scope.Client != "" {
		who += ", client " + q.Scope.Client
	}
	if q.Scope.Caller != "" {
		who += ", token " + q.Scope.Caller
	}
	line("from", who)
	line("asked", "by "+q.Rule)
	line("id", q.ID)
}

func decisionWords(list []toolcrib.Decision, between string) string {
	words := make([]string, len(list))
	for i, d := range list {
		words[i] = string(d)
	}
	return strings.Join(words, between)
}

// person refuses unless a person is there: what a model runs has no terminal, and
// must not say yes to itself. No flag changes that.
func (a *app) person() error {
	if a.p.StdinTerminal && a.p.StdoutTerminal {
		return nil
	}
	return toolcrib.NewError(toolcrib.KindBlocked, "an approval is answered by a person, and there is none: standard input and output are no terminal",
		"run it yourself in a terminal, without a pipe; programs can't answer in your place")
}

func (a *app) approvalsResolveCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "resolve ID DECISION",
		Short: "Answer a call that waits: allow-once, allow-always or deny",
		Long: `Answer a call that waits, with allow-once, allow-always or deny. The first answer
counts. allow-always is kept for the agent, the tool and the rule that asked; see
toolcrib approvals grants.

It needs a terminal at its standard input and output, so that what a model runs
can't say yes to itself.`,
		Example: `  toolcrib approvals resolve 5QZ3BHQ2W4XTGYZ7RB4KPVZ5LM allow-once
  toolcrib approvals resolve 5QZ3BHQ2W4XTGYZ7RB4KPVZ5LM deny`,
		Args: arguments(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.person(); err != nil {
				return err
			}
			c, err := a.attach(cmd.Context())
			if err != nil {
				return err
			}
			defer c.close()
			settled, err := c.Resolve(cmd.Context(), args[0], toolcrib.Decision(args[1]))
			if err != nil {
				return err
			}
			if asJSON {
				return a.out.json(settled)
			}
			a.out.printf("%s: %s\n", settled.Decision, folded(settled.Tool))
			return nil
		},
	}
	jsonFlag(c, &asJSON, settledShape)
	return c
}

func (a *app) approvalsHistoryCommand() *cobra.Command {
	var asJSON bool
	var limit int
	c := &cobra.Command{
		Use:   "history",
		Short: "List the approvals that were answered, or ended otherwise, the newest first",
		Example: `  toolcrib approvals history
  toolcrib approvals history --limit 200 --json | jq -r '.approvals[] | select(.decision == "deny") | .tool'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("--limit is %d", limit), "give 1 or more")
			}
			return a.lookUp(cmd.Context(), func(c *connection) error {
				list, err := c.ApprovalHistory(cmd.Context(), limit)
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(client.ApprovalList{Approvals: orEmpty(list)})
				}
				a.printHistory(list)
				return nil
			})
		},
	}
	c.Flags().IntVarP(&limit, "limit", "n", 50, "the last `number` of approvals")
	jsonFlag(c, &asJSON, `{"approvals": [`+settledShape+`]}`)
	return c
}

func (a *app) printHistory(list []client.Approval) {
	if len(list) == 0 {
		a.note("note", "2", "nobody was asked for an approval yet")
		return
	}
	rows := make([][]string, 0, len(list))
	for _, s := range list {
		note := folded(s.Reason)
		if note == "" {
			note = folded(s.Title)
		}
		rows = append(rows, []string{minute(s.Settled), folded(string(s.Decision)), folded(s.By), folded(s.Tool), folded(s.Scope.Agent), note})
	}
	a.out.rows([]string{"SETTLED", "DECISION", "BY", "TOOL", "AGENT", "NOTE"}, rows)
}

func (a *app) approvalsGrantsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "grants",
		Short:   "List the answers allow-always, the oldest first",
		Example: `  toolcrib approvals grants`,
		Args:    arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.lookUp(cmd.Context(), func(c *connection) error {
				grants, err := c.Grants(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(client.GrantList{Grants: orEmpty(grants)})
				}
				a.printGrants(grants)
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON, `{"grants": [`+grantShape+`]}`)
	return c
}

func (a *app) printGrants(grants []client.Grant) {
	if len(grants) == 0 {
		a.note("note", "2", "nothing was allowed for always")
		return
	}
	rows := make([][]string, 0, len(grants))
	for _, g := range grants {
		rule := folded(g.Rule)
		if g.ArgsHash != "" {
			rule = "the same arguments, " + rule
		}
		rows = append(rows, []string{folded(g.ID), folded(g.Agent), folded(g.Tool), fmt.Sprint(g.Uses), minute(g.LastUsed), rule})
	}
	a.out.rows([]string{"ID", "AGENT", "TOOL", "USES", "LAST USED", "RULE"}, rows)
}

func (a *app) approvalsRevokeCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "revoke ID",
		Short:   "Take an answer allow-always back: the next call asks again",
		Example: `  toolcrib approvals revoke 7KQXN2M4V6YHR3TBW5ZCJLPDSA`,
		Args:    arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.lookUp(cmd.Context(), func(c *connection) error {
				if err := c.RevokeGrant(cmd.Context(), args[0]); err != nil {
					return err
				}
				if asJSON {
					return a.out.json(struct {
						Revoked string `json:"revoked"`
					}{args[0]})
				}
				a.note("note", "2", "the next call asks again")
				return nil
			})
		},
	}
	jsonFlag(c, &asJSON, `{"revoked"}`)
	return c
}
