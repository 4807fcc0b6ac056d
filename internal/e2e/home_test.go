package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// object is a JSON object, such as a configuration.
type object = map[string]any

// home is a user's folders and configuration, apart from everybody else's.
type home struct {
	t      testing.TB
	dir    string
	config string
	// env is added to the environment of each command.
	env []string
}

// newHome makes a home with the given configuration: an object, or text as it is.
func newHome(t testing.TB, config any) *home {
	t.Helper()
	// A short name: a socket's path may not be long.
	dir, err := os.MkdirTemp("", "crib")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := &home{t: t, dir: dir, config: filepath.Join(dir, "config.json5")}
	h.write(config)
	return h
}

// servers is a configuration that shows the three controls.
func servers(entries object) object {
	return object{"mcp": object{"servers": entries}, "tools": object{"toolSearch": object{"mode": "tools"}}}
}

// write replaces the configuration.
func (h *home) write(config any) {
	h.t.Helper()
	text, ok := config.(string)
	if !ok {
		data, err := json.MarshalIndent(config, "", "  ")
		if err != nil {
			h.t.Fatal(err)
		}
		text = string(data)
	}
	if err := os.WriteFile(h.config, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// environ is the whole environment of a command: nothing of the caller's own
// folders, and no variable that would configure toolcrib.
func (h *home) environ() []string {
	env := []string{
		"HOME=" + h.dir, "XDG_CONFIG_HOME=" + filepath.Join(h.dir, "c"),
		"XDG_STATE_HOME=" + filepath.Join(h.dir, "s"), "XDG_CACHE_HOME=" + filepath.Join(h.dir, "k"),
	}
	for _, name := range []string{"PATH", "TMPDIR", "SYSTEMROOT", "APPDATA", "PATHEXT"} {
		if v := os.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return append(env, h.env...)
}

// patience bounds everything that must happen soon, on a machine that may be busy.
const patience = 90 * time.Second

// command is a toolcrib command of this home.
func (h *home) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(h.t.Context()), 3*time.Minute)
	h.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, binary, append(slices.Clone(args), "--config", h.config)...)
	cmd.Env = h.environ()
	return cmd
}

// outcome is what a command that ended leaves.
type outcome struct {
	stdout, stderr string
	code           int
}

// run runs a command to its end.
func (h *home) run(args ...string) outcome {
	h.t.Helper()
	cmd := h.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		h.t.Fatalf("toolcrib %v: %v", args, err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// ok runs a command that must succeed and returns its answer.
func (h *home) ok(args ...string) string {
	h.t.Helper()
	o := h.run(args...)
	if o.code != 0 {
		h.t.Fatalf("toolcrib %v ended with %d:\n%s%s", args, o.code, o.stdout, o.stderr)
	}
	return o.stdout
}

// fails runs a command that must end with a code and say each of the words.
func (h *home) fails(code int, words []string, args ...string) outcome {
	h.t.Helper()
	o := h.run(args...)
	if o.code != code {
		h.t.Errorf("toolcrib %v ended with %d, want %d:\n%s%s", args, o.code, code, o.stdout, o.stderr)
	}
	mentions(h.t, o.stderr, words...)
	return o
}

// mentions checks that a text says each of the words.
func mentions(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in:\n%s", word, text)
		}
	}
}

// answer runs a command with --json and decodes what it prints.
func answer[T any](h *home, args ...string) T {
	h.t.Helper()
	var v T
	decode(h.t, h.ok(append(args, "--json")...), &v)
	return v
}

func decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// serverLine is what `servers list --json` tells of one server.
type serverLine struct {
	Name, State, Reason string
	PID, Tools          int
	Restarts            int
	Warnings            []string
}

func (h *home) servers() map[string]serverLine {
	h.t.Helper()
	list := answer[struct{ Servers []serverLine }](h, "servers", "list")
	all := make(map[string]serverLine)
	for _, s := range list.Servers {
		all[s.Name] = s
	}
	return all
}

// found is what `tools search --json` answers.
type found struct {
	Hits        []struct{ ID, Input, Description string }
	Unavailable []struct{ Server, State, Reason string }
}

func (f found) ids() []string {
	ids := make([]string, 0, len(f.Hits))
	for _, h := range f.Hits {
		ids = append(ids, h.ID)
	}
	return ids
}

func (h *home) search(query string) found {
	h.t.Helper()
	return answer[found](h, "tools", "search", query)
}

// finds checks that a search finds a tool.
func (h *home) finds(query, id string) {
	h.t.Helper()
	if ids := h.search(query).ids(); !slices.Contains(ids, id) {
		h.t.Errorf("searching %q found %v, want %s among them", query, ids, id)
	}
}

// eventually waits until a condition outside of this process holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("waited %v in vain: %s", patience, what)
		case <-tick.C:
		}
	}
}
