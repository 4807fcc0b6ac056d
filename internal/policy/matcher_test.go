package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/policy"
)

// A matcher holds back whatever a deny list of the same patterns denies.
func TestMatcherReadsAsDeny(t *testing.T) {
	tools := []*toolcrib.Tool{githubCreate, githubDelete, gitlabCreate, forged, forgedID, doubled, colon, calendarAdd, dunder, calendarName, results, sessionsList, coreNamedMCP, clientAsk}
	for _, patterns := range [][]string{{"create_issue"}, {"github__*"}, {"mcp:github:*"}, {"group:mcp"}, {"calendar"}, {"*"}, {"nothing", "core:*"}, {"A__B__C"}} {
		m, err := policy.NewMatcher("here", patterns)
		if err != nil {
			t.Fatal(err)
		}
		p := newPolicy(t, rules("tools", nil, patterns))
		for _, tool := range tools {
			if m.Match(tool) == p.Decide(tool, toolcrib.Scope{}).Allowed {
				t.Errorf("%q and %s: it matches: %t", patterns, tool.ID, m.Match(tool))
			}
		}
	}
	if _, err := policy.NewMatcher("here", []string{"a", ""}); toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), "here[1]") {
		t.Errorf("an empty pattern: %v", err)
	}
	m, err := policy.NewMatcher("here", []string{"create_issue", "creat_issue", "group:fs", "group:nothing"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Unmatched(slices.Values(tools)), []string{`here "creat_issue"`, `here "group:nothing"`}; !slices.Equal(got, want) {
		t.Errorf("unmatched: %q, want %q", got, want)
	}
	if (policy.Matcher{}).Match(results) {
		t.Error("the zero Matcher matched")
	}
}
