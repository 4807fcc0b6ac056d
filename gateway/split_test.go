package gateway

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// TestSplitCalls: where calls are split the model gets three controls, each of which
// runs its tools and refuses the others, and the record has the refusal.
func TestSplitCalls(t *testing.T) {
	g, s := open(t, Options{
		Settings: []string{`tools.toolSearch={splitCalls: true}`},
		Tools:    []Tool{echo("read_aloud", ReadOnly()), echo("write_down"), echo("wipe", Destructive(true))},
	}, SessionOptions{})
	surface := s.Surface(t.Context())
	if got, want := names(surface), []string{"tool_search", "tool_describe", "tool_call_read", "tool_call_write", "tool_call_destructive"}; !slices.Equal(got, want) {
		t.Fatalf("the model sees %v, want %v", got, want)
	}
	right := map[string]string{"read_aloud": "tool_call_read", "write_down": "tool_call_write", "wipe": "tool_call_destructive"}
	for name, own := range right {
		for _, used := range right {
			args, _ := json.Marshal(map[string]any{"id": name, "args": map[string]any{"text": "hello"}})
			r := surface.Call(t.Context(), SurfaceCall{Name: used, Args: args, CallID: newID(), Scope: s.Scope()})
			if r.IsError != (used != own) || used != own && !strings.Contains(r.Text, "call "+own) {
				t.Errorf("%s through %s: %s", name, used, r.Text)
			}
		}
		if d, err := s.Describe(t.Context(), name); err != nil || d.Call != own {
			t.Errorf("%s is described with control %q %v, want %s", name, d.Call, err, own)
		}
		if d, err := (control{g}).Search(t.Context(), client.SearchRequest{Query: name, Limit: 1}); err != nil || d.Hits[0].Call != own {
			t.Errorf("an operator finds %s with %+v %v", name, d.Hits, err)
		}
	}
	stats, err := (control{g}).Stats(t.Context(), toolcrib.DefaultAgent)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range stats.Modes {
		if want := map[string]int{"tools": 5, "directory": 5, "code": 1, "direct": 4}[m.Mode]; m.Visible != want {
			t.Errorf("the figures of mode %s are of %d tools, want %d", m.Mode, m.Visible, want)
		}
	}
}
