package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/gateway"
	"github.com/toolcrib/toolcrib/internal/config"
)

func (a *app) hooksCommand() *cobra.Command {
	return noun("hooks", "List the hooks around calls, and try one", a.hooksListCommand(), a.hooksTestCommand())
}

// hookLine is one hook of hooks list --json.
type hookLine struct {
	Name      string   `json:"name"`
	Event     string   `json:"event"`
	Priority  int      `json:"priority"`
	Match     []string `json:"match"`
	Command   []string `json:"command,omitempty"`
	URL       string   `json:"url,omitempty"`
	Signed    bool     `json:"signed,omitempty"`
	TimeoutMs int      `json:"timeoutMs"`
	Enabled   bool     `json:"enabled"`
}

func (a *app) hooksListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the configured hooks in the order in which they run",
		Example: `  toolcrib hooks list
  toolcrib hooks list --json | jq -r '.hooks[].name'`,
		Args: arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			lines := a.hookLines(cfg)
			if asJSON {
				return a.out.json(map[string][]hookLine{"hooks": lines})
			}
			a.printHooks(lines)
			return nil
		},
	}
	jsonFlag(c, &asJSON, `{"hooks": [{"name", "event", "priority", "match": ["..."], "command": ["..."], "url", "signed", "timeoutMs", "enabled"}]}`)
	return c
}

// hookLines are the hooks in the order in which they run, those before calls first.
func (a *app) hookLines(cfg *config.Config) []hookLine {
	lines := []hookLine{}
	for name, h := range cfg.Hooks {
		line := hookLine{
			Name: name, Event: h.Event, Priority: h.Priority, Match: orEmpty(h.Match), URL: a.redact(h.URL), Signed: h.Secret != "",
			TimeoutMs: h.TimeoutMs, Enabled: h.Enabled,
		}
		if h.Command != "" {
			for _, word := range append([]string{h.Command}, h.Args...) {
				line.Command = append(line.Command, a.redact(word))
			}
		}
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(x, y hookLine) int {
		return cmp.Or(-cmp.Compare(x.Event, y.Event), cmp.Compare(y.Priority, x.Priority), cmp.Compare(x.Name, y.Name))
	})
	return lines
}

func (a *app) printHooks(lines []hookLine) {
	if len(lines) == 0 {
		a.note("note", "2", "no hooks are configured: docs/hooks.md says how")
		return
	}
	rows := make([][]string, 0, len(lines))
	for _, l := range lines {
		match, state := cmp.Or(strings.Join(l.Match, " "), "every tool"), "on"
		if !l.Enabled {
			state = "off"
		}
		runs := cmp.Or(l.URL, strings.Join(l.Command, " "))
		rows = append(rows, []string{l.Name, strings.TrimSuffix(l.Event, "_tool_call"), strconv.Itoa(l.Priority), state, folded(match), folded(runs)})
	}
	a.out.rows([]string{"NAME", "WHEN", "PRIORITY", "STATE", "FOR", "RUNS"}, rows)
}

