package gateway

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/policy"
)

// everyScope denies or leaves out one tool in each scope that the configuration has.
const everyScope = `{
  tools: {
    profile: "coding", alsoAllow: ["*"], deny: ["global"],
    byProvider: {"OpenAI": {deny: ["provider"]}, "openai/gpt-5": {deny: ["model"]}},
    byChannel: {
      mcp: {deny: ["at_mcp"]}, chat: {deny: ["at_chat"]}, responses: {deny: ["at_responses"]}, messages: {deny: ["at_messages"]},
      cli: {deny: ["at_cli"]}, agent: {deny: ["at_agent"]},
    },
    byHarness: {codex: {deny: ["harness"]}},
    sandbox: {tools: {deny: ["sandbox"]}}, subagents: {tools: {deny: ["subagent"]}},
  },
  agents: {list: [
    {id: "a", sandbox: false, tools: {
      deny: ["own"], byProvider: {openai: {deny: ["own_provider"]}}, byChannel: {chat: {deny: ["own_chat"]}}, byHarness: {codex: {deny: ["own_harness"]}},
      sandbox: {tools: {deny: ["own_sandbox"]}}, subagents: {tools: {deny: ["own_subagent"]}}}},
    {id: "b", sandbox: true, harness: "Codex", model: "openai/gpt-5"},
    {id: "7", tools: {deny: ["number"]}},
  ]},
}`

var everyName = []string{
	"global", "provider", "model", "at_mcp", "at_chat", "at_responses", "at_messages", "at_cli", "at_agent", "harness", "sandbox", "subagent",
	"own", "own_provider", "own_chat", "own_harness", "own_sandbox", "own_subagent", "number", "session", "token", "run", "free",
}

func everyTool() []Tool {
	var tools []Tool
	for _, name := range everyName {
		tools = append(tools, echo(name))
	}
	return tools
}

// missing are the names that a session doesn't see; it fails when a session sees what
// it can't call, or the other way round.
func missing(t *testing.T, s *Session) []string {
	t.Helper()
	seen := names(s.Surface(t.Context()))
	var out []string
	for _, name := range everyName {
		_, _, err := s.Call(t.Context(), name, json.RawMessage(`{"text":"x"}`))
		if slices.Contains(seen, name) {
			if err != nil {
				t.Errorf("%s is listed, and calling it: %v", name, err)
			}
			continue
		}
		out = append(out, name)
		if toolcrib.KindOf(err) != toolcrib.KindNotFound {
			t.Errorf("%s is not listed, and calling it: %v", name, err)
		}
	}
	return out
}

