package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// policyRule is a rule as `policy explain --json` tells it.
type policyRule struct {
	Text, Path, Place, File string
	Line                    int
}

// policyAnswer is what `policy explain --json` tells.
type policyAnswer struct {
	Tool           string
	Known, Allowed bool
	Rule           policyRule
	Scopes         []struct{ Scope, Says string }
}

// policyFile is a configuration with two servers and rules, one a line.
func policyFile(t *testing.T, deny string) string {
	t.Helper()
	entries, err := json.Marshal(object{"good": fake(t, "good"), "second": fake(t, "good")})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{
  mcp: { servers: %s },
  tools: {
    toolSearch: { mode: "tools" },
    deny: [%s],
    byProvider: { openai: { deny: ["good__*"] } },
  },
  agents: { list: [
    { id: "narrow", tools: {
      allow: [
        "mcp:second:*",
      ] } },
  ] },
}`, entries, deny)
}

// lineOf is the line of a text on which a part of it stands, from 1.
func lineOf(t *testing.T, text, part string) int {
	t.Helper()
	before, _, ok := strings.Cut(text, part)
	if !ok {
		t.Fatalf("%q is not in %s", part, text)
	}
	return 1 + strings.Count(before, "\n")
}

// TestPolicyExplain: which rule decides and where it stands is told with and without a
// gateway that runs, for an agent, a provider, and a tool that nobody knows.
func TestPolicyExplain(t *testing.T) {
	t.Parallel()
	text := policyFile(t, `"*secret*"`)
	h := newHome(t, text)
	check := func(how string) {
		t.Helper()
		for _, c := range []struct {
			args    []string
			allowed bool
			known   bool
			rule    string
			part    string // of the file, at the rule
		}{
			{[]string{"mcp:good:water_plants"}, true, true, "no rule against it", ""},
			{[]string{"mcp:good:water_plants", "--agent", "narrow"}, false, true, "agents.list[narrow].tools.allow (nothing in it fits)", "allow: ["},
			{[]string{"second__water_plants", "--agent", "narrow"}, true, true, `agents.list[narrow].tools.allow "mcp:second:*"`, `"mcp:second:*"`},
			{[]string{"mcp:good:water_plants", "--provider", "openai/gpt-5"}, false, true, `tools.byProvider.openai.deny "good__*"`, `["good__*"]`},
			{[]string{"mcp:nobody:read_secret"}, false, false, `tools.deny "*secret*"`, `["*secret*"]`},
		} {
			got := answer[policyAnswer](h, append([]string{"policy", "explain"}, c.args...)...)
			want := policyAnswer{Allowed: c.allowed, Known: c.known, Rule: policyRule{Text: c.rule}}
			if c.part != "" {
				want.Rule.File, want.Rule.Line = h.config, lineOf(t, text, c.part)
			}
			if got.Allowed != want.Allowed || got.Known != want.Known || got.Rule.Text != c.rule || got.Rule.File != want.Rule.File || got.Rule.Line != want.Rule.Line {
				t.Errorf("%s: %v: got %+v, want %+v", how, c.args, got, want)
			}
			if c.part != "" {
				mentions(t, h.ok(append([]string{"policy", "explain"}, c.args...)...), fmt.Sprintf("%s:%d:", h.config, want.Rule.Line))
			}
		}
	}
	check("without a gateway")
	g := h.serve()
	g.ready("good", "second")
	check("with one")
	h.fails(2, []string{`there is no door "mpc"`, `did you mean "mcp"?`}, "policy", "explain", "x", "--door", "mpc")

	shown := answer[struct {
		Allowed []string
		Owners  []struct {
			Source, Owner   string
			Allowed, Denied int
		}
		Denied []struct {
			Rule  policyRule
			Tools []string
		}
	}](h, "policy", "show", "--agent", "narrow")
	if got := strings.Join(shown.Allowed, " "); got != "core:results:read mcp:second:water_plants" {
		t.Errorf("the agent may use %s", got)
	}
	refused := map[string]policyRule{}
	for _, d := range shown.Denied {
		for _, id := range d.Tools {
			refused[id] = d.Rule
		}
	}
	if refused["mcp:good:water_plants"].Line != lineOf(t, text, "allow: [") || refused["core:fs:read"].Path != "defaults.deny[0]" {
		t.Errorf("refused: %+v", shown.Denied)
	}
	mentions(t, h.ok("policy", "show", "--agent", "narrow"), "allowed: 2", "refused by agents.list[narrow].tools.allow", fmt.Sprintf("%s:%d:", h.config, lineOf(t, text, "allow: [")))
}

// TestPolicyNarrowsAnOpenSession: what the saved file takes away is gone for a session
// that was open before, in every way to ask for it, and explained by its new line.
func TestPolicyNarrowsAnOpenSession(t *testing.T) {
	t.Parallel()
	h := newHome(t, policyFile(t, ""))
	g := h.serve()
	g.ready("good", "second")
	main, narrow := h.hello(), h.hello("--agent", "narrow")
	mentions(t, main.use("mcp:good:water_plants", `{"litres":1}`).text(), `water_plants {\"litres\":1}`)
	mentions(t, narrow.use("mcp:second:water_plants", `{"litres":2}`).text(), `water_plants {\"litres\":2}`)
	refused := narrow.use("mcp:good:water_plants", `{}`)
	absent := narrow.use("mcp:gone:water_plants", `{}`)
	if !refused.IsError || strings.ReplaceAll(refused.text(), "good", "gone") != absent.text() {
		t.Errorf("a tool that the agent may not use answers %s, one that there isn't %s", refused.text(), absent.text())
	}

	text := policyFile(t, `"mcp:second:*"`)
	h.write(text)
	call := `{"name":"tool_call","arguments":{"id":"mcp:second:water_plants","args":{"litres":3}}}`
	gone := func(r toolResult) bool { return r.IsError }
	mentions(t, main.until("the tool is gone", call, gone).text(), `"not_found"`)
	if d := main.call(`{"name":"tool_describe","arguments":{"id":"mcp:second:water_plants"}}`); !d.IsError || !strings.Contains(d.text(), `"not_found"`) {
		t.Errorf("it is described all the same: %s", d.text())
	}
	narrow.until("nothing is left to the agent", call, gone)
	if list := string(narrow.ask("tools/list", "{}").Result); strings.Contains(list, "tool_call") || strings.Contains(list, "water_plants") {
		t.Errorf("an agent that may use nothing is shown %s", list)
	}
	mentions(t, main.use("mcp:good:water_plants", `{"litres":4}`).text(), `water_plants {\"litres\":4}`)
	e := answer[policyAnswer](h, "policy", "explain", "mcp:second:water_plants")
	if e.Allowed || e.Rule.Text != `tools.deny "mcp:second:*"` || e.Rule.Line != lineOf(t, text, `deny: ["mcp:second:*"]`) {
		t.Errorf("explained: %+v", e)
	}
	main.hangUp()
	narrow.hangUp()
}
