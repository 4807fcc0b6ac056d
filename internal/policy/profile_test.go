package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/policy"
)

var (
	fsRead    = tool(toolcrib.SourceCore, "fs", "read")
	runExec   = tool(toolcrib.SourceCore, "runtime", "exec")
	webFetch  = tool(toolcrib.SourceCore, "web", "web_fetch")
	status    = tool(toolcrib.SourceCore, "sessions", "session_status")
	send      = tool(toolcrib.SourceCore, "sessions", "sessions_send")
	spawn     = tool(toolcrib.SourceCore, "sessions", "sessions_spawn")
	message   = tool(toolcrib.SourceCore, "messaging", "message")
	forgedGet = tool(toolcrib.SourceMCP, "evil", "session_status")
)

func TestProfiles(t *testing.T) {
	if diff := cmp.Diff([]string{"minimal", "coding", "messaging", "full"}, policy.Profiles()); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	all := []*toolcrib.Tool{fsRead, runExec, webFetch, status, send, spawn, message, githubCreate, forgedGet, calendarAdd, clientAsk}
	for profile, want := range map[string][]*toolcrib.Tool{
		"":          all,
		"full":      all,
		"minimal":   {status, clientAsk},
		"coding":    {fsRead, runExec, webFetch, status, send, spawn, githubCreate, forgedGet, clientAsk},
		"messaging": {status, send, message, githubCreate, forgedGet, clientAsk},
	} {
		p := newPolicy(t, policy.NamedRules{Name: "tools", Rules: policy.Rules{Profile: profile}})
		for _, x := range all {
			if got := p.Decide(x, toolcrib.Scope{}).Allowed; got != slices.Contains(want, x) {
				t.Errorf("profile %q, %s: allowed %t", profile, x.ID, got)
			}
		}
	}
}

func scopeOf(name string, r policy.Rules) policy.NamedRules {
	return policy.NamedRules{Name: name, Rules: r}
}

func TestVerdictsOfProfiles(t *testing.T) {
	coding := scopeOf("tools", policy.Rules{Profile: "coding", AlsoAllow: []string{"nothing", "calendar"}})
	minimal := scopeOf("agents.list[a].tools", policy.Rules{Profile: "minimal"})
	for _, c := range []struct {
		name   string
		scopes []policy.NamedRules
		tool   *toolcrib.Tool
		want   policy.Verdict
		path   string
	}{
		{
			"in the profile",
			[]policy.NamedRules{coding},
			fsRead,
			policy.Verdict{Allowed: true, Rule: `tools.profile "coding" (group:fs)`, Scope: "tools", List: "profile", Pattern: "group:fs", Index: -1},
			"tools.profile",
		},
		{
			"beside it",
			[]policy.NamedRules{coding},
			calendarAdd,
			policy.Verdict{Allowed: true, Rule: `tools.alsoAllow "calendar"`, Scope: "tools", List: "alsoAllow", Pattern: "calendar", Index: 1},
			"tools.alsoAllow[1]",
		},
		{
			"outside",
			[]policy.NamedRules{coding},
			message,
			policy.Verdict{Rule: `tools.profile "coding" (it isn't in it)`, Scope: "tools", List: "profile", Index: -1},
			"tools.profile",
		},
		{
			"alsoAllow adds to its own scope alone",
			[]policy.NamedRules{coding, minimal},
			calendarAdd,
			policy.Verdict{Rule: `agents.list[a].tools.profile "minimal" (it isn't in it)`, Scope: "agents.list[a].tools", List: "profile", Index: -1},
			"agents.list[a].tools.profile",
		},
		{
			"and brings nothing back",
			[]policy.NamedRules{coding, scopeOf("x", policy.Rules{Deny: []string{"group:plugins"}})},
			calendarAdd,
			policy.Verdict{Rule: `x.deny "group:plugins"`, Scope: "x", List: "deny", Pattern: "group:plugins"},
			"x.deny[0]",
		},
		{
			"its own deny wins too",
			[]policy.NamedRules{scopeOf("x", policy.Rules{Profile: "minimal", AlsoAllow: []string{"read"}, Deny: []string{"group:fs"}})},
			fsRead,
			policy.Verdict{Rule: `x.deny "group:fs"`, Scope: "x", List: "deny", Pattern: "group:fs"},
			"x.deny[0]",
		},
		{
			"profile and allow are both needed",
			[]policy.NamedRules{scopeOf("x", policy.Rules{Profile: "coding", Allow: []string{"calendar", "read"}})},
			calendarAdd,
			policy.Verdict{Rule: `x.profile "coding" (it isn't in it)`, Scope: "x", List: "profile", Index: -1},
			"x.profile",
		},
		{
			"empty strict list",
			[]policy.NamedRules{coding, scopeOf("run", policy.Rules{Strict: true, Allow: []string{}})},
			fsRead,
			policy.Verdict{Rule: `run.allow (it is empty)`, Scope: "run", List: "allow", Index: -1},
			"run.allow",
		},
		{
			"no strict list",
			[]policy.NamedRules{scopeOf("run", policy.Rules{Strict: true})},
			fsRead,
			policy.Verdict{Allowed: true, Rule: "no rule against it", Index: -1},
			"",
		},
		{
			"empty list",
			[]policy.NamedRules{scopeOf("run", policy.Rules{Allow: []string{}})},
			fsRead,
			policy.Verdict{Allowed: true, Rule: "no rule against it", Index: -1},
			"",
		},
	} {
		got := newPolicy(t, c.scopes...).Decide(c.tool, toolcrib.Scope{})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if got.Path() != c.path {
			t.Errorf("%s: path %q, want %q", c.name, got.Path(), c.path)
		}
	}
}

