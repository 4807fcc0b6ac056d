package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/policy"
)

func tool(source toolcrib.Source, owner, name string) *toolcrib.Tool {
	return &toolcrib.Tool{ID: toolcrib.MakeID(source, owner, name), Source: source, Owner: owner, Name: name}
}

var (
	githubCreate = tool(toolcrib.SourceMCP, "github", "create_issue")
	githubDelete = tool(toolcrib.SourceMCP, "github", "delete_repo")
	gitlabCreate = tool(toolcrib.SourceMCP, "GitLab", "create_issue")
	forged       = tool(toolcrib.SourceMCP, "evil", "github__create_issue")
	forgedID     = tool(toolcrib.SourceMCP, "evil", "mcp:github:create_issue")
	doubled      = tool(toolcrib.SourceMCP, "a__b", "c")
	colon        = tool(toolcrib.SourceMCP, "tracker", "issues:close")
	calendarAdd  = tool(toolcrib.SourcePlugin, "calendar", "add_event")
	dunder       = tool(toolcrib.SourcePlugin, "shop", "cart__add")
	calendarName = tool(toolcrib.SourceMCP, "misc", "calendar")
	results      = tool(toolcrib.SourceCore, "results", "read")
	sessionsList = tool(toolcrib.SourceCore, "sessions", "list")
	coreNamedMCP = tool(toolcrib.SourceCore, "mcp", "restart")
	clientAsk    = tool(toolcrib.SourceClient, "", "ask_user")
)

