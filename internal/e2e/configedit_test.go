package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// written is a configuration that a person has written.
const written = `// Mine.
{
  tools: {toolSearch: true}, // in short
  mcp: {
    servers: {
      'notes': {command: "notes-server", enabled: false}, /* later */
    },
  },
  // The end.
}
`

// holds checks the configuration's bytes.
func (h *home) holds(want string) {
	h.t.Helper()
	got, err := os.ReadFile(h.config)
	if err != nil || string(got) != want {
		h.t.Errorf("the file holds %v\n%s\nwant\n%s", err, got, want)
	}
}

func TestConfigSetAndUnset(t *testing.T) {
	for name, newline := range map[string]string{"LF": "\n", "CRLF": "\r\n"} {
		t.Run(name, func(t *testing.T) {
			as := func(s string) string { return strings.ReplaceAll(s, "\n", newline) }
			h := newHome(t, as(written))
			out := h.ok("config", "set", "Tools.toolsearch.MODE", "tools")
			mentions(t, out, `tools.toolSearch.mode: not set → "tools"`)
			short := as(strings.Replace(written, "{toolSearch: true}", `{toolSearch: {mode: "tools"}}`, 1))
			h.holds(short)
			if got := h.ok("config", "get", "tools.toolSearch.mode"); got != "tools\n" {
				t.Errorf("config get says %q", got)
			}

			h.ok("config", "set", "mcp.servers.other", `{command: "other", enabled: false}`)
			h.holds(as(strings.Replace(strings.ReplaceAll(short, newline, "\n"), "/* later */\n",
				"/* later */\n      'other': {\n        command: \"other\",\n        enabled: false,\n      },\n", 1)))
			h.ok("config", "unset", "mcp.servers.other")
			h.holds(short)

			dry := h.run("config", "set", "log.level", "debug", "--dry-run")
			mentions(t, dry.stdout, "--- "+h.config, "+  log: {", `+    level: "debug",`)
			mentions(t, dry.stderr, "nothing was written")
			h.holds(short)
		})
	}
}

func TestConfigSetRefuses(t *testing.T) {
	h := newHome(t, written)
	h.fails(3, []string{"log.level", `expected "debug", "info"`}, "config", "set", "log.level", "loud")
	h.fails(3, []string{"neither command nor url"}, "config", "unset", "mcp.servers.notes.command")
	h.fails(4, []string{"there is no key tools.tolsearch", "toolSearch"}, "config", "set", "tools.tolsearch", "true")
	h.fails(4, []string{"log.level is not set"}, "config", "unset", "log.level")
	h.fails(2, []string{"VALUE is missing"}, "config", "set", "log.level")
	h.holds(written)

	h.write("{\n  log: {level: 'info'\n")
	h.fails(3, []string{h.config + ":3:1", "to close what was opened"}, "config", "set", "log.level", "debug")
	h.holds("{\n  log: {level: 'info'\n")
}

func TestConfigSetTellsMore(t *testing.T) {
	h := newHome(t, written)
	h.env = []string{"TOOLCRIB_LOG_LEVEL=warn"}
	o := h.run("config", "set", "log.level", "debug")
	mentions(t, o.stderr, "note: environment variable TOOLCRIB_LOG_LEVEL stands over log.level")
	o = h.run("config", "set", "tools.toolSearch.maxSearchLimit", "90")
	mentions(t, o.stderr, "warning: ", "90 is outside 1 to 50; 50 is used")
	mentions(t, o.stdout, "not set → 90")
	got := answer[struct {
		Path, Old, New, Diff string
		Changed, Written     bool
		Warnings             []string
	}](h, "config", "set", "tools.toolSearch.maxSearchLimit", "20")
	if got.Old != "90" || got.New != "20" || !got.Changed || !got.Written || got.Path != "tools.toolSearch.maxSearchLimit" || len(got.Warnings) != 0 {
		t.Errorf("--json answers %+v", got)
	}
	mentions(t, got.Diff, "-", "+", "maxSearchLimit: 20")
}

func TestConfigSetReadsASecret(t *testing.T) {
	h := newHome(t, written)
	for _, secret := range []string{"first-secret-value", "second-secret-value"} {
		for _, dry := range []bool{true, false} {
			args := []string{"config", "set", "gateway.token", "-"}
			if dry {
				args = append(args, "--dry-run")
			}
			cmd := h.command(args...)
			cmd.Stdin = strings.NewReader(secret + "\n")
			out, err := cmd.CombinedOutput()
			if err != nil || bytes.Contains(out, []byte("secret-value")) {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		}
		text, err := os.ReadFile(h.config)
		if err != nil || !strings.Contains(string(text), `token: "`+secret+`"`) {
			t.Errorf("the file holds %v\n%s", err, text)
		}
	}
	o := h.run("config", "set", "gateway.token", "third-secret-value")
	mentions(t, o.stderr, "history")
	if strings.Contains(o.stdout+o.stderr, "secret-value") {
		t.Errorf("a secret is printed:\n%s%s", o.stdout, o.stderr)
	}
}

func TestConfigSetMakesTheFile(t *testing.T) {
	h := newHome(t, "{}")
	h.config = filepath.Join(h.dir, "new", "folder", "config.json5")
	h.ok("config", "set", "log.level", "debug")
	h.holds("{\n  log: {\n    level: \"debug\",\n  },\n}\n")
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{h.config: 0o600, filepath.Dir(h.config): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want mode %v", path, info, err, want)
		}
	}
}

func TestConfigSetFollowsALink(t *testing.T) {
	h := newHome(t, written)
	file, link := h.config, filepath.Join(h.dir, "link.json5")
	if err := os.Symlink(filepath.Base(file), link); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	h.config = link
	h.ok("config", "set", "tools.toolSearch", "false")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no link any more: %v %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v %v", info, err)
	}
	h.config = file
	h.holds(strings.Replace(written, "toolSearch: true", "toolSearch: false", 1))
}

func TestConfigSetAtOnce(t *testing.T) {
	h := newHome(t, written)
	const many = 12
	failed := make(chan error, many)
	for i := range many {
		cmd := h.command("config", "set", fmt.Sprintf("mcp.servers.s%d", i), `{command: "x", enabled: false}`)
		go func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			failed <- err
		}()
	}
	for range many {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	var servers map[string]any
	decode(t, h.ok("config", "get", "mcp.servers", "--json"), &servers)
	if len(servers) != many+1 {
		t.Errorf("%d of %d servers landed: %v", len(servers)-1, many, servers)
	}
	if left, _ := filepath.Glob(filepath.Join(h.dir, ".*")); len(left) > 0 {
		t.Errorf("%q was left behind", left)
	}
}
