package gateway

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// shelfSource is a program's source whose tools can be exchanged.
type shelfSource struct {
	kind  toolcrib.Source
	owner string
	names atomic.Pointer[[]string]
}

func newShelf(kind toolcrib.Source, owner string, names ...string) *shelfSource {
	s := &shelfSource{kind: kind, owner: owner}
	s.names.Store(&names)
	return s
}

func (s *shelfSource) Listings(context.Context, toolcrib.Scope) []toolcrib.Listing {
	l := toolcrib.Listing{Source: s.kind, Owner: s.owner, State: toolcrib.StateReady, Known: true}
	for _, name := range *s.names.Load() {
		l.Tools = append(l.Tools, toolcrib.Tool{
			ID: toolcrib.MakeID(s.kind, s.owner, name), Source: s.kind, Owner: s.owner, Name: name, Description: "A tool of a shelf.",
			Parameters: json.RawMessage(`{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}`),
		})
	}
	return []toolcrib.Listing{l}
}

func (s *shelfSource) Execute(_ context.Context, c toolcrib.Call) (toolcrib.Result, error) {
	return toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(s.owner + " ran " + c.Tool.Name)}}, nil
}

func TestProgramSource(t *testing.T) {
	first, second, core := newShelf(toolcrib.SourcePlugin, "shelf", "a", "b"), newShelf(toolcrib.SourcePlugin, "other", "a"), newShelf(toolcrib.SourceCore, "fs", "read")
	g, err := New(t.Context(), Options{Sources: []Source{first, second, core}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	s, err := g.Open(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	call := func(ref, args string) (string, error) {
		_, r, err := s.Call(t.Context(), ref, json.RawMessage(args))
		if err != nil {
			return "", err
		}
		return r.Content[0].Text, nil
	}
	for ref, want := range map[string]string{"plugin:shelf:a": "shelf ran a", "plugin:other:a": "other ran a", "b": "shelf ran b"} {
		if got, err := call(ref, `{"n": 1}`); got != want {
			t.Errorf("%s: %q, %v", ref, got, err)
		}
	}
	if _, err := call("b", `{}`); toolcrib.KindOf(err) != toolcrib.KindInput {
		t.Errorf("arguments aren't checked: %v", err)
	}
	if _, err := call("core:fs:read", `{"n": 1}`); toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("a core tool of a program's source: %v", err)
	}
	first.names.Store(&[]string{"c"})
	g.Refresh()
	if got, err := call("c", `{"n": 1}`); got != "shelf ran c" {
		t.Errorf("after a change: %q, %v", got, err)
	}
	if _, err := call("b", `{"n": 1}`); toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("a tool that is gone: %v", err)
	}
}
