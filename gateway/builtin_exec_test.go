//go:build unix

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// commands is a session whose program answers questions by ask, and the folder in
// which its commands run.
func commands(t *testing.T, ask toolcrib.Ask, settings ...string) (*Session, string) {
	t.Helper()
	dir := t.TempDir()
	_, s := open(t, Options{
		BuiltIn: true, Sandbox: able, StateDir: t.TempDir(), Approver: ask, Settings: append([]string{"tools.fs.workspace=" + dir}, settings...),
	}, SessionOptions{})
	return s, dir
}

func runs(t *testing.T, s *Session, line string) (string, error) {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		t.Fatal(err)
	}
	_, r, err := s.Call(t.Context(), "core:runtime:exec", raw)
	if err != nil {
		return "", err
	}
	var out struct{ Stdout string }
	if err := json.Unmarshal(r.Details, &out); err != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	return out.Stdout, nil
}

func TestListedCommandsRunUnasked(t *testing.T) {
	t.Parallel()
	s, _ := commands(t, func(_ context.Context, q toolcrib.Question) (toolcrib.Decision, error) {
		t.Errorf("asked %+v", q)
		return toolcrib.Deny, nil
	}, `tools.exec.allow=["echo *", "wc *"]`)
	if out, err := runs(t, s, "echo 'a  b' | wc -c"); err != nil || strings.TrimSpace(out) != "5" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestMissedCommandsAreAskedAbout(t *testing.T) {
	t.Parallel()
	var asked []toolcrib.Question
	answer := toolcrib.Deny
	s, dir := commands(t, func(_ context.Context, q toolcrib.Question) (toolcrib.Decision, error) {
		asked = append(asked, q)
		return answer, nil
	})
	line := "echo $((40+2)) >> ran; cat ran; " + strings.Repeat("true; ", 40)
	_, err := runs(t, s, line)
	known := (*toolcrib.Error)(nil)
	if !errors.As(err, &known) || known.Kind != toolcrib.KindBlocked || !strings.Contains(known.Message, "denied it; it did not run") || !strings.Contains(known.Hint, "allow-list") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it ran")
	}
	q := asked[0]
	if !strings.HasPrefix(q.Title, "Run: echo $((40+2)) >> ran") || len([]rune(q.Title)) > toolcrib.MaxTitle || !q.BindArgs || q.Rule != "tools.exec.ask" ||
		!strings.Contains(q.Description, "Not on the allow-list") || !strings.Contains(q.Description, "doesn't show all") || !strings.Contains(q.Description, "all rights") {
		t.Errorf("asked %+v", q)
	}
	answer = toolcrib.AllowOnce
	for _, want := range []string{"42\n", "42\n42\n"} {
		if out, err := runs(t, s, line); err != nil || out != want {
			t.Errorf("got %q, %v", out, err)
		}
	}
	answer = toolcrib.AllowAlways
	if _, err := runs(t, s, "echo $((1))"); err != nil {
		t.Error(err)
	}
	n := len(asked)
	if n != 4 {
		t.Errorf("asked %d times", n)
	}
	answer = toolcrib.Deny
	if out, err := runs(t, s, "echo $((1))"); err != nil || out != "1\n" || len(asked) != n {
		t.Errorf("after always: %q, %v", out, err)
	}
	if _, err := runs(t, s, "echo $((2))"); err == nil || len(asked) != n+1 {
		t.Errorf("always counted for other arguments: %v", err)
	}
}

func TestCommandsWithNobodyToAsk(t *testing.T) {
	t.Parallel()
	s, dir := commands(t, nil)
	_, err := runs(t, s, "git push origin main")
	known := (*toolcrib.Error)(nil)
	if !errors.As(err, &known) || known.Kind != toolcrib.KindBlocked || !strings.Contains(known.Message, "nobody to ask") || !strings.Contains(known.Hint, `"git push origin main"`) {
		t.Errorf("got %v", err)
	}
	s, _ = commands(t, func(context.Context, toolcrib.Question) (toolcrib.Decision, error) {
		t.Error("asked")
		return toolcrib.AllowOnce, nil
	}, "tools.exec.ask=off")
	if _, err := runs(t, s, "touch "+dir+"/ran"); toolcrib.KindOf(err) != toolcrib.KindBlocked {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir + "/ran"); err == nil {
		t.Error("it ran")
	}
}

