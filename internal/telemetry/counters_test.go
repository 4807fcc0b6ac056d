package telemetry

import (
	"bytes"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/session"
)

func TestCounters(t *testing.T) {
	c := New()
	shown := &session.Shown{Bytes: 100, DirectBytes: 900}
	for _, e := range []session.Event{
		{Kind: session.KindStart, Agent: "main", Door: toolcrib.DoorMCP, Shown: shown},
		{Kind: session.KindSearch, Agent: "main", Outcome: session.OK},
		{Kind: session.KindCall, Agent: "main", Source: toolcrib.SourceMCP, Outcome: session.OK, Ms: 1500},
		{Kind: session.KindCall, Agent: "main", Source: toolcrib.SourceMCP, Outcome: session.Refused},
		{Kind: session.KindCall, Agent: `o"d\d`, Source: toolcrib.SourceCore, Outcome: session.OK},
		{Kind: session.KindRequest, Agent: "main", Door: toolcrib.DoorChat, Model: "local/small", Outcome: session.OK, Shown: shown, Usage: &session.Usage{Input: 7, Output: 2}},
	} {
		c.Add(e)
	}
	var b bytes.Buffer
	c.Write(&b)
	Gauge(&b, "toolcrib_servers", 3, Label("state", "ready"))
	lines := strings.Split(b.String(), "\n")
	for _, want := range []string{
		`toolcrib_sessions_total{agent="main",door="mcp"} 1`,
		`toolcrib_calls_total{agent="main",source="mcp",outcome="ok"} 1`,
		`toolcrib_calls_total{agent="main",source="mcp",outcome="refused"} 1`,
		`toolcrib_calls_total{agent="o\"d\\d",source="core",outcome="ok"} 1`,
		`toolcrib_call_seconds_sum{source="mcp"} 1.5`,
		`toolcrib_shown_lists_total{agent="main"} 2`,
		`toolcrib_shown_bytes_total{agent="main"} 200`,
		`toolcrib_direct_bytes_total{agent="main"} 1800`,
		`toolcrib_model_tokens_total{agent="main",direction="input"} 7`,
		`toolcrib_model_requests_total{agent="main",model="local/small",outcome="ok"} 1`,
		`toolcrib_servers{state="ready"} 3`,
	} {
		found := false
		for _, line := range lines {
			found = found || line == want
		}
		if !found {
			t.Errorf("%s is missing from\n%s", want, b.String())
		}
	}
}
