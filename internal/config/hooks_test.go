package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestHooks(t *testing.T) {
	c, warnings := load(t, write(t, `{hooks: {
		guard: {event: "before_tool_call", match: ["mcp:github:*", "exec"], command: "./guard", args: ["-x"], env: {LEVEL: 3, GUARD_TOKEN: "hunter22"}, cwd: "bin", priority: -7},
		web: {event: "after_tool_call", url: "https://hooks.example/x", secret: "s3cr3t-key", headers: {"X-A": "b"}, timeoutMs: 99, enabled: false},
	}}`))
	want := map[string]Hook{
		"guard": {
			Event: "before_tool_call", Match: []string{"mcp:github:*", "exec"}, Command: "./guard", Args: []string{"-x"},
			Env: map[string]string{"LEVEL": "3", "GUARD_TOKEN": "hunter22"}, Cwd: c.Hooks["guard"].Cwd, Priority: -7, TimeoutMs: 5000, Enabled: true,
		},
		"web": {Event: "after_tool_call", URL: "https://hooks.example/x", Secret: "s3cr3t-key", Headers: map[string]string{"X-A": "b"}, TimeoutMs: 100},
	}
	if diff := cmp.Diff(want, c.Hooks); diff != "" {
		t.Error(diff)
	}
	if !strings.HasSuffix(c.Hooks["guard"].Cwd, "bin") || c.Hooks["web"].Timeout() != 100*time.Millisecond {
		t.Errorf("cwd %q, timeout %s", c.Hooks["guard"].Cwd, c.Hooks["web"].Timeout())
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "hooks.web.timeoutMs") {
		t.Errorf("warnings %v", warnings)
	}
	if shown := c.Redact("the key s3cr3t-key and hunter22"); strings.Contains(shown, "s3cr3t") || strings.Contains(shown, "hunter22") {
		t.Errorf("secrets are shown: %s", shown)
	}
}

func TestHooksThatCannotBe(t *testing.T) {
	for text, want := range map[string]string{
		`{hooks: {g: {command: "x"}}}`:                                                        "hooks.g: has no event",
		`{hooks: {g: {event: "before_tool_call"}}}`:                                           "hooks.g: has neither command nor url",
		`{hooks: {g: {event: "before_tool_call", command: "x", url: "https://x"}}}`:           "hooks.g: has both command and url",
		`{hooks: {g: {event: "before", command: "x"}}}`:                                       "hooks.g.event",
		`{hooks: {"a b": {event: "before_tool_call", command: "x"}}}`:                         "the name of a hook",
		`{hooks: {g: {event: "before_tool_call", command: " "}}}`:                             "hooks.g.command: is empty",
		`{hooks: {g: {event: "before_tool_call", url: "ftp://x"}}}`:                           "hooks.g.url",
		`{hooks: {g: {event: "before_tool_call", url: "https://x", secret: ""}}}`:             "hooks.g.secret: is empty",
		`{hooks: {g: {event: "before_tool_call", command: "x", match: [" "]}}}`:               "hooks.g.match[0]: is an empty pattern",
		`{hooks: {g: {event: "before_tool_call", command: "x", match: "exec"}}}`:              "hooks.g.match",
		`{hooks: {g: {event: "before_tool_call", command: "x", env: {"A=B": "c"}}}}`:          "is not the name of a variable",
		`{hooks: {g: {event: "before_tool_call", url: "https://x", headers: {"A b": "c"}}}}`:  "is not the name of a header",
		`{hooks: {g: {event: "before_tool_call", command: "x", timeout: 3}}}`:                 "hooks.g.timeout: unknown key",
		`{hooks: {g: {event: "before_tool_call", url: "https://x", secret: "${NOT_SET_X}"}}}`: "switch the hook off",
		`{hooks: ["x"]}`: "hooks: found a list",
	} {
		if _, _, err := Load(write(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
