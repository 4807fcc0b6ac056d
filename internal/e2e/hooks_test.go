package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shellHook is a hook that is a line of shell.
func shellHook(event, line string) object {
	return object{"event": event, "command": "/bin/sh", "args": []string{"-c", line}}
}

// hooked is a configuration with one server and these hooks.
func hooked(t *testing.T, hooks object) object {
	c := servers(object{"good": fake(t, "good")})
	c["hooks"] = hooks
	return c
}

const plants = "mcp:good:water_plants"

// TestHooks: a hook of a running gateway blocks, rewrites, asks, redacts; one that
// fails lets nothing through; and a saved file changes them.
func TestHooks(t *testing.T) {
	t.Parallel()
	const before, after = "before_tool_call", "after_tool_call"
	h := newHome(t, hooked(t, object{"guard": shellHook(before, "echo the pump is off >&2; exit 2")}))
	g := h.serve()
	g.ready("good")
	h.fails(5, []string{"blocked by hook guard: the pump is off", "it did not run"}, "tools", "call", plants, "litres=1")

	h.write(hooked(t, object{"guard": shellHook(before, `echo '{"args": {"litres": 7}}'`)}))
	mentions(t, h.ok("tools", "call", plants, "litres=1"), `water_plants {"litres":7}`)

	h.write(hooked(t, object{"guard": shellHook(before, `exit 1`)}))
	h.fails(5, []string{"hook guard failed: it exited with code 1", "it did not run"}, "tools", "call", plants, "litres=1")

	h.write(hooked(t, object{"hide": shellHook(after, `echo '{"result": {"content": [{"type": "text", "text": "hidden"}]}}'`)}))
	if out := h.ok("tools", "call", plants, "litres=1"); strings.TrimSpace(out) != "hidden" {
		t.Errorf("the result is %q", out)
	}

	h.write(hooked(t, object{"hide": shellHook(after, `exit 3`)}))
	h.fails(5, []string{"hook hide failed", "the tool did run, but its result is withheld"}, "tools", "call", plants, "litres=1")

	h.write(hooked(t, object{"guard": object{"event": before, "match": []string{"mcp:other:*"}, "command": "/bin/false"}}))
	mentions(t, h.ok("tools", "call", plants, "litres=2"), `water_plants {"litres":2}`)
}

// TestHookAsksAndNobodyIsThere: a gateway of one command has nobody to ask.
func TestHookAsksAndNobodyIsThere(t *testing.T) {
	t.Parallel()
	h := newHome(t, hooked(t, object{"desk": shellHook("before_tool_call", `echo '{"decision": "ask", "approval": {"title": "Water?"}}'`)}))
	o := h.run("tools", "call", plants, "litres=1")
	if o.code != 5 || strings.Contains(o.stdout, "water_plants") {
		t.Errorf("it ended with %d: %s%s", o.code, o.stdout, o.stderr)
	}
}

// TestHookTrials: a hook can be tried without a gateway or a tool, and what it
// would do is the exit code.
func TestHookTrials(t *testing.T) {
	t.Parallel()
	h := newHome(t, hooked(t, object{
		"guard": shellHook("before_tool_call", `case "$(cat)" in *rm*) echo no rm >&2; exit 2;; esac; echo '{"args": {"command": "true"}}'`),
		"hide":  shellHook("after_tool_call", `cat > "$HOME/seen"; echo '{"result": {"content": []}}'`),
	}))
	mentions(t, h.ok("hooks", "list"), "guard", "hide", "before", "every tool")
	report := answer[struct {
		Effect   string
		ExitCode *int
		Args     object
	}](h, "hooks", "test", "guard", "--tool", "mcp:shell:run", "command=ls")
	if report.Effect != "rewrote" || report.ExitCode == nil || *report.ExitCode != 0 || report.Args["command"] != "true" {
		t.Errorf("%+v", report)
	}
	o := h.fails(5, []string{"blocked by hook guard: no rm"}, "hooks", "test", "guard", "--tool", "mcp:shell:run", "--args", `{"command": "rm x"}`)
	mentions(t, o.stdout, `"command": "rm x"`, "exit code 2", "no rm", "blocked")
	mentions(t, h.ok("hooks", "test", "hide", "--tool", "mcp:shell:run", "--result", `{"content": [{"type": "text", "text": "gold"}]}`), "redacted")
	seen, err := os.ReadFile(filepath.Join(h.dir, "seen"))
	if err != nil {
		t.Fatal(err)
	}
	mentions(t, string(seen), `"text":"gold"`)
	h.fails(4, []string{"there is no hook", "did you mean guard?"}, "hooks", "test", "gard", "--tool", "mcp:shell:run")
	h.fails(2, []string{"is not a tool id"}, "hooks", "test", "guard", "--tool", "run")
	h.fails(2, []string{"no tool is named"}, "hooks", "test", "guard")
}