func (a *app) hooksTestCommand() *cobra.Command {
	var asJSON bool
	var t gateway.HookTrial
	var args, result string
	c := &cobra.Command{
		Use:   "test NAME --tool ID [KEY=VALUE... | JSON]",
		Short: "Run one hook for a made-up call, and show what it would do",
		Long: `Run one hook for a made-up call, and show what it was sent, what it answered, how
long it took and what would become of the call. No tool is run, no gateway is needed,
and the tool need not be there. A hook that would stop the call ends the command with
code 5. A hook that is switched off can be tried too.`,
		Example: `  toolcrib hooks test guard --tool mcp:github:create_issue title=Hello
  toolcrib hooks test guard --tool mcp:shell:run --args '{"command": "rm -rf /"}'
  toolcrib hooks test no-cards --tool mcp:shop:pay --result '{"content": [{"type": "text", "text": "4111 1111 1111 1111"}]}'
  toolcrib hooks test guard --tool mcp:shell:run --json | jq -r .effect`,
		Args:              arguments(cobra.MinimumNArgs(1)),
		ValidArgsFunction: a.completeHooks,
		RunE: func(cmd *cobra.Command, words []string) error {
			if t.Tool == "" {
				return toolcrib.NewError(toolcrib.KindInput, "no tool is named", "give --tool ID, such as --tool mcp:github:create_issue")
			}
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			if t.Args, err = a.hookArgs(args, words[1:]); err != nil {
				return err
			}
			if t.Result, err = hookResult(result); err != nil {
				return err
			}
			t.Hook, t.Environ = words[0], a.p.Environ
			r, err := gateway.TryHook(cmd.Context(), cfg, t)
			if err != nil {
				return err
			}
			if asJSON {
				err = a.out.json(r)
			} else {
				a.printTrial(r)
			}
			return cmp.Or(err, r.Refusal)
		},
	}
	c.Flags().StringVar(&t.Tool, "tool", "", "the `ID` of the tool that is called")
	c.Flags().StringVar(&args, "args", "", "its arguments as a `JSON` object, @FILE to read them from a file, - from stdin")
	c.Flags().StringVar(&t.Event, "event", "", "the `event`: before_tool_call or after_tool_call (default: the hook's own)")
	c.Flags().StringVar(&result, "result", "", "what the tool answered, as `JSON`, for a hook after calls")
	c.Flags().StringVar(&t.Agent, "agent", "", "the `agent` that calls")
	complete(c, "tool", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.completeTools(cmd, nil, "")
	})
	complete(c, "event", fixed("before_tool_call", "after_tool_call"))
	complete(c, "agent", a.completeAgents)
	jsonFlag(c, &asJSON, `{"hook", "event", "tool", "enabled", "matches", "sent", "answer", "stderr", "exitCode", "status", "tookMs", "effect", "reason", "args", "result", "question"}`)
	return c
}

// hookArgs are the arguments of a made-up call.
func (a *app) hookArgs(flag string, words []string) (json.RawMessage, error) {
	given, err := a.callArgs(flag, words)
	if err != nil || given.object != nil {
		return given.object, err
	}
	return object(given.pairs, nil)
}

// hookResult reads --result.
func hookResult(text string) (*toolcrib.Result, error) {
	if text == "" {
		return nil, nil
	}
	r := &toolcrib.Result{}
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return nil, toolcrib.NewError(toolcrib.KindInput, "--result is not the JSON of a result: "+err.Error(),
			`write --result '{"content": [{"type": "text", "text": "done"}]}'`)
	}
	return r, nil
}

func (a *app) completeHooks(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	cfg, _, err := a.readConfig()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Sorted(maps.Keys(cfg.Hooks)), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) printTrial(r gateway.HookReport) {
	o := a.out
	part := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			o.printf("%s\n%s\n", o.bold(name), o.shown(text))
		}
	}
	part("sent", indented(r.Sent))
	said := indented(json.RawMessage(strings.TrimSpace(r.Answer)))
	switch {
	case r.ExitCode != nil:
		part(fmt.Sprintf("answered after %d ms, exit code %d", r.TookMs, *r.ExitCode), cmp.Or(said, "nothing"))
	case r.Status != 0:
		part(fmt.Sprintf("answered after %d ms, status %d", r.TookMs, r.Status), cmp.Or(said, "nothing"))
	default:
		part(fmt.Sprintf("gave no answer, %d ms", r.TookMs), said)
	}
	part("stderr", r.Stderr)
	if q := r.Question; q != nil {
		part("question", fmt.Sprintf("%s\n%s\n%s, %v", q.Title, cmp.Or(q.Description, "no description"), q.Severity, q.Decisions))
	}
	if r.Effect == "rewrote" || r.Question != nil {
		part("arguments", indented(r.Args))
	}
	if r.Effect == "redacted" {
		if text, err := json.MarshalIndent(r.Result, "", "  "); err == nil {
			part("result", string(text))
		}
	}
	o.printf("%s %s\n", o.bold("effect"), r.Effect)
	if !r.Enabled {
		a.note("note", "2", "the hook is switched off: it doesn't run")
	}
	if !r.Matches {
		a.note("note", "2", "the hook's match doesn't fit this tool: it doesn't run for it")
	}
}
