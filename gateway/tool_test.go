package gateway

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

func TestOptionsOfATool(t *testing.T) {
	object, text := json.RawMessage(`{"type":"object"}`), json.RawMessage(`{"type":"string"}`)
	run := func(context.Context, map[string]any) (string, error) { return "done", nil }
	got := Func("name", "Do something.", run,
		Owner(toolcrib.SourceCore, "mine"), Titled("Title"), ReadOnly(), Destructive(false), Idempotent(), OpenWorld(false),
		DirectOnly(), Sequential(), OwnerOnly(), InputSchema(object), OutputSchema(text)).Tool
	want := toolcrib.Tool{
		Source: toolcrib.SourceCore, Owner: "mine", Name: "name", Label: "Title", Description: "Do something.",
		Parameters: object, OutputSchema: text,
		Annotations: toolcrib.Annotations{ReadOnly: new(true), Destructive: new(false), Idempotent: new(true), OpenWorld: new(false)},
		CatalogMode: toolcrib.CatalogDirectOnly, ExecutionMode: toolcrib.ExecutionSequential, OwnerOnly: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOwnerOnlyToolsAreTheOwnersAlone(t *testing.T) {
	g, stranger := open(t, Options{Tools: []Tool{echo("mine", OwnerOnly())}}, SessionOptions{Mode: "direct"})
	for _, v := range stranger.Surface(t.Context()).Tools() {
		if v.ID == "plugin:app:mine" {
			t.Error("a stranger sees a tool of the owner")
		}
	}
	if _, _, err := stranger.Call(t.Context(), "plugin:app:mine", json.RawMessage(`{"text":"x"}`)); toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("a stranger calls a tool of the owner: %v", err)
	}
	owner, err := g.Open(SessionOptions{Scope: toolcrib.Scope{Owner: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	if _, _, err := owner.Call(t.Context(), "plugin:app:mine", json.RawMessage(`{"text":"x"}`)); err != nil {
		t.Errorf("the owner calls it: %v", err)
	}
}
