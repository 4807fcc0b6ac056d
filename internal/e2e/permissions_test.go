package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// shed is a server with a tool for each effect, which says so, and writes down what
// ran.
func shed() peer {
	var tools []string
	for name, hints := range map[string]string{
		"list_rakes": `{"readOnlyHint":true}`, "hang_rake": `{"readOnlyHint":false,"destructiveHint":false}`, "burn_shed": `{"destructiveHint":true}`,
	} {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"Tend the shed","annotations":%s,"inputSchema":{"type":"object"}}`, name, hints))
	}
	slices.Sort(tools)
	p := yard(nil)
	p.tools = listed(tools...)
	return p
}

// TestClaudeCodePermissions: where calls are split, the permission rules of Claude
// Code let its model read without a question, and nothing else; a question that
// nobody can be asked is a no. The record of the server says what came and what ran.
func TestClaudeCodePermissions(t *testing.T) {
	t.Parallel()
	folder := clientsFolder(t)
	const prefix = "mcp__toolcrib__"
	run := func(control, tool string) modelmock.Turn {
		return modelmock.Use(prefix+control, `{"id":"mcp:shed:`+tool+`"}`)
	}
	for _, test := range []struct {
		name, mode  string
		permissions object
		args        []string
	}{
		{
			"settings", "tools", object{
				"allow": []string{prefix + "tool_search", prefix + "tool_describe", prefix + "tool_call_read"},
				"ask":   []string{prefix + "tool_call_write", prefix + "tool_call_destructive"},
			}, nil,
		},
		{"flags", "directory", nil, []string{"--allowedTools", prefix + "tool_search", prefix + "tool_describe", prefix + "tool_call_read"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := realClients[0]
			c.args = func(string) []string { return append([]string{"-p", question}, test.args...) }
			server := fake(t, "shed")
			ran := filepath.Join(t.TempDir(), "ran")
			server["trustHints"], server["env"].(object)[ranEnv] = true, ran
			d := newDesk(t, c, folder, object{
				"mcp":   object{"servers": object{"shed": server}},
				"tools": object{"toolSearch": object{"mode": test.mode, "splitCalls": true}},
			})
			d.serve().ready("shed")
			d.configure(nil)
			if test.permissions != nil {
				d.claudeSettings(object{"permissions": test.permissions})
			}
			d.ok("connect", c.name)
			r := d.run("", modelmock.Steps(
				modelmock.Use(prefix+"tool_search", `{"query":"tend the shed"}`),
				run("tool_call_read", "list_rakes"),
				run("tool_call_write", "hang_rake"),
				run("tool_call_destructive", "burn_shed"),
				run("tool_call_read", "hang_rake"),
				modelmock.Text("Done."),
			))
			results := r.prompts[len(r.prompts)-1].Results
			if len(results) != 5 {
				t.Fatalf("%d results:\n%s", len(results), r.output)
			}
			for _, control := range []string{"tool_call_read", "tool_call_write", "tool_call_destructive"} {
				mentions(t, results[0].Text, `"call":"`+control+`"`)
			}
			mentions(t, results[1].Text, "list_rakes {")
			mentions(t, results[2].Text, prefix+"tool_call_write", "permission")
			mentions(t, results[3].Text, prefix+"tool_call_destructive", "permission")
			mentions(t, results[4].Text, "tool_call_read doesn't run mcp:shed:hang_rake", "it did not run", "call tool_call_write with the same input")
			if data, err := os.ReadFile(ran); err != nil || !strings.HasPrefix(string(data), "list_rakes ") || strings.Count(string(data), "\n") != 1 {
				t.Errorf("ran: %q %v", data, err)
			}
			d.ok("disconnect", c.name)
			want := []string{"mcp:shed:list_rakes ok", "mcp:shed:hang_rake refused input"}
			if diff := cmp.Diff(want, d.called("mcp")); diff != "" {
				t.Errorf("the record has these calls: %s", diff)
			}
		})
	}
}

// called are the calls in the record of a door, with how they came out.
func (h *home) called(door string) (calls []string) {
	h.t.Helper()
	for _, r := range h.records(door) {
		for _, e := range r.Events {
			if e.Kind == "call" {
				calls = append(calls, strings.TrimSpace(e.Tool+" "+e.Outcome+" "+e.Failure))
			}
		}
	}
	return calls
}

// claudeSettings writes the settings of Claude Code's user.
func (d *desk) claudeSettings(settings object) {
	d.t.Helper()
	path := filepath.Join(d.dir, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(asJSON(settings)), 0o600); err != nil {
		d.t.Fatal(err)
	}
}
