package cli

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

func (a *app) policyCommand() *cobra.Command {
	return noun("policy", "Say who may use which tools, and by which rule", a.policyExplainCommand(), a.policyShowCommand())
}

func (a *app) policyExplainCommand() *cobra.Command {
	var s source
	var asJSON bool
	var caller client.PolicyCaller
	c := &cobra.Command{
		Use:   "explain TOOL",
		Short: "Say whether a tool may be used, and which rule decides",
		Long: `Say whether a caller may see and call a tool, which rule decides and where that
rule stands, and what each scope of policy says by itself. TOOL is an id, a name,
or SERVER__NAME; of one that isn't known the patterns are explained all the same.`,
		Example: `  toolcrib policy explain mcp:github:delete_repo
  toolcrib policy explain github__delete_repo --agent research --door chat
  toolcrib policy explain delete_repo --provider openai/gpt-5 --json | jq -r .rule.place`,
		Args:              arguments(cobra.ExactArgs(1)),
		ValidArgsFunction: a.completeTools,
		RunE: func(cmd *cobra.Command, args []string) error {
			caller.Agent = s.agent
			return a.ask(cmd.Context(), s, forgotten, func(c *connection) error {
				e, err := c.ExplainPolicy(cmd.Context(), client.PolicyExplainRequest{Tool: args[0], PolicyCaller: caller})
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(e)
				}
				a.printPolicy(e)
				return nil
			})
		},
	}
	policyFlags(c, &caller)
	a.toolsFlags(c, &s, &asJSON, `{"tool", "known", "allowed", "rule": {"text", "path", "list", "pattern", "index", "place", "file", "line"}, "caller": {"agent", "door", "provider", "harness", "sandboxed", "subagent", "owner"}, "scopes": [{"scope", "says", "rule"}], "notes"}`)
	return c
}

func (a *app) policyShowCommand() *cobra.Command {
	var s source
	var asJSON bool
	var caller client.PolicyCaller
	c := &cobra.Command{
		Use:   "show",
		Short: "Show what a caller may use, and which rules refuse the rest",
		Example: `  toolcrib policy show --agent research
  toolcrib policy show --sandbox --json | jq -r '.denied[].rule.text'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			caller.Agent = s.agent
			return a.ask(cmd.Context(), s, forgotten, func(c *connection) error {
				shown, err := c.ShowPolicy(cmd.Context(), caller)
				if err != nil {
					return err
				}
				if asJSON {
					return a.out.json(shown)
				}
				a.printShown(shown)
				return nil
			})
		},
	}
	policyFlags(c, &caller)
	a.toolsFlags(c, &s, &asJSON, `{"caller": {"agent", "door", "provider", "harness", "sandboxed", "subagent", "owner"}, "owners": [{"source", "owner", "allowed", "denied"}], "allowed", "denied": [{"rule", "tools"}], "unavailable": [{"server", "state", "reason"}]}`)
	return c
}

// policyFlags add the flags that say who the caller is.
func policyFlags(c *cobra.Command, caller *client.PolicyCaller) {
	f := c.Flags()
	f.StringVar((*string)(&caller.Door), "door", "", "by which `door` the caller comes: mcp, chat, responses, messages, cli or agent (default mcp)")
	f.StringVar(&caller.Provider, "provider", "", "the model's `provider`, or PROVIDER/MODEL")
	f.StringVar(&caller.Harness, "harness", "", "the `program` that runs the model, such as codex")
	f.BoolVar(&caller.Sandboxed, "sandbox", false, "for a sandboxed session")
	f.BoolVar(&caller.Subagent, "subagent", false, "for an agent that another one started")
	f.BoolVar(&caller.Owner, "owner", false, "for a caller that is proven to be the operator")
	complete(c, "door", fixed("mcp", "chat", "responses", "messages", "cli", "agent"))
	complete(c, "harness", fixed("codex"))
}

func (a *app) printPolicy(e client.PolicyExplanation) {
	verdict := a.out.paint("32", "allowed")
	if !e.Allowed {
		verdict = a.out.paint("31", "refused")
	}
	a.out.printf("%s  %s\n\n", a.out.bold(folded(e.Tool)), verdict)
	a.field("rule", e.Rule.Text)
	a.field("at", placeOf(e.Rule))
	a.field("caller", callerWords(e.Caller))
	rows := make([][]string, 0, len(e.Scopes))
	for _, s := range e.Scopes {
		rows = append(rows, []string{folded(s.Scope), s.Says, itemOf(s.Rule), shortPlace(s.Rule)})
	}
	if len(rows) > 0 {
		a.out.printf("\n")
		a.out.rows([]string{"SCOPE", "SAYS", "BY", "AT"}, rows)
	}
	for _, n := range e.Notes {
		a.note("note", "2", n)
	}
}

// field writes one line with a name in front, or nothing.
func (a *app) field(name, value string) {
	if value != "" {
		a.out.printf("%s %s\n", a.out.bold(fmt.Sprintf("%-8s", name)), folded(value))
	}
}

// itemOf is a rule without the scope that it stands in.
func itemOf(r client.PolicyRule) string {
	switch {
	case r.Path == "":
		return ""
	case r.Index >= 0:
		return fmt.Sprintf("%s[%d] %q", r.List, r.Index, r.Pattern)
	case r.Pattern != "":
		return fmt.Sprintf("%s %q", r.List, r.Pattern)
	}
	return r.List
}

// placeOf is where a rule is written.
func placeOf(r client.PolicyRule) string {
	if r.Place == "" && strings.HasPrefix(r.Path, "defaults.") {
		return "built in"
	}
	return folded(r.Place)
}

// shortPlace is placeOf for a table, in which paths don't fit.
func shortPlace(r client.PolicyRule) string {
	if r.File == "" {
		return placeOf(r)
	}
	return folded(fmt.Sprintf("%s:%d", filepath.Base(r.File), r.Line))
}

// callerWords says in words who was asked for.
func callerWords(c client.PolicyCaller) string {
	words := []string{"agent " + c.Agent, "door " + string(c.Door)}
	for _, w := range []struct{ name, value string }{{"provider ", c.Provider}, {"harness ", c.Harness}} {
		if w.value != "" {
			words = append(words, w.name+w.value)
		}
	}
	for _, w := range []struct {
		on   bool
		word string
	}{{c.Sandboxed, "sandboxed"}, {c.Subagent, "subagent"}, {c.Owner, "owner"}} {
		if w.on {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

func (a *app) printShown(r client.PolicyShowReply) {
	a.field("caller", callerWords(r.Caller))
	rows := make([][]string, 0, len(r.Owners))
	for _, o := range r.Owners {
		name := string(o.Source)
		if o.Source != toolcrib.SourceClient {
			name += ":" + folded(o.Owner)
		}
		rows = append(rows, []string{name, strconv.Itoa(o.Allowed), strconv.Itoa(o.Denied)})
	}
	a.out.printf("\n")
	a.out.rows([]string{"OWNER", "ALLOWED", "REFUSED"}, rows)
	a.list(fmt.Sprintf("allowed: %d", len(r.Allowed)), r.Allowed)
	for _, d := range r.Denied {
		a.list(fmt.Sprintf("refused by %s%s: %d", folded(d.Rule.Text), inBrackets(placeOf(d.Rule)), len(d.Tools)), d.Tools)
	}
	a.warnUnavailable(r.Unavailable)
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// list writes a title and the ids below it.
func (a *app) list(title string, ids []string) {
	a.out.printf("\n%s\n", a.out.bold(title))
	for _, id := range ids {
		a.out.printf("  %s\n", folded(id))
	}
}