// A default is lifted by what names the tool, and by nothing that merely fits it.
func TestUnless(t *testing.T) {
	for pattern, lifts := range map[string][]*toolcrib.Tool{
		"group:fs":      {fsRead},
		"GROUP:FS":      {fsRead},
		"core:fs:*":     {fsRead},
		"core:fs:read":  {fsRead},
		"read":          {fsRead},
		"group:runtime": {runExec},
		"*":             nil,
		"group:*":       nil,
		"group:core":    nil,
		"core:*":        nil,
		"core:f*":       nil,
		"re*":           nil,
		"mcp:x:read":    nil,
		"group:f\u017F": nil, // a long s
	} {
		p := newPolicy(t, scopeOf("defaults", policy.Rules{Deny: []string{"group:fs", "group:runtime"}, Unless: []string{pattern}}))
		for _, x := range []*toolcrib.Tool{fsRead, runExec} {
			if got := p.Decide(x, toolcrib.Scope{}).Allowed; got != slices.Contains(lifts, x) {
				t.Errorf("%q lifts for %s: %t", pattern, x.ID, got)
			}
		}
	}
}

func TestScopesThatMakeNoSense(t *testing.T) {
	for _, c := range []struct {
		rules policy.Rules
		says  string
	}{
		{policy.Rules{Allow: []string{"a"}, AlsoAllow: []string{"b"}, Profile: "coding"}, "x has both allow and alsoAllow"},
		{policy.Rules{Profile: "codin"}, `x.profile: there is no profile "codin"`},
		{policy.Rules{AlsoAllow: []string{""}}, "x.alsoAllow[0]"},
		{policy.Rules{Unless: []string{"*", " "}}, "x.unless[1]"},
	} {
		_, err := policy.New(scopeOf("x", c.rules))
		if toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: got %v, want a config error that says %s", c.rules, err, c.says)
		}
	}
}

func TestDenials(t *testing.T) {
	p := newPolicy(t, scopeOf("tools", policy.Rules{Profile: "minimal", Deny: []string{"exec"}}), scopeOf("a", policy.Rules{Allow: []string{"x"}})).Denials()
	if !p.Decide(fsRead, toolcrib.Scope{}).Allowed || p.Decide(runExec, toolcrib.Scope{}).Allowed {
		t.Error("denials are not the deny lists alone")
	}
	none := newPolicy(t, scopeOf("run", policy.Rules{Strict: true, Allow: []string{}})).Denials()
	if none.Decide(fsRead, toolcrib.Scope{}).Allowed {
		t.Error("a scope that allows nothing denies nothing")
	}
	if (*policy.Policy)(nil).Denials().Decide(fsRead, toolcrib.Scope{}).Allowed {
		t.Error("the denials of no policy allow")
	}
}

func TestExplain(t *testing.T) {
	p := newPolicy(t,
		scopeOf("tools", policy.Rules{Profile: "coding"}), scopeOf("d", policy.Rules{Deny: []string{"exec", "*read*"}}),
		scopeOf("silent", policy.Rules{Deny: []string{"other"}}), scopeOf("narrow", policy.Rules{Allow: []string{"write"}}))
	var got []string
	for _, o := range p.Explain(fsRead) {
		got = append(got, o.Scope+" "+string(o.Says)+": "+o.Verdict.Path())
	}
	want := []string{"tools allows: tools.profile", "d denies: d.deny[1]", "silent says nothing: ", "narrow does not allow: narrow.allow"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.Explain(nil) != nil || (*policy.Policy)(nil).Explain(fsRead) != nil {
		t.Error("something is explained of nothing")
	}
}

// The well-known groups and what profiles hold are never taken for misspelt.
func TestUnmatchedSparesGroups(t *testing.T) {
	p := newPolicy(t, scopeOf("tools", policy.Rules{Profile: "coding", AlsoAllow: []string{"group:plugins", "group:plugin", "calender"}, Deny: []string{"Group:FS", "group:mcps"}}))
	got := p.Unmatched(slices.Values([]*toolcrib.Tool{status}))
	want := []string{`tools.alsoAllow "group:plugin"`, `tools.alsoAllow "calender"`, `tools.deny "group:mcps"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Nothing that only looks like a denied tool's name, or differs in case, gets around
// a rule; and a look-alike is another tool.
func TestLookAlikes(t *testing.T) {
	deny := newPolicy(t, scopeOf("tools", policy.Rules{Deny: []string{"delete_repo", "kill", "ÉTÉ"}}))
	allow := newPolicy(t, scopeOf("tools", policy.Rules{Allow: []string{"delete_repo", "kill", "ÉTÉ"}}))
	for name, same := range map[string]bool{
		"delete_repo": true, "DELETE_REPO": true, "Delete_Repo": true, "kill": true, "KILL": true, "été": true, "ÉtÉ": true,
		"dеlete_repo": false, "delete＿repo": false, "delete_repo\u200b": false, " delete_repo": false, "\u212Aill": false, "delete_repo ": false, "e\u0301t\u0301": false,
	} {
		x := tool(toolcrib.SourceMCP, "github", name)
		if got := !deny.Decide(x, toolcrib.Scope{}).Allowed; got != same {
			t.Errorf("deny fits %q: %t", name, got)
		}
		if got := allow.Decide(x, toolcrib.Scope{}).Allowed; got != same {
			t.Errorf("allow fits %q: %t", name, got)
		}
	}
}