func newPolicy(t testing.TB, scopes ...policy.NamedRules) *policy.Policy {
	t.Helper()
	p, err := policy.New(scopes...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func rules(name string, allow, deny []string) policy.NamedRules {
	return policy.NamedRules{Name: name, Rules: policy.Rules{Allow: allow, Deny: deny}}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern         string
		allowed, denied []*toolcrib.Tool // fits in an allow list; fits in a deny list alone
		neither         []*toolcrib.Tool
	}{
		{"create_issue", []*toolcrib.Tool{githubCreate, gitlabCreate}, nil, []*toolcrib.Tool{githubDelete, forged, calendarAdd}},
		{"CREATE_Issue", []*toolcrib.Tool{githubCreate}, nil, []*toolcrib.Tool{githubDelete}},
		{"*", []*toolcrib.Tool{githubCreate, calendarAdd, results, clientAsk, colon}, nil, nil},
		{"*_issue", []*toolcrib.Tool{githubCreate, forged, forgedID}, nil, []*toolcrib.Tool{githubDelete}},
		{"git*", nil, nil, []*toolcrib.Tool{githubCreate, results}},
		{"mcp*", []*toolcrib.Tool{forgedID}, nil, []*toolcrib.Tool{githubCreate, results}},
		{"mcp:github:create_issue", []*toolcrib.Tool{githubCreate}, []*toolcrib.Tool{forgedID}, []*toolcrib.Tool{githubDelete, forged}},
		{"MCP:GitHub:*", []*toolcrib.Tool{githubCreate, githubDelete}, []*toolcrib.Tool{forgedID}, []*toolcrib.Tool{gitlabCreate, forged}},
		{"mcp:gitlab:*", []*toolcrib.Tool{gitlabCreate}, nil, []*toolcrib.Tool{githubCreate}},
		{"mcp:git*:create_*", []*toolcrib.Tool{githubCreate, gitlabCreate}, []*toolcrib.Tool{forgedID}, []*toolcrib.Tool{githubDelete}},
		{"*:delete_*", []*toolcrib.Tool{githubDelete}, nil, []*toolcrib.Tool{githubCreate}},
		{"issues:close", []*toolcrib.Tool{colon}, nil, []*toolcrib.Tool{githubCreate}},
		{"client:ask_user", []*toolcrib.Tool{clientAsk}, nil, []*toolcrib.Tool{githubCreate}},
		{"github__*", []*toolcrib.Tool{githubCreate, githubDelete}, []*toolcrib.Tool{forged}, []*toolcrib.Tool{gitlabCreate, calendarAdd}},
		{"github__create_issue", []*toolcrib.Tool{githubCreate}, []*toolcrib.Tool{forged}, []*toolcrib.Tool{githubDelete}},
		{"*__create_issue", []*toolcrib.Tool{githubCreate, gitlabCreate}, []*toolcrib.Tool{forged}, []*toolcrib.Tool{githubDelete}},
		{"evil__github__*", []*toolcrib.Tool{forged}, nil, []*toolcrib.Tool{githubCreate}},
		{"a__b__c", []*toolcrib.Tool{doubled}, nil, []*toolcrib.Tool{githubCreate}},
		{"cart__add", []*toolcrib.Tool{dunder}, nil, []*toolcrib.Tool{githubCreate}},
		{"calendar", []*toolcrib.Tool{calendarAdd, calendarName}, nil, []*toolcrib.Tool{githubCreate}},
		{"calen*", []*toolcrib.Tool{calendarName}, nil, []*toolcrib.Tool{calendarAdd}},
		{"github", nil, nil, []*toolcrib.Tool{githubCreate}},
		{"group:mcp", []*toolcrib.Tool{githubCreate, colon}, nil, []*toolcrib.Tool{calendarAdd, results, clientAsk, coreNamedMCP}},
		{"Group:Plugins", []*toolcrib.Tool{calendarAdd}, nil, []*toolcrib.Tool{githubCreate, results}},
		{"group:core", []*toolcrib.Tool{results, sessionsList, coreNamedMCP}, nil, []*toolcrib.Tool{githubCreate, calendarAdd}},
		{"group:sessions", []*toolcrib.Tool{sessionsList}, nil, []*toolcrib.Tool{results, githubCreate}},
		{"\u0441reate_issue", nil, nil, []*toolcrib.Tool{githubCreate}}, // Cyrillic first letter
	} {
		t.Run(c.pattern, func(t *testing.T) {
			allow := newPolicy(t, rules("s", []string{c.pattern}, nil))
			deny := newPolicy(t, rules("s", nil, []string{c.pattern}))
			check := func(tools []*toolcrib.Tool, inAllow, inDeny bool) {
				for _, x := range tools {
					if got := allow.Decide(x, toolcrib.Scope{}).Allowed; got != inAllow {
						t.Errorf("allow list, %s: fits %v, want %v", x.ID, got, inAllow)
					}
					if got := !deny.Decide(x, toolcrib.Scope{}).Allowed; got != inDeny {
						t.Errorf("deny list, %s: fits %v, want %v", x.ID, got, inDeny)
					}
				}
			}
			check(c.allowed, true, true)
			check(c.denied, false, true)
			check(c.neither, false, false)
		})
	}
}

func TestVerdictNamesTheRule(t *testing.T) {
	ownerOnly := *results
	ownerOnly.OwnerOnly = true
	global := rules("tools", []string{"mcp:*", "core:*"}, []string{"*delete*"})
	agent := rules("agents.list[main].tools", []string{"create_*", "group:core", "delete_repo"}, nil)
	for _, c := range []struct {
		name   string
		scopes []policy.NamedRules
		tool   *toolcrib.Tool
		scope  toolcrib.Scope
		want   policy.Verdict
	}{
		{"no scopes", nil, githubCreate, toolcrib.Scope{}, policy.Verdict{Allowed: true, Rule: "no rule against it", Index: -1}},
		{"empty lists", []policy.NamedRules{rules("tools", nil, nil)}, githubCreate, toolcrib.Scope{}, policy.Verdict{Allowed: true, Rule: "no rule against it", Index: -1}},
		{
			"narrowest allow",
			[]policy.NamedRules{global, agent},
			githubCreate,
			toolcrib.Scope{},
			policy.Verdict{Allowed: true, Rule: `agents.list[main].tools.allow "create_*"`, Scope: "agents.list[main].tools", List: "allow", Pattern: "create_*"},
		},
		{
			"deny beats a narrower allow",
			[]policy.NamedRules{global, agent},
			githubDelete,
			toolcrib.Scope{},
			policy.Verdict{Rule: `tools.deny "*delete*"`, Scope: "tools", List: "deny", Pattern: "*delete*"},
		},
		{
			"deny is told before a missing allow",
			[]policy.NamedRules{rules("a", []string{"x"}, nil), rules("b", nil, []string{"create_issue"})},
			githubCreate,
			toolcrib.Scope{},
			policy.Verdict{Rule: `b.deny "create_issue"`, Scope: "b", List: "deny", Pattern: "create_issue"},
		},
		{
			"not in an allow list",
			[]policy.NamedRules{global, agent},
			calendarAdd,
			toolcrib.Scope{},
			policy.Verdict{Rule: `tools.allow (nothing in it fits)`, Scope: "tools", List: "allow", Index: -1},
		},
		{"owner-only, stranger", []policy.NamedRules{rules("tools", []string{"*"}, nil)}, &ownerOnly, toolcrib.Scope{Caller: "ci"}, policy.Verdict{Rule: "owner-only tool", Index: -1}},
		{
			"owner-only, owner",
			[]policy.NamedRules{global},
			&ownerOnly,
			toolcrib.Scope{Owner: true},
			policy.Verdict{Allowed: true, Rule: `tools.allow "core:*"`, Scope: "tools", List: "allow", Pattern: "core:*", Index: 1},
		},
		{
			"owner-only, owner, denied",
			[]policy.NamedRules{rules("tools", nil, []string{"read"})},
			&ownerOnly,
			toolcrib.Scope{Owner: true},
			policy.Verdict{Rule: `tools.deny "read"`, Scope: "tools", List: "deny", Pattern: "read"},
		},
		{"no tool", nil, nil, toolcrib.Scope{Owner: true}, policy.Verdict{Rule: "no policy", Index: -1}},
	} {
		if diff := cmp.Diff(c.want, newPolicy(t, c.scopes...).Decide(c.tool, c.scope)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestZeroValuesDeny(t *testing.T) {
	if (policy.Verdict{}).Allowed {
		t.Error("the zero Verdict allows")
	}
	if v := (*policy.Policy)(nil).Decide(githubCreate, toolcrib.Scope{Owner: true}); v.Allowed {
		t.Errorf("a nil Policy allows: %+v", v)
	}
}

func TestEmptyPatternIsAnError(t *testing.T) {
	for _, c := range []struct {
		rules policy.NamedRules
		names string
	}{
		{rules("tools", []string{"a", " "}, nil), "tools.allow[1]"},
		{rules("tools", nil, []string{""}), "tools.deny[0]"},
		{rules("tools", nil, []string{"group:"}), "tools.deny[0]"},
	} {
		_, err := policy.New(c.rules)
		if toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), c.names) {
			t.Errorf("got %v, want a config error that names %s", err, c.names)
		}
	}
}

func TestUnmatched(t *testing.T) {
	p := newPolicy(t,
		rules("tools", []string{"mcp:github:*", "githbu__*", "group:mcp"}, []string{"nothing_*"}),
		rules("agents.list[a].tools", nil, []string{"*delete*", "group:plugin"}))
	got := p.Unmatched(slices.Values([]*toolcrib.Tool{githubCreate, githubDelete, calendarAdd}))
	want := []string{`tools.allow "githbu__*"`, `tools.deny "nothing_*"`, `agents.list[a].tools.deny "group:plugin"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unmatched (-want +got):\n%s", diff)
	}
	if got := newPolicy(t, rules("tools", []string{"*"}, nil)).Unmatched(slices.Values([]*toolcrib.Tool{results})); got != nil {
		t.Errorf("every pattern matched, got %q", got)
	}
}