func TestEveryCommandIsAskedAbout(t *testing.T) {
	t.Parallel()
	count := 0
	s, _ := commands(t, func(context.Context, toolcrib.Question) (toolcrib.Decision, error) {
		count++
		return toolcrib.AllowOnce, nil
	}, "tools.exec.ask=always", `tools.exec.allow=["echo *"]`)
	if out, err := runs(t, s, "echo x"); err != nil || out != "x\n" || count != 1 {
		t.Errorf("got %q, %v, asked %d times", out, err, count)
	}
}

// The client's user isn't asked unless the operator says so.
func TestClientsDontAnswerForCommands(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]bool{"tools.exec.askClient=false": false, "tools.exec.askClient=true": true} {
		s, _ := commands(t, nil, setting, "tools.toolSearch.mode=tools")
		asked := false
		r := s.Surface(t.Context()).Call(t.Context(), SurfaceCall{
			Name: "tool_call", Args: json.RawMessage(`{"id":"core:runtime:exec","args":{"command":"echo $((1))"}}`), CallID: "c", Scope: s.Scope(),
			Ask: func(context.Context, toolcrib.Question) (toolcrib.Decision, error) {
				asked = true
				return toolcrib.AllowOnce, nil
			},
		})
		if asked != want || r.IsError == want {
			t.Errorf("%s: asked %t, %+v", setting, asked, r)
		}
	}
}

func TestSandboxedAgentsCommands(t *testing.T) {
	t.Parallel()
	if r := fence.Probe(); !r.Files {
		t.Skipf("this machine has no fence: %+v", r.Pieces)
	}
	state := t.TempDir()
	_, s := open(t, Options{
		BuiltIn: true, Sandbox: able, StateDir: state, Settings: []string{`tools.exec.allow=["cat *", "ls *", "tee *"]`, `agents.list=[{"id":"main","sandbox":true}]`},
	}, SessionOptions{})
	if err := os.WriteFile(filepath.Join(state, "admin.token"), []byte("s3cret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := runs(t, s, "cat ../admin.token || ls .. || tee ../made"); err != nil || out != "" {
		t.Errorf("got %q, %v", out, err)
	}
	if out, err := runs(t, s, "tee mine && ls"); err != nil || out != "mine\n" {
		t.Errorf("got %q, %v", out, err)
	}
	_, s = open(t, Options{
		BuiltIn: true, Sandbox: able, StateDir: state,
		Settings: []string{`tools.exec.allow=["cat *"]`, `agents.list=[{"id":"main","sandbox":true}]`, "tools.fs.workspace=" + state},
	}, SessionOptions{})
	if out, err := runs(t, s, "cat admin.token"); toolcrib.KindOf(err) != toolcrib.KindBlocked {
		t.Errorf("with the state as workspace: %q, %v", out, err)
	}
}

func TestPatternsOfCommands(t *testing.T) {
	t.Parallel()
	_, err := New(t.Context(), Options{Settings: []string{`tools.exec.allow=["git log *", "ls > x"]`}})
	if toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), "tools.exec.allow[1]") {
		t.Errorf("got %v", err)
	}
	g, _ := open(t, Options{Settings: []string{`tools.exec.allow=["git log *", "env *"]`}}, SessionOptions{})
	warnings := strings.Join(g.warnings(t.Context()), "\n")
	if !strings.Contains(warnings, `tools.exec.allow[1]: "env *" allows every command`) || strings.Contains(warnings, "git log") {
		t.Errorf("got %s", warnings)
	}
}

// Without SandboxMain in the program's main there are no commands.
func TestCommandsNeedAbleProgram(t *testing.T) {
	t.Parallel()
	g, _ := open(t, Options{BuiltIn: true}, SessionOptions{})
	for _, l := range g.listings(t.Context(), toolcrib.Scope{}) {
		if l.Owner == "runtime" && (l.State != toolcrib.StateDown || !strings.Contains(l.Reason, "SandboxMain")) {
			t.Errorf("got %+v", l)
		}
	}
}
