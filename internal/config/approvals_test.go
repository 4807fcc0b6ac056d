package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestApprovalRules(t *testing.T) {
	c, warnings := load(t, write(t, `{
  tools: {approvals: [
    {match: "mail__*", when: "destructive", severity: "critical", timeoutMs: 5000, title: "Send?", decisions: ["allow-once", "deny"], bindArgs: true},
    {match: ["a", "group:mcp"]},
    {},
  ]},
  agents: {list: [{id: "x", tools: {approvals: [{when: "unknown"}]}}]},
}`))
	plain := func(when string, match ...string) ApprovalRule {
		return ApprovalRule{Match: match, When: when, Severity: "warning", TimeoutMs: 120_000, AskClient: true}
	}
	want := []ApprovalRule{
		{Match: []string{"mail__*"}, When: "destructive", Severity: "critical", TimeoutMs: 5000, AskClient: true, Title: "Send?", Decisions: []string{"allow-once", "deny"}, BindArgs: true},
		plain("always", "a", "group:mcp"), plain("always"),
	}
	if diff := cmp.Diff(want, c.Tools.Approvals); diff != "" || len(warnings) > 0 {
		t.Errorf("%q (-want +got):\n%s", warnings, diff)
	}
	if diff := cmp.Diff([]ApprovalRule{plain("unknown")}, c.Agents.List[0].Tools.Approvals); diff != "" {
		t.Errorf("of an agent (-want +got):\n%s", diff)
	}
	c, warnings = load(t, write(t, `{tools: {approvals: [{timeoutMs: 900000, title: "`+strings.Repeat("x", 81)+`"}]}}`))
	if c.Tools.Approvals[0].TimeoutMs != 600_000 || len(warnings) != 2 {
		t.Errorf("%+v, %q", c.Tools.Approvals, warnings)
	}
}

func TestApprovalMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{tools: {approvals: {match: "a"}}}`:                                         "tools.approvals: found an object",
		`{tools: {approvals: ["a"]}}`:                                                "tools.approvals[0]: found a string",
		`{tools: {approvals: [{}, {when: "sometimes"}]}}`:                            "tools.approvals[1].when",
		`{tools: {approvals: [{match: []}]}}`:                                        "tools.approvals[0].match: is empty",
		`{tools: {approvals: [{match: [""]}]}}`:                                      "tools.approvals[0].match: holds an empty pattern",
		`{tools: {approvals: [{match: ["a", " "]}]}}`:                                "holds an empty pattern",
		`{tools: {approvals: [{match: ""}]}}`:                                        "tools.approvals[0].match: is empty",
		`{tools: {approvals: [{match: 3}]}}`:                                         "tools.approvals[0].match: found a number",
		`{tools: {approvals: [{decisions: ["deny"]}]}}`:                              "tools.approvals[0].decisions: offers no yes",
		`{tools: {approvals: [{decisions: []}]}}`:                                    "offers no yes",
		`{tools: {approvals: [{decisions: ["yes"]}]}}`:                               "tools.approvals[0].decisions[0]: found another word",
		`{tools: {approvals: [{timeout: 3}]}}`:                                       "tools.approvals[0].timeout: unknown key",
		`{agents: {list: [{id: "x", tools: {approvals: [{decisions: ["deny"]}]}}]}}`: "agents.list[0].tools.approvals[0].decisions: offers no yes",
	} {
		if _, _, err := Load(write(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
