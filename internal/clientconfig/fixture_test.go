package clientconfig

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// entry is what a connect command would write on a system with backslashes: the worst case.
var entry = Entry{
	Name:    "toolcrib",
	Command: `C:\Program Files\toolcrib\toolcrib.exe`,
	Args:    []string{"mcp", "--agent", `a "b" <c>`},
}

// sample is a file as its program has it.
type sample struct {
	name   string // in testdata/files
	client string
	file   File
}

func samples() []sample {
	at := func(client, scope, path string) File { return File{Client: client, Scope: scope, Path: path} }
	local := at("claude-code", "local", "/home/ana/.claude.json")
	local.Project = "/home/ana/shop"
	other := local
	other.Project = "/home/ana/new"
	return []sample{
		{"claude-desktop.user.json", "claude-desktop", at("claude-desktop", "user", "/home/ana/.config/Claude/claude_desktop_config.json")},
		{"claude-code.user.json", "claude-code", at("claude-code", "user", "/home/ana/.claude.json")},
		{"claude-code.user.json", "claude-code", local},
		{"claude-code.user.json", "claude-code", other},
		{"claude-code.project.json", "claude-code", at("claude-code", "project", "/home/ana/shop/.mcp.json")},
		{"cursor.project.json", "cursor", at("cursor", "project", "/home/ana/shop/.cursor/mcp.json")},
		{"vscode.user.json", "vscode", at("vscode", "user", "/home/ana/.config/Code/User/mcp.json")},
		{"vscode.settings.json", "vscode", at("vscode", "user", "/home/ana/.config/Code/User/settings.json")},
		{"windsurf.user.json", "windsurf", at("windsurf", "user", "/home/ana/.codeium/windsurf/mcp_config.json")},
		{"gemini.user.json", "gemini", at("gemini", "user", "/home/ana/.gemini/settings.json")},
		{"opencode.user.jsonc", "opencode", at("opencode", "user", "/home/ana/.config/opencode/opencode.jsonc")},
		{"opencode.two.jsonc", "opencode", at("opencode", "user", "/home/ana/.config/opencode/opencode.jsonc")},
		{"codex.user.toml", "codex", at("codex", "user", "/home/ana/.codex/config.toml")},
		{"codex.crlf.toml", "codex", at("codex", "user", "/home/ana/.codex/config.toml")},
		{"codex.dotted.toml", "codex", at("codex", "user", "/home/ana/.codex/config.toml")},
		{"codex.inline.toml", "codex", at("codex", "user", "/home/ana/.codex/config.toml")},
	}
}

func (s sample) text(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "files", s.name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (s sample) title() string {
	if s.file.Scope == "local" {
		return s.name + "@" + filepath.Base(s.file.Project)
	}
	return s.name
}

func client(t testing.TB, name string) Client {
	t.Helper()
	c, ok := Find(name)
	if !ok {
		t.Fatalf("no client %q", name)
	}
	return c
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
