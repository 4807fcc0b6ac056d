package gateway

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/session"
)

// TestGoHooks: a program's own hooks see calls before they run and after, and what
// they decide is recorded.
func TestGoHooks(t *testing.T) {
	guard := Hook{
		Name: "guard", Match: []string{"plugin:app:*"},
		Before: func(_ context.Context, c *HookCall) (HookVerdict, error) {
			switch {
			case strings.Contains(string(c.Args), "bad"):
				return HookVerdict{Decision: HookBlock, Reason: "it is bad"}, nil
			case strings.Contains(string(c.Args), "odd"):
				return HookVerdict{Decision: HookAsk, Reason: "it is odd"}, nil
			}
			c.Args = json.RawMessage(`{"text":"new"}`)
			return HookVerdict{}, nil
		},
		After: func(_ context.Context, _ HookCall, r *toolcrib.Result) error {
			r.Content = append(r.Content, toolcrib.Text("seen"))
			return nil
		},
	}
	g, s := open(t, Options{Tools: []Tool{echo("mine")}, Hooks: []Hook{guard}}, SessionOptions{})
	_, result, err := s.Call(t.Context(), "plugin:app:mine", json.RawMessage(`{"text":"old"}`))
	if err != nil || result.Content[len(result.Content)-1].Text != "seen" || !strings.Contains(result.Content[0].Text, "new") {
		t.Errorf("%+v, %v", result, err)
	}
	for args, want := range map[string]string{`{"text":"bad"}`: "blocked by hook guard: it is bad", `{"text":"odd"}`: "hooks.guard"} {
		if _, _, err := s.Call(t.Context(), "plugin:app:mine", json.RawMessage(args)); toolcrib.KindOf(err) != toolcrib.KindBlocked || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	recorded := map[string]session.Outcome{}
	for _, e := range hookEvents(t, g, s) {
		recorded[e.Rule+" "+e.Reason] = e.Outcome
	}
	want := map[string]session.Outcome{
		"hooks.guard rewrote": session.OK, "hooks.guard redacted": session.OK,
		"hooks.guard blocked: it is bad": session.Refused, "hooks.guard asked: it is odd": session.OK,
	}
	if diff := cmp.Diff(want, recorded); diff != "" {
		t.Error(diff)
	}
}

// hookEvents are those that a session has recorded of hooks.
func hookEvents(t *testing.T, g *Gateway, s *Session) (found []session.Event) {
	t.Helper()
	if err := g.recorder.log.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	store, err := g.store.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := store.Sessions().Events(t.Context(), s.scope.Session, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Kind == session.KindHook {
			found = append(found, e)
		}
	}
	return found
}

func TestGoHooksThatCannotBe(t *testing.T) {
	before := func(context.Context, *HookCall) (HookVerdict, error) { return HookVerdict{}, nil }
	settings := []string{`hooks={same: {event: "before_tool_call", command: "true"}}`}
	for _, hooks := range [][]Hook{{{Name: "same", Before: before}}, {{Name: "nothing"}}, {{Name: "", Before: before}}, {{Name: "a", Match: []string{" "}, Before: before}}} {
		g, err := New(t.Context(), Options{Settings: settings, Hooks: hooks})
		if toolcrib.KindOf(err) != toolcrib.KindConfig {
			t.Errorf("%v: %v", hooks[0].Name, err)
		}
		if err == nil {
			g.Close()
		}
	}
}

// TestMisspeltMatch: a guard that never runs is worth a warning.
func TestMisspeltMatch(t *testing.T) {
	g, _ := open(t, Options{Tools: []Tool{echo("mine")}, Settings: []string{`hooks={g: {event: "before_tool_call", match: ["mine", "mien"], command: "true"}}`}}, SessionOptions{})
	texts := strings.Join(g.warnings(t.Context()), "\n")
	if !strings.Contains(texts, `hooks.g.match "mien" matches no tool`) || strings.Contains(texts, `"mine"`) {
		t.Errorf("warnings: %s", texts)
	}
}
