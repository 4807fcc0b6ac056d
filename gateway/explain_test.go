package gateway

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

const explained = `{
  tools: {
    profile: "coding",
    alsoAllow: [
      "app",
      "core:fs:*"],
    deny: ["other", "*delete*"],
    sandbox: { tools: { allow: ["mcp:*"] } },
  },
  mcp: { servers: { files: { command: "false", enabled: false,
    allow: ["get_*",
      "set_*"],
    deny: ["set_secret"] } } },
  agents: { list: [
    { id: "a", sandbox: true, harness: "codex", tools: { allow: ["first"] } },
  ] },
}`

// controlled opens a gateway and its control API.
func controlled(t *testing.T, o Options) *client.Client {
	t.Helper()
	o.Environ = append([]string{}, o.Environ...)
	g, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return client.New(client.InProcess(g.Control()), "")
}

func TestExplainPolicy(t *testing.T) {
	file := written(t, explained)
	owned := echo("vault", OwnerOnly())
	api := controlled(t, Options{
		ConfigFile: file, Settings: []string{"tools.byChannel.chat.deny=first"},
		Tools: []Tool{echo("first"), echo("delete_all"), owned, echo("twin"), echo("twin", Owner(toolcrib.SourceCore, "notes")), echo("write", Owner(toolcrib.SourceCore, "fs"))},
	})
	at := func(place string) string { return file + place }
	for _, c := range []struct {
		name, tool string
		caller     client.PolicyCaller
		id         string
		known      bool
		allowed    bool
		rule       string
		place      string
		scopes     []string
	}{
		{
			"allowed by its place beside the profile", "first",
			client.PolicyCaller{},
			"plugin:app:first", true, true,
			`tools.alsoAllow "app"`, at(":5:7"),
			[]string{"defaults says nothing", "tools allows"},
		},
		{
			"denied", "plugin:app:delete_all",
			client.PolicyCaller{},
			"plugin:app:delete_all", true, false,
			`tools.deny "*delete*"`, at(":7:21"),
			[]string{"defaults says nothing", "tools denies"},
		},
		{
			"by a flag", "first",
			client.PolicyCaller{Door: "chat"},
			"plugin:app:first", true, false,
			`tools.byChannel.chat.deny "first"`, "flag tools.byChannel.chat.deny",
			[]string{"defaults says nothing", "tools allows", "tools.byChannel.chat denies"},
		},
		{
			"of an agent that runs sandboxed", "first",
			client.PolicyCaller{Agent: "a"},
			"plugin:app:first", true, false,
			`tools.sandbox.tools.allow (nothing in it fits)`, at(":8:32"),
			[]string{"defaults says nothing", "tools allows", "agents.list[a].tools allows", "tools.sandbox.tools does not allow"},
		},
		{
			"built in", "core:fs:write",
			client.PolicyCaller{},
			"core:fs:write", true, false,
			`defaults.deny "group:fs"`, "",
			[]string{"defaults denies", "tools allows"},
		},
		{
			"built in, another door", "core:fs:write",
			client.PolicyCaller{Door: "cli"},
			"core:fs:write", true, true,
			`tools.profile "coding" (group:fs)`, at(":3:14"),
			[]string{"tools allows"},
		},
		{
			"owner-only", "vault",
			client.PolicyCaller{},
			"plugin:app:vault", true, false,
			"owner-only tool", "",
			[]string{"defaults says nothing", "tools allows"},
		},
		{"owner", "vault", client.PolicyCaller{Owner: true}, "plugin:app:vault", true, true, `tools.alsoAllow "app"`, at(":5:7"), []string{"defaults says nothing", "tools allows"}},
		{
			"not known, by id", "mcp:nowhere:delete_it",
			client.PolicyCaller{},
			"mcp:nowhere:delete_it", false, false,
			`tools.deny "*delete*"`, at(":7:21"),
			[]string{"defaults says nothing", "tools denies"},
		},
		{
			"not known, by name", "other",
			client.PolicyCaller{},
			"other", false, false,
			`tools.deny "other"`, at(":7:12"),
			[]string{"defaults says nothing", "tools denies"},
		},
		{
			"left out by its server", "files__set_secret",
			client.PolicyCaller{},
			"mcp:files:set_secret", false, false,
			`mcp.servers.files.deny "set_secret"`, at(":13:12"),
			[]string{"mcp.servers.files denies", "defaults says nothing", "tools allows"},
		},
		{
			"not let in by its server", "mcp:files:drop",
			client.PolicyCaller{},
			"mcp:files:drop", false, false,
			`mcp.servers.files.allow (nothing in it fits)`, at(":11:12"),
			[]string{"mcp.servers.files does not allow", "defaults says nothing", "tools allows"},
		},
		{
			"let in by its server", "files__SET_it",
			client.PolicyCaller{},
			"mcp:files:SET_it", false, true,
			`tools.profile "coding" (group:mcp)`, at(":3:14"),
			[]string{"mcp.servers.files allows", "defaults says nothing", "tools allows"},
		},
		{
			"plumbing", "core:results:read",
			client.PolicyCaller{Agent: "a"},
			"core:results:read", true, true,
			"no rule against it", "",
			[]string{"defaults says nothing", "tools says nothing", "agents.list[a].tools says nothing", "tools.sandbox.tools says nothing"},
		},
	} {
		e, err := api.ExplainPolicy(t.Context(), client.PolicyExplainRequest{Tool: c.tool, PolicyCaller: c.caller})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var scopes []string
		for _, s := range e.Scopes {
			scopes = append(scopes, s.Scope+" "+s.Says)
		}
		if e.Tool != c.id || e.Known != c.known || e.Allowed != c.allowed || e.Rule.Text != c.rule || e.Rule.Place != c.place {
			t.Errorf("%s: %s known %t allowed %t by %s at %s", c.name, e.Tool, e.Known, e.Allowed, e.Rule.Text, e.Rule.Place)
		}
		if diff := cmp.Diff(c.scopes, scopes); diff != "" {
			t.Errorf("%s: scopes (-want +got):\n%s", c.name, diff)
		}
		if told := slices.ContainsFunc(e.Notes, func(n string) bool { return strings.Contains(n, "is known now") }); told == c.known {
			t.Errorf("%s: notes %q", c.name, e.Notes)
		}
	}
	e, err := api.ExplainPolicy(t.Context(), client.PolicyExplainRequest{Tool: "first", PolicyCaller: client.PolicyCaller{Agent: "a"}})
	want := client.PolicyCaller{Agent: "a", Door: "mcp", Harness: "codex", Sandboxed: true}
	if diff := cmp.Diff(want, e.Caller); err != nil || diff != "" || e.Rule.File != file || e.Rule.Line != 8 {
		t.Errorf("rule %+v, %v; caller (-want +got):\n%s", e.Rule, err, diff)
	}
	for _, c := range []struct {
		r    client.PolicyExplainRequest
		kind toolcrib.Kind
		says string
	}{
		{client.PolicyExplainRequest{Tool: "twin"}, toolcrib.KindAmbiguous, "core:notes:twin, plugin:app:twin"},
		{client.PolicyExplainRequest{Tool: " "}, toolcrib.KindInput, "no tool"},
		{client.PolicyExplainRequest{Tool: "x", PolicyCaller: client.PolicyCaller{Door: "mpc"}}, toolcrib.KindInput, `did you mean "mcp"`},
		{client.PolicyExplainRequest{Tool: "x", PolicyCaller: client.PolicyCaller{Agent: "who"}}, toolcrib.KindNotFound, "who"},
	} {
		if _, err := api.ExplainPolicy(t.Context(), c.r); toolcrib.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.r, err)
		}
	}
}

