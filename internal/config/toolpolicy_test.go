package config

import (
	"strings"
	"testing"
)

func TestPolicyFaults(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"door", `{tools: {byChannel: {mpc: {}}}}`, `mpc: unknown key (did you mean "mcp"?)`},
		{"profile", `{tools: {profile: 'codin'}}`, `did you mean "coding"?`},
		{"agent's door", `{agents: {list: [{id: 'a', tools: {byChannel: {responces: {}}}}]}}`, `did you mean "responses"?`},
		{"allow and alsoAllow", `{tools: {profile: 'coding',
  allow: ['a'],
  alsoAllow: ['b']}}`, `:3:14: tools.alsoAllow: stands beside allow (`},
		{"the same, deep", `{agents: {list: [{id: 'a', tools: {byProvider: {'x/y.z': {allow: ['a'], alsoAllow: ['b'], profile: 'minimal'}}}}]}}`, `agents.list[0].tools.byProvider["x/y.z"].alsoAllow: stands beside allow`},
		{"empty pattern", `{tools: {byHarness: {codex: {deny: ['a', ' ']}}}}`, `tools.byHarness.codex.deny[1]: is an empty pattern`},
		{"empty pattern, sandbox", `{tools: {sandbox: {tools: {deny: ['']}}}}`, `tools.sandbox.tools.deny[0]: is an empty pattern`},
		{"profile of the sandbox", `{tools: {sandbox: {tools: {profile: 'full'}}}}`, `tools.sandbox.tools.profile: unknown key`},
		{"provider without a name", `{tools: {byProvider: {' ': {}}}}`, `has no name`},
		{"rules that are a list", `{tools: {byProvider: {openai: ['x']}}}`, `found a list, expected an object`},
	} {
		_, _, err := Load(write(t, c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want it to say %s", c.name, err, c.want)
		}
	}
}

func TestAlsoAllowWithoutProfileIsWarnedOf(t *testing.T) {
	for text, want := range map[string]string{
		`{tools: {alsoAllow: ['x']}}`:                                           "tools.alsoAllow: has no effect",
		`{tools: {profile: 'full', alsoAllow: ['x']}}`:                          "tools.alsoAllow: has no effect",
		`{agents: {list: [{id: 'a', tools: {alsoAllow: ['x']}}]}}`:              "agents.list[0].tools.alsoAllow: has no effect",
		`{agents: {list: [{id: 'a', tools: {alsoAllow: ['x', 'Group:FS']}}]}}`:  "",
		`{tools: {alsoAllow: ['group:fs']}}`:                                    "tools.alsoAllow: has no effect",
		`{tools: {byChannel: {mcp: {alsoAllow: ['x'], profile: 'minimal'}}}}`:   "",
		`{tools: {profile: 'coding', alsoAllow: ['x'], allow: []}}`:             "",
		`{tools: {profile: 'minimal'}, agents: {list: [{id: 'a', tools: {}}]}}`: "",
	} {
		_, warnings := load(t, write(t, text))
		switch {
		case want == "" && len(warnings) > 0:
			t.Errorf("%s: warned %q", text, warnings)
		case want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0], want)):
			t.Errorf("%s: warned %q, want %s", text, warnings, want)
		}
	}
}

func TestOriginOfPatterns(t *testing.T) {
	c, _ := load(t, write(t, `{
  tools: {byProvider: {'open.ai/gpt-5': {deny: [
    'x',
    'y']}}},
  agents: {list: [{id: 'a.b', tools: {
    profile: 'coding',
    alsoAllow: ['z']}}]}}`))
	for path, line := range map[string]int{
		`tools.byProvider["open.ai/gpt-5"].deny[1]`: 4,
		`agents.list[a.b].tools.alsoAllow[0]`:       7,
		`agents.list[0].tools.profile`:              6,
	} {
		at, err := c.Origin(path)
		if err != nil || at.Layer != LayerFile || at.Line != line {
			t.Errorf("%s is at %v (%v), want line %d", path, at, err, line)
		}
	}
	if at, err := c.Origin("tools.profile"); err != nil || at.Layer != LayerDefault {
		t.Errorf("tools.profile is at %v (%v), want the default", at, err)
	}
	if got := JoinPath("tools.byProvider", "open.ai/gpt-5"); got != `tools.byProvider["open.ai/gpt-5"]` {
		t.Errorf("JoinPath: %s", got)
	}
}
