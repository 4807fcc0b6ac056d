package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fileWith writes a configuration file and returns options that read it.
func fileWith(t *testing.T, text string) Options {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json5")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Options{Path: path, Home: t.TempDir()}
}

func TestFileServersAreAsWritten(t *testing.T) {
	full := ServerEntry{
		Name: "b", Command: "npx", Args: []string{"-y", "${PKG}"}, Env: map[string]string{"TOKEN": "${TOKEN:-x}", "N": "1", "ON": "true"}, Cwd: "~/x",
		Disabled: true, TimeoutMs: 5000, Allow: []string{"read_*"}, Deny: []string{"write"},
	}
	web := ServerEntry{Name: "a", URL: "https://example.com/mcp", Headers: map[string]string{"X-Key": "$${"}, SSE: true}
	for name, tt := range map[string]struct {
		text string
		want []ServerEntry
	}{
		"no servers":       {`{}`, nil},
		"empty file":       {"\n", nil},
		"in their order":   {`{mcp: {servers: {b: ` + string(full.Source()) + `, a: ` + string(web.Source()) + `}}}`, []ServerEntry{full, web}},
		"numbers as text":  {`{mcp: {servers: {a: {command: "x", env: {N: 0x10, ON: false}}}}}`, []ServerEntry{{Name: "a", Command: "x", Env: map[string]string{"N": "0x10", "ON": "false"}}}},
		"another's block":  {`{"mcpServers": {"my files": {"command": "x", "disabled": true}}}`, []ServerEntry{{Name: "my-files", Command: "x", Disabled: true}}},
		"broken elsewhere": {`{nonsense: 1, mcp: {servers: {a: {command: "x"}}}}`, []ServerEntry{{Name: "a", Command: "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := FileServers(fileWith(t, tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got, err := FileServers(Options{Path: filepath.Join(t.TempDir(), "absent"), Home: t.TempDir()}); err != nil || got != nil {
		t.Errorf("a file that is missing gives %v and %v", got, err)
	}
	if _, err := FileServers(fileWith(t, `{mcp: `)); err == nil {
		t.Error("a file that can't be parsed has servers")
	}
}

func TestServerEntriesAreChecked(t *testing.T) {
	o := fileWith(t, `{}`)
	o.Environ = []string{"SET=1"}
	for name, tt := range map[string]struct {
		entry ServerEntry
		fails string
	}{
		"plain":           {ServerEntry{Name: "a", Command: "x", Env: map[string]string{"K": "${SET}"}}, ""},
		"unset variable":  {ServerEntry{Name: "a", Command: "x", Env: map[string]string{"K": "${UNSET}"}}, "UNSET is not set"},
		"off":             {ServerEntry{Name: "a", Command: "x", Env: map[string]string{"K": "${UNSET}"}, Disabled: true}, ""},
		"nothing to run":  {ServerEntry{Name: "a"}, "neither command nor url"},
		"both":            {ServerEntry{Name: "a", Command: "x", URL: "http://h/"}, "both command and url"},
		"not the web":     {ServerEntry{Name: "a", URL: "ws://h/"}, "not an address"},
		"quotes in names": {ServerEntry{Name: "a", Command: "x", Env: map[string]string{`"<é`: `"\`}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := tt.entry.Check(o)
			if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%v, want %q", err, tt.fails)
			}
		})
	}
}

func TestServerEntriesCompare(t *testing.T) {
	a := ServerEntry{Name: "a", Command: "x", Args: []string{"1"}, Env: map[string]string{"K": "v"}}
	tuned, moved, other, web := a, a, a, ServerEntry{URL: "http://h/"}
	tuned.Name, tuned.Disabled, tuned.TimeoutMs = "b", true, 2000
	moved.Env = map[string]string{"K": "${K}"}
	other.Args = []string{"2"}
	for _, tt := range []struct {
		b            ServerEntry
		same, target bool
	}{{tuned, true, true}, {moved, false, true}, {other, false, false}, {web, false, false}} {
		if same, target := a.Same(tt.b), a.SameTarget(tt.b); same != tt.same || target != tt.target {
			t.Errorf("%s: same %t, same target %t", tt.b.Source(), same, target)
		}
	}
}

func TestCleanName(t *testing.T) {
	taken := []string{"github", "github_2", "my-files"}
	for name, want := range map[string]string{
		"files": "files", "GitHub": "GitHub-3", "my files": "my-files-2", "": "server", "@scope/pkg": "scope-pkg",
		strings.Repeat("x", 64): strings.Repeat("x", 64), strings.Repeat("x", 70): strings.Repeat("x", 56),
	} {
		if got := CleanName(name, taken); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

func TestServerEntriesNameTheirVariables(t *testing.T) {
	e := ServerEntry{Args: []string{"${B}", "$${C}", "${D:-1}", "${userHome}"}, Env: map[string]string{"K": "x${env:A}y${B}"}, URL: "${file:x}${"}
	if got := e.Variables(); !slices.Equal(got, []string{"A", "B"}) {
		t.Errorf("got %v", got)
	}
}

func TestServerEntriesDoNotPrintThemselves(t *testing.T) {
	e := ServerEntry{Name: "a", Args: []string{"s3cret"}, Env: map[string]string{"K": "s3cret"}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, e); strings.Contains(got, "s3cret") {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}
