package toolsearch

import (
	"encoding/json"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// TestClientFields: what a client asks the model for its own use never reaches
// a tool, except one that has a parameter of that name.
func TestClientFields(t *testing.T) {
	c := catalog.Plan([]toolcrib.Listing{reader(), listing(
		tool(toolcrib.SourceMCP, "forge", "build", "Build it."),
		tool(toolcrib.SourceMCP, "forge", "queue", "Queue it.", func(t *toolcrib.Tool) {
			t.Parameters = json.RawMessage(`{"type":"object","properties":{"wait_for_previous":{"type":"boolean"}}}`)
		}),
	)}, allowAll)
	for _, test := range []struct {
		mode             Mode
		name, args, want string
		beside           int
	}{
		{ModeTools, CallControl, `{"id":"mcp:forge:build","args":{"a":1},"wait_for_previous":true}`, `{"a":1}`, 0},
		{ModeTools, CallControl, `{"id":"mcp:forge:build","wait_for_previous":false}`, ``, 0},
		{ModeTools, CallControl, `{"id":"mcp:forge:build","a":1,"wait_for_previous":false}`, ``, 1},
		{ModeTools, CallControl, `{"id":"mcp:forge:build","args":{"wait_for_previous":true,"a":1}}`, `{"a":1}`, 0},
		{ModeTools, CallControl, `{"id":"mcp:forge:build","args":"wait_for_previous"}`, `"wait_for_previous"`, 0},
		{ModeTools, CallControl, `{"id":"mcp:forge:queue","args":{"wait_for_previous":true}}`, `{"wait_for_previous":true}`, 0},
		{ModeTools, CallControl, `{"id":"mcp:forge:queue","wait_for_previous":true}`, ``, 1},
		{ModeDirect, "forge__build", `{"a":1,"wait_for_previous":true}`, `{"a":1}`, 0},
		{ModeDirect, "forge__build", `{ "a": 1 }`, `{ "a": 1 }`, 0},
		{ModeDirect, "forge__queue", `{"wait_for_previous":true}`, `{"wait_for_previous":true}`, 0},
	} {
		b := open(t, c, test.mode)
		_, r := b.ask(t, test.name, test.args)
		if r.IsError || len(b.caller.got) != 1 {
			t.Errorf("%s %s: %+v", test.name, test.args, r)
			continue
		}
		if got := b.caller.got[0]; string(got.Args) != test.want || len(got.Beside) != test.beside {
			t.Errorf("%s %s: args %s beside %s, want args %s and %d beside", test.name, test.args, got.Args, got.Beside, test.want, test.beside)
		}
	}
	for control, args := range map[string]string{
		SearchControl: `{"query":"build","wait_for_previous":true}`, DescribeControl: `{"id":"mcp:forge:build","wait_for_previous":true}`,
	} {
		if text, r := open(t, c, ModeTools).ask(t, control, args); r.IsError {
			t.Errorf("%s: %s", control, text)
		}
	}
}
