package gateway

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	own "github.com/toolcrib/toolcrib/internal/source/builtin/sessions"
)

// askStatus calls session_status as the model of s does.
func askStatus(t *testing.T, s *Session) own.Status {
	t.Helper()
	_, r, err := s.Call(t.Context(), own.ToolID, json.RawMessage(`{}`))
	if err != nil || r.IsError {
		t.Fatalf("%v %v", r, err)
	}
	var status own.Status
	if err := json.Unmarshal(r.Details, &status); err != nil {
		t.Fatal(err)
	}
	return status
}

func TestSessionStatus(t *testing.T) {
	g, err := New(t.Context(), Options{
		Tools: []Tool{echo("repeat"), echo("hidden")}, StateDir: t.TempDir(), BuiltIn: true,
		Servers:  map[string]Server{"gone": {Command: "/no/such/program"}},
		Settings: []string{"tools.toolSearch.mode=tools", `tools.deny=["hidden","group:fs","group:runtime","group:web"]`},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	s := asModel(t, g)
	other, err := g.Open(SessionOptions{Scope: toolcrib.Scope{Door: toolcrib.DoorMCP, Client: "other", Session: "s2"}, Mode: "direct"})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*Session{s, other} {
		x.Surface(t.Context())
	}
	if _, err := s.Search(t.Context(), "repeat text", 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Call(t.Context(), "repeat", json.RawMessage(`{"text":"hello"}`)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Call(t.Context(), "hidden", json.RawMessage(`{"text":"hello"}`)); err == nil {
		t.Fatal("a denied tool ran")
	}
	got := askStatus(t, s)
	if got.Started == nil || got.Started.After(got.Now) || got.Shown == nil || got.Shown.Bytes == 0 || got.Shown.DirectBytes == 0 || len(got.Down) != 1 || got.Down[0].Server != "gone" || got.Down[0].Reason == "" {
		t.Errorf("%+v, shown %+v", got, got.Shown)
	}
	want := own.Status{
		Agent: "main", Door: toolcrib.DoorMCP, Client: "editor", Mode: "tools", Now: got.Now, Started: got.Started, Shown: got.Shown, Down: got.Down,
		Done: &own.Done{Searches: 1, Calls: 2, Refused: 1},
		Tools: []own.Tools{
			{Source: toolcrib.SourceCore, Owner: "results", Tools: 1}, {Source: toolcrib.SourceCore, Owner: "sessions", Tools: 1}, {Source: toolcrib.SourcePlugin, Owner: "app", Tools: 1},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := askStatus(t, other); got.Client != "other" || got.Mode != "direct" || *got.Done != (own.Done{}) {
		t.Errorf("of the other session: %+v, %+v", got, got.Done)
	}
}

// A session of another caller that bears the same name gives nothing away.
func TestSessionStatusOfAnotherCaller(t *testing.T) {
	g, err := New(t.Context(), Options{Tools: []Tool{echo("repeat")}, StateDir: t.TempDir(), BuiltIn: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	first, err := g.Open(SessionOptions{Scope: toolcrib.Scope{Door: toolcrib.DoorMCP, Caller: "ann#1", Session: "same"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := first.Call(t.Context(), "repeat", json.RawMessage(`{"text":"hello"}`)); err != nil {
		t.Fatal(err)
	}
	second, err := g.Open(SessionOptions{Scope: toolcrib.Scope{Door: toolcrib.DoorMCP, Caller: "bob#2", Session: "same"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := askStatus(t, second); got.Done != nil || got.Started != nil {
		t.Errorf("%+v, %+v", got, got.Done)
	}
	if got := askStatus(t, first); got.Done == nil || got.Done.Calls == 0 {
		t.Errorf("%+v, %+v", got, got.Done)
	}
}

// web_fetch follows the settings in force.
func TestWebFollowsTheSettings(t *testing.T) {
	g, err := New(t.Context(), Options{BuiltIn: true, Settings: []string{`tools.web.denyHosts=["*.example.com"]`}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	s, err := g.Open(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"http://docs.example.com/", "http://169.254.169.254/", "http://127.0.0.1:1/"} {
		if _, _, err := s.Call(t.Context(), "core:web:web_fetch", json.RawMessage(`{"url":"`+url+`"}`)); toolcrib.KindOf(err) != toolcrib.KindBlocked {
			t.Errorf("%s: %v", url, err)
		}
	}
}
