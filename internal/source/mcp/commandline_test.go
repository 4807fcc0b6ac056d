package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandWord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my server")
	if err := os.WriteFile(file, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{"npx": "npx", "": "", "npx -y srv --token s3cret": "npx", " npx\t-y": "npx", file: file} {
		word, line := CommandWord(command)
		if word != want || line != (word != command) {
			t.Errorf("%q is shown as %q, a line: %t; want %q", command, word, line, want)
		}
	}
}

// No reason shows more of a line than its program.
func TestReasonsDoNotShowLines(t *testing.T) {
	d := diagnose(t.Context(), &Server{Name: "a", Command: "npx -y srv --token s3cret"}, nil, errNoCommand, nil)
	if text := d.what + d.hint; strings.Contains(text, "s3cret") || !strings.Contains(text, `"npx …"`) || !strings.Contains(text, "mcp.servers.a.args") {
		t.Errorf("%s; %s", d.what, d.hint)
	}
}