func TestEveryScopeNarrows(t *testing.T) {
	g, err := New(t.Context(), Options{ConfigFile: written(t, everyScope), Tools: everyTool(), Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	deny := func(name string) *toolcrib.ToolList { return &toolcrib.ToolList{Deny: []string{name}} }
	for _, c := range []struct {
		name  string
		scope toolcrib.Scope
		want  string
	}{
		{"agent's door", toolcrib.Scope{}, "global at_agent"},
		{"mcp", toolcrib.Scope{Door: toolcrib.DoorMCP}, "global at_mcp"},
		{"chat", toolcrib.Scope{Door: toolcrib.DoorChat}, "global at_chat"},
		{"responses", toolcrib.Scope{Door: toolcrib.DoorResponses}, "global at_responses"},
		{"messages", toolcrib.Scope{Door: toolcrib.DoorMessages}, "global at_messages"},
		{"cli", toolcrib.Scope{Door: toolcrib.DoorCLI}, "global at_cli"},
		{"provider", toolcrib.Scope{Door: toolcrib.DoorMCP, Provider: "openai"}, "global provider at_mcp"},
		{"model", toolcrib.Scope{Door: toolcrib.DoorMCP, Provider: "OPENAI/GPT-5"}, "global provider model at_mcp"},
		{"other model", toolcrib.Scope{Door: toolcrib.DoorMCP, Provider: "openai/gpt-5-mini"}, "global provider at_mcp"},
		{"other provider", toolcrib.Scope{Door: toolcrib.DoorMCP, Provider: "openaiish"}, "global at_mcp"},
		{"harness", toolcrib.Scope{Door: toolcrib.DoorMCP, Harness: "Codex"}, "global at_mcp harness"},
		{"harness by client", toolcrib.Scope{Door: toolcrib.DoorMCP, Client: "codex-mcp-client"}, "global at_mcp harness"},
		{"other client", toolcrib.Scope{Door: toolcrib.DoorMCP, Client: "codexer"}, "global at_mcp"},
		{"token's harness before the client's", toolcrib.Scope{Door: toolcrib.DoorMCP, Harness: "other", Client: "codex-mcp-client"}, "global at_mcp"},
		{"sandbox", toolcrib.Scope{Door: toolcrib.DoorMCP, Sandboxed: true}, "global at_mcp sandbox"},
		{"subagent", toolcrib.Scope{Door: toolcrib.DoorMCP, Subagent: true}, "global at_mcp subagent"},
		{"agent", toolcrib.Scope{Agent: "a", Door: toolcrib.DoorMCP}, "global at_mcp own"},
		{
			"all of an agent",
			toolcrib.Scope{Agent: "a", Door: toolcrib.DoorChat, Provider: "openai", Harness: "codex", Sandboxed: true, Subagent: true},
			"global provider at_chat harness sandbox subagent own own_provider own_chat own_harness own_sandbox own_subagent",
		},
		{"what the agent says", toolcrib.Scope{Agent: "b"}, "global provider model at_agent harness sandbox"},
		{"no model over MCP", toolcrib.Scope{Agent: "b", Door: toolcrib.DoorMCP}, "global at_mcp harness sandbox"},
		{"an id that is a number", toolcrib.Scope{Agent: "7", Door: toolcrib.DoorMCP}, "global at_mcp number"},
		{
			"lists of the caller",
			toolcrib.Scope{Narrow: &toolcrib.Narrowing{Session: deny("session"), Token: deny("token"), Run: deny("run")}},
			"global at_agent session token run",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := g.Open(SessionOptions{Scope: c.scope, Mode: "direct"})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if diff := cmp.Diff(strings.Fields(c.want), missing(t, s)); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestListsOfASession(t *testing.T) {
	g, err := New(t.Context(), Options{Tools: []Tool{echo("first"), echo("second"), echo("third")}, Settings: []string{"tools.deny=third"}, Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	empty := &toolcrib.Narrowing{Run: &toolcrib.ToolList{Allow: []string{}}}
	for _, c := range []struct {
		name string
		o    SessionOptions
		want string
	}{
		{"none", SessionOptions{}, "first results__read second"},
		{"allow", SessionOptions{Allow: []string{"first", "third"}}, "first results__read"},
		{"deny", SessionOptions{Deny: []string{"FIRST", "core:results:read"}}, "second"},
		{"empty", SessionOptions{Allow: []string{}}, "first results__read second"},
		{"empty list of a run", SessionOptions{Scope: toolcrib.Scope{Narrow: empty}}, ""},
		{"list of a run", SessionOptions{Scope: toolcrib.Scope{Narrow: &toolcrib.Narrowing{Run: &toolcrib.ToolList{Allow: []string{"second"}}}}}, "results__read second"},
		{"no list of a run", SessionOptions{Scope: toolcrib.Scope{Narrow: &toolcrib.Narrowing{Run: &toolcrib.ToolList{}}}}, "first results__read second"},
		{"token and session", SessionOptions{Deny: []string{"first"}, Scope: toolcrib.Scope{Narrow: &toolcrib.Narrowing{Token: &toolcrib.ToolList{Deny: []string{"second"}}}}}, "results__read"},
	} {
		c.o.Mode = "direct"
		s, err := g.Open(c.o)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := strings.Join(names(s.Surface(t.Context())), " "); got != c.want {
			t.Errorf("%s: sees %q, want %q", c.name, got, c.want)
		}
		s.Close()
	}
	if *empty != (toolcrib.Narrowing{Run: empty.Run}) {
		t.Error("opening a session changed the caller's lists")
	}
	for name, o := range map[string]SessionOptions{
		"pattern": {Deny: []string{" "}},
		"twice":   {Deny: []string{"a"}, Scope: toolcrib.Scope{Narrow: &toolcrib.Narrowing{Session: &toolcrib.ToolList{}}}},
	} {
		if _, err := g.Open(o); toolcrib.KindOf(err) != toolcrib.KindInput {
			t.Errorf("%s: %v, want an input error", name, err)
		}
	}
	// A list that can't be read when a call comes refuses it.
	if ok, rule := g.decide(&toolcrib.Tool{ID: "plugin:app:first", Source: toolcrib.SourcePlugin, Owner: "app", Name: "first"},
		toolcrib.Scope{Agent: "main", Narrow: &toolcrib.Narrowing{Token: &toolcrib.ToolList{Deny: []string{""}}}}); ok || !strings.Contains(rule, "token.deny[0]") {
		t.Errorf("a broken list of a token: %t, %s", ok, rule)
	}
}

// Callers for whom the same rules hold share a plan; others never do.
func TestPlansAreSharedByRules(t *testing.T) {
	g, err := New(t.Context(), Options{ConfigFile: written(t, everyScope), Tools: everyTool(), Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	planOf := func(s toolcrib.Scope) *catalog.Catalog {
		s.Agent = "main"
		return g.settings.Load().agents["main"].plan(g.planner, g.listings(t.Context(), s), s)
	}
	mcp := toolcrib.Scope{Door: toolcrib.DoorMCP}
	base := planOf(mcp)
	for name, s := range map[string]toolcrib.Scope{
		"another session":  {Door: toolcrib.DoorMCP, Session: "x", Caller: "ci", Client: "some-client", Harness: "unknown"},
		"unknown provider": {Door: toolcrib.DoorMCP, Provider: "mistral"},
		"empty lists":      {Door: toolcrib.DoorMCP, Narrow: &toolcrib.Narrowing{Session: &toolcrib.ToolList{}}},
	} {
		if planOf(s) != base {
			t.Errorf("%s: has a plan of its own", name)
		}
	}
	run := func(allow []string) toolcrib.Scope {
		return toolcrib.Scope{Door: toolcrib.DoorMCP, Narrow: &toolcrib.Narrowing{Run: &toolcrib.ToolList{Allow: allow}}}
	}
	if planOf(run(nil)) != base || planOf(run([]string{})).Len() != 0 {
		t.Error("an empty list of a run and none are one")
	}
	for name, s := range map[string]toolcrib.Scope{
		"door":     {Door: toolcrib.DoorCLI},
		"provider": {Door: toolcrib.DoorMCP, Provider: "openai"},
		"harness":  {Door: toolcrib.DoorMCP, Harness: "codex"},
		"sandbox":  {Door: toolcrib.DoorMCP, Sandboxed: true},
		"subagent": {Door: toolcrib.DoorMCP, Subagent: true},
		"owner":    {Door: toolcrib.DoorMCP, Owner: true},
		"session":  {Door: toolcrib.DoorMCP, Narrow: &toolcrib.Narrowing{Session: &toolcrib.ToolList{Deny: []string{"session"}}}},
	} {
		if planOf(s) == base {
			t.Errorf("%s: shares the plan of others", name)
		}
	}
}

// Whatever a caller is, what the plan holds is what a call is let through for.
func TestListingAndCallingAgree(t *testing.T) {
	g, err := New(t.Context(), Options{ConfigFile: written(t, everyScope), Tools: everyTool(), Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	pick := func(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }
	list := func(r *rand.Rand) *toolcrib.ToolList {
		if r.IntN(2) == 0 {
			return nil
		}
		l := &toolcrib.ToolList{Deny: []string{pick(r, everyName...)}}
		if r.IntN(3) == 0 {
			l.Allow = []string{pick(r, everyName...), "own*", "s*"}
		}
		return l
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		s := toolcrib.Scope{
			Door: toolcrib.Door(pick(r, "mcp", "chat", "responses", "messages", "cli", "agent")), Agent: pick(r, "main", "a", "b", "7"),
			Provider: pick(r, "", "openai", "openai/gpt-5", "x"), Harness: pick(r, "", "codex", "x"), Client: pick(r, "", "codex-mcp-client"),
			Sandboxed: r.IntN(2) == 0, Subagent: r.IntN(2) == 0, Owner: r.IntN(2) == 0,
			Narrow: &toolcrib.Narrowing{Session: list(r), Token: list(r), Run: list(r)},
		}
		listings := g.listings(t.Context(), s)
		plan := g.settings.Load().agents[s.Agent].plan(g.planner, listings, s)
		s.Run = "one"
		for tool := range everything(listings) {
			if tool.Owner == "tool_search" || plumbing(tool) {
				continue
			}
			_, planned := plan.Lookup(tool.ID)
			if allowed, rule := g.decide(tool, s); allowed != planned {
				t.Fatalf("%s for %+v: planned %t, let through %t (%s)", tool.ID, s, planned, allowed, rule)
			}
		}
	}
}

// Tools that reach into the machine are not for callers from outside unless the
// agent's own policy names them.
func TestDefaultsOfDoors(t *testing.T) {
	core := func(owner, name string) Tool { return echo(name, Owner(toolcrib.SourceCore, owner)) }
	g, err := New(t.Context(), Options{
		Tools: []Tool{core("fs", "write"), core("runtime", "exec"), core("web", "fetch"), core("notes", "note")}, Environ: []string{},
		ConfigFile: written(t, `{
  tools: {allow: ["*", "group:fs", "exec"]},
  agents: {list: [
    {id: "all", tools: {allow: ["*"]}},
    {id: "fs", tools: {alsoAllow: ["group:fs"]}},
    {id: "coder", tools: {profile: "coding", alsoAllow: ["note"]}},
    {id: "chat", tools: {byChannel: {chat: {allow: ["core:runtime:*"]}}}},
  ]},
}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, c := range []struct {
		agent string
		door  toolcrib.Door
		want  string
	}{
		{"main", toolcrib.DoorMCP, "note"},
		{"main", toolcrib.DoorChat, "note"},
		{"main", toolcrib.DoorResponses, "note"},
		{"main", toolcrib.DoorMessages, "note"},
		{"main", toolcrib.DoorCLI, "exec fetch note write"},
		{"main", toolcrib.DoorAgent, "exec fetch note write"},
		{"all", toolcrib.DoorMCP, "note"},
		{"fs", toolcrib.DoorMCP, "note write"},
		{"coder", toolcrib.DoorMCP, "exec fetch note write"},
		{"chat", toolcrib.DoorMCP, "note"},
		{"chat", toolcrib.DoorChat, "exec"},
	} {
		s, err := g.Open(SessionOptions{Scope: toolcrib.Scope{Agent: c.agent, Door: c.door}, Mode: "direct"})
		if err != nil {
			t.Fatal(err)
		}
		if got := others(s.Surface(t.Context())); strings.Join(slices.Sorted(slices.Values(got)), " ") != c.want {
			t.Errorf("%s at %s sees %q, want %q", c.agent, c.door, got, c.want)
		}
		s.Close()
	}
}

// Codex searches by itself: it gets every tool directly, whatever is configured or
// asked for, and by whichever way it is known.
func TestCodexGetsNoControls(t *testing.T) {
	g, err := New(t.Context(), Options{
		Tools: []Tool{echo("first"), echo("second")}, Environ: []string{},
		ConfigFile: written(t, `{tools: {toolSearch: {mode: "tools"}, byHarness: {codex: {deny: ["second"]}}}, agents: {list: [{id: "c", harness: "codex"}, {id: "o", harness: "other"}]}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, mode := range []string{"", "tools", "directory", "code", "auto", "native", "direct"} {
		for _, scope := range []toolcrib.Scope{{Client: "codex-mcp-client"}, {Client: "Codex"}, {Harness: "codex"}, {Agent: "c"}} {
			s, err := g.Open(SessionOptions{Scope: scope, Mode: mode})
			if err != nil {
				t.Fatal(err)
			}
			if got := others(s.Surface(t.Context())); !slices.Equal(got, []string{"first"}) {
				t.Errorf("mode %q, %+v: sees %q, want the first tool alone", mode, scope, got)
			}
			s.Close()
		}
	}
	s, err := g.Open(SessionOptions{Scope: toolcrib.Scope{Agent: "o", Client: "codex-mcp-client"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.Surface(t.Context()).Mode(); got != "tools" {
		t.Errorf("an agent whose harness is another one gets mode %s", got)
	}
}

// The same, as a client of that name sees it on the wire, and as another one does.
func TestCodexOnTheWire(t *testing.T) {
	g, err := New(t.Context(), Options{Tools: []Tool{echo("first")}, Settings: []string{"tools.toolSearch.mode=tools"}, Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for client, direct := range map[string]bool{"codex-mcp-client": true, "claude-code": false} {
		conn, err := g.Attach("tools", "")
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(conn)
		ask(t, conn, lines, strings.Replace(greeting, `"name":"test"`, fmt.Sprintf(`"name":%q`, client), 1))
		list := ask(t, conn, lines, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
		if got := strings.Contains(list, `"name":"first"`); got != direct {
			t.Errorf("%s sees the tool: %t in %s", client, got, list)
		}
		if got := strings.Contains(list, `"name":"tool_search"`); got == direct {
			t.Errorf("%s sees controls: %t in %s", client, got, list)
		}
		if direct {
			if got := ask(t, conn, lines, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"first","arguments":{"text":"hear me"}}}`+"\n"); !strings.Contains(got, "hear me") {
				t.Errorf("%s heard %s", client, got)
			}
		}
		conn.Close()
	}
}

func TestReloadOfAHarness(t *testing.T) {
	file := written(t, `{tools: {toolSearch: {mode: "tools"}}, agents: {list: [{id: "a"}]}}`)
	g, s := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first")}, Environ: []string{}}, SessionOptions{Scope: toolcrib.Scope{Agent: "a"}})
	if got := s.Surface(t.Context()).Mode(); got != "tools" {
		t.Fatalf("before: mode %s", got)
	}
	var later *Session
	for _, c := range []struct{ harness, want string }{{"codex", "direct"}, {"other", "tools"}} {
		rewrite(t, file, strings.Replace(`{tools: {toolSearch: {mode: "tools"}}, agents: {list: [{id: "a", harness: "H"}]}}`, "H", c.harness, 1))
		if err := g.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := string(s.Surface(t.Context()).Mode()); got != c.want {
			t.Errorf("harness %s: mode %s, want %s", c.harness, got, c.want)
		}
		if later == nil {
			var err error
			if later, err = g.Open(SessionOptions{Scope: toolcrib.Scope{Agent: "a"}}); err != nil {
				t.Fatal(err)
			}
			defer later.Close()
		}
		if got := string(later.Surface(t.Context()).Mode()); got != c.want {
			t.Errorf("harness %s, a session of codex: mode %s, want %s", c.harness, got, c.want)
		}
	}
}

// A tool that policy left out and one that there isn't answer alike.
func TestRefusedIsLikeAbsent(t *testing.T) {
	_, s := open(t, Options{Tools: []Tool{echo("first"), echo("hidden_a")}, Settings: []string{"tools.byChannel.agent.deny=hidden_a"}, Environ: []string{}}, SessionOptions{Mode: "tools"})
	for _, form := range []string{"%s", "plugin:app:%s", " %s "} {
		var said []string
		for _, name := range []string{"hidden_a", "absent_a"} {
			_, err := s.Describe(t.Context(), fmt.Sprintf(form, name))
			_, _, callErr := s.Call(t.Context(), fmt.Sprintf(form, name), nil)
			if err == nil || callErr == nil {
				t.Fatalf("%s is there: %v, %v", name, err, callErr)
			}
			said = append(said, strings.ReplaceAll(fmt.Sprintf("%#v %#v", toolcrib.KindOf(err), err.Error()+callErr.Error()), name, "NAME"))
		}
		if said[0] != said[1] {
			t.Errorf("refused: %s\nabsent:  %s", said[0], said[1])
		}
	}
}

func TestWarningsCoverEveryScope(t *testing.T) {
	var text strings.Builder
	text.WriteString(everyScope)
	g, err := New(t.Context(), Options{ConfigFile: written(t, text.String()), Tools: []Tool{echo("free")}, Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	got := strings.Join(g.warnings(t.Context()), "\n")
	for _, rule := range []string{
		`tools.deny "global"`, `tools.byProvider.OpenAI.deny "provider"`, `tools.byProvider.openai/gpt-5.deny "model"`, `tools.byChannel.chat.deny "at_chat"`,
		`tools.byHarness.codex.deny "harness"`, `tools.sandbox.tools.deny "sandbox"`, `tools.subagents.tools.deny "subagent"`, `agents.list[a].tools.deny "own"`,
		`agents.list[a].tools.byProvider.openai.deny "own_provider"`, `agents.list[a].tools.byChannel.chat.deny "own_chat"`, `agents.list[2].tools.deny "number"`,
		`agents.list[a].tools.subagents.tools.deny "own_subagent"`,
	} {
		if !strings.Contains(got, rule+" matches no tool") {
			t.Errorf("not warned of %s in:\n%s", rule, got)
		}
	}
	if strings.Contains(got, "group:") || strings.Contains(got, `"*"`) {
		t.Errorf("warned of what is no mistake:\n%s", got)
	}
}

// The configuration and policy know the same profiles.
func TestProfilesOfTheConfiguration(t *testing.T) {
	for _, k := range config.Keys() {
		if strings.HasSuffix(k.Path, ".profile") {
			if diff := cmp.Diff(policy.Profiles(), k.Enum); diff != "" {
				t.Errorf("%s (-policy +configuration):\n%s", k.Path, diff)
			}
		}
	}
}

func TestChainsAreBounded(t *testing.T) {
	g, err := New(t.Context(), Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	a := g.settings.Load().agents["main"]
	for i := range 3 * maxChains {
		a.chain(toolcrib.Scope{Provider: fmt.Sprint(i)})
	}
	if n := len(a.chains.byKind); n > maxChains {
		t.Errorf("%d kinds of callers are kept, want at most %d", n, maxChains)
	}
}

// BenchmarkPlanUnchanged is what a session pays for asking what it may use while
// nothing has changed: 10,000 tools, and rules in every scope.
func BenchmarkPlanUnchanged(b *testing.B) {
	g, err := New(b.Context(), Options{Settings: []string{"tools.deny=*delete*,group:x", "tools.byChannel.mcp.deny=a,b", "tools.sandbox.tools.allow=*"}, Environ: []string{}})
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	var listings []toolcrib.Listing
	for s := range 100 {
		l := toolcrib.Listing{Source: toolcrib.SourceMCP, Owner: fmt.Sprintf("server%d", s), State: toolcrib.StateReady, Known: true}
		for i := range 100 {
			name := fmt.Sprintf("tool_%d", i)
			l.Tools = append(l.Tools, toolcrib.Tool{ID: toolcrib.MakeID(l.Source, l.Owner, name), Source: l.Source, Owner: l.Owner, Name: name})
		}
		l.Fingerprint = catalog.Fingerprint(l.Tools)
		listings = append(listings, l)
	}
	a := g.settings.Load().agents["main"]
	scope := toolcrib.Scope{Door: toolcrib.DoorMCP, Sandboxed: true, Narrow: &toolcrib.Narrowing{Token: &toolcrib.ToolList{Deny: []string{"x", "y"}}}}
	b.ReportAllocs()
	for b.Loop() {
		a.plan(g.planner, listings, scope)
	}
}
