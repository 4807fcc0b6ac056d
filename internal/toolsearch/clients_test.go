package toolsearch

import (
	"strings"
	"testing"
)

func TestDirectoryFor(t *testing.T) {
	for _, tt := range []struct {
		name, version string
		shows         bool
		want          DirectoryOptions
	}{
		{"claude-code", "2.1.234", true, DirectoryOptions{InControl: true, MaxChars: 2048}},
		{"Claude-Code (via mcp-remote 0.1.37)", "0.1.0", true, DirectoryOptions{InControl: true, MaxChars: 2048}},
		{"claude-ai", "0.1.0", false, DirectoryOptions{InControl: true, MaxChars: 2048}},
		{"codex-mcp-client", "0.146.0", false, DirectoryOptions{InControl: true, MaxChars: 1024}},
		{"gemini-cli-mcp-client-toolcrib", "0.0.1", false, DirectoryOptions{InControl: true}},
		{"Visual Studio Code", "1.107.2", true, DirectoryOptions{}},
		{"Visual Studio Code - Insiders", "1.104.0-insider", true, DirectoryOptions{}},
		{"Visual Studio Code", "1.99.3", false, DirectoryOptions{InControl: true, MaxChars: 1024}},
		{"Visual Studio Code", "", false, DirectoryOptions{InControl: true, MaxChars: 1024}},
		{"opencode", "1.17.10", true, DirectoryOptions{}},
		{"opencode", "1.18", true, DirectoryOptions{}},
		{"opencode", "2.0.0", true, DirectoryOptions{}},
		{"opencode", "1.17.7", false, DirectoryOptions{InControl: true, MaxChars: 1024}},
		{"opencode", "local", false, DirectoryOptions{InControl: true, MaxChars: 1024}},
		{"opencode-fork", "2.0.0", false, DirectoryOptions{InControl: true, MaxChars: 1024}},
		{"goose-desktop", "1.9.0", true, DirectoryOptions{}},
		{"crush", "0.40.0", true, DirectoryOptions{}},
		{"cursor-vscode", "1.0.0", false, DirectoryOptions{InControl: true, MaxChars: 1024}},
		{"", "", false, DirectoryOptions{InControl: true, MaxChars: 1024}},
	} {
		if got := ShowsInstructions(tt.name, tt.version); got != tt.shows {
			t.Errorf("%s %s shows instructions: %v", tt.name, tt.version, got)
		}
		tt.want.Untrusted = UntrustedFull
		if got := DirectoryFor(tt.name, tt.version, UntrustedFull); got != tt.want {
			t.Errorf("%s %s: %+v, want %+v", tt.name, tt.version, got, tt.want)
		}
	}
}

// TestClientsSeeTheDirectory: wherever a client cuts, the footer is before it.
func TestClientsSeeTheDirectory(t *testing.T) {
	c := offices(5000)
	for _, row := range append(clients, stranger) {
		if row.name != strings.ToLower(row.name) {
			t.Errorf("%s is never found", row.name)
		}
		o := DirectoryFor(strings.TrimSuffix(row.name, "*"), row.since, "")
		b := open(t, c, ModeDirectory, func(opt *Options) { opt.Directory = o })
		text, most := b.Instructions(), row.maxInstructions
		if o.InControl {
			text, most = b.Tools()[0].Description, row.maxDescription
		}
		if most > 0 && units(text) > most {
			t.Errorf("%s cuts after %d characters, the text has %d", row.name, most, units(text))
		}
		if most := row.maxInstructions; row.instructions && most > 0 && units(b.Instructions()) > most {
			t.Errorf("%s cuts the instructions: %d characters", row.name, units(b.Instructions()))
		}
		if strings.Count(text, "\n") < 15 || !strings.HasSuffix(text, "before you call it.") {
			t.Errorf("%s sees %q", row.name, text)
		}
	}
}

// TestVersions: numbers, not texts, are compared.
func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		older bool
	}{
		{"1.9", "1.10", true},
		{"1.10", "1.9", false},
		{"1.10", "1.10", false},
		{"1.10.1", "1.10", false},
		{"1", "1.0.0", true},
		{"v2", "1", true},
		{"", "1", true},
		{"2-beta", "1.5", false},
		{"99999999999999999999", "1", true},
	} {
		if got := olderVersion(tt.a, tt.b); got != tt.older {
			t.Errorf("%q is older than %q: %v", tt.a, tt.b, got)
		}
	}
}
