package bench

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// answered is a runtime that costs nothing: it makes the calls of a body by itself.
type answered struct{}

func (answered) Run(ctx context.Context, _ sandbox.Script, h sandbox.Host) (sandbox.Outcome, error) {
	for _, call := range [][2]string{
		{"search", `["show an issue",{"limit":3}]`},
		{"describe", `["plugin:tracker:get_issue"]`},
		{"call", `["plugin:tracker:get_issue",{"issue_id":"TRK-101"}]`},
	} {
		if _, err := h(ctx, "openclaw.tools."+call[0], json.RawMessage(call[1])); err != nil {
			return sandbox.Outcome{}, err
		}
	}
	return sandbox.Outcome{Value: json.RawMessage("1")}, nil
}

// BenchmarkBridge is the gateway's own share of a body with one search, one
// describe and one call.
func BenchmarkBridge(b *testing.B) {
	tools, err := newWorkbench()
	if err != nil {
		b.Fatal(err)
	}
	surface, err := tools.surface(answered{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := surface.RunCode(b.Context(), toolsearch.CodeRequest{Code: "x", CallID: "c"}); r.Error != nil {
			b.Fatal(r.Error)
		}
	}
}
