package mcp

import (
	"strings"
	"testing"
)

// No reason shows more of a line than its program.
func TestReasonsDoNotShowLines(t *testing.T) {
	d := diagnose(t.Context(), &Server{Name: "a", Command: "npx -y srv --token s3cret"}, nil, errNoCommand, nil)
	if text := d.what + d.hint; strings.Contains(text, "s3cret") || !strings.Contains(text, `"npx …"`) || !strings.Contains(text, "mcp.servers.a.args") {
		t.Errorf("%s; %s", d.what, d.hint)
	}
}