func TestShowPolicy(t *testing.T) {
	file := written(t, explained)
	api := controlled(t, Options{
		ConfigFile: file,
		Tools:      []Tool{echo("first"), echo("delete_a"), echo("delete_b"), echo("vault", OwnerOnly()), echo("write", Owner(toolcrib.SourceCore, "fs"))},
	})
	got, err := api.ShowPolicy(t.Context(), client.PolicyCaller{})
	if err != nil {
		t.Fatal(err)
	}
	want := client.PolicyShowReply{
		Caller: client.PolicyCaller{Agent: "main", Door: "mcp"},
		Owners: []client.PolicyOwner{
			{Source: "core", Owner: "fs", Denied: 1}, {Source: "core", Owner: "results", Allowed: 1}, {Source: "plugin", Owner: "app", Allowed: 1, Denied: 3},
		},
		Allowed: []string{"core:results:read", "plugin:app:first"},
		Denied: []client.PolicyDenied{
			{
				Rule:  client.PolicyRule{Text: `tools.deny "*delete*"`, Path: "tools.deny[1]", List: "deny", Pattern: "*delete*", Index: 1, Place: file + ":7:21", File: file, Line: 7},
				Tools: []string{"plugin:app:delete_a", "plugin:app:delete_b"},
			},
			{Rule: client.PolicyRule{Text: `defaults.deny "group:fs"`, Path: "defaults.deny[0]", List: "deny", Pattern: "group:fs"}, Tools: []string{"core:fs:write"}},
			{Rule: client.PolicyRule{Text: "owner-only tool", Index: -1}, Tools: []string{"plugin:app:vault"}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err = api.ShowPolicy(t.Context(), client.PolicyCaller{Owner: true, Door: "cli"}); err != nil || len(got.Allowed) != 4 || len(got.Denied) != 1 {
		t.Errorf("the operator's own: %+v, %v", got, err)
	}
	if _, err = api.ShowPolicy(t.Context(), client.PolicyCaller{Door: "x"}); toolcrib.KindOf(err) != toolcrib.KindInput {
		t.Errorf("a door that isn't: %v", err)
	}
}
