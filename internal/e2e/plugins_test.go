package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pluginLine is one plugin of plugins list --json.
type pluginLine struct {
	ID, State, Reason, Path string
	Tools, Hooks            []string
	PID                     int
	Warnings                []string
}

// plugins lists the plugins by id.
func (h *home) plugins() map[string]pluginLine {
	h.t.Helper()
	var list struct{ Plugins []pluginLine }
	if err := json.Unmarshal([]byte(h.ok("plugins", "list", "--json")), &list); err != nil {
		h.t.Fatal(err)
	}
	all := map[string]pluginLine{}
	for _, p := range list.Plugins {
		all[p.ID] = p
	}
	return all
}

// made is a plugin that `plugins new` wrote.
func (h *home) made(id, lang string) (dir string, steps []string) {
	h.t.Helper()
	var out struct {
		Path  string
		Steps []string
	}
	if err := json.Unmarshal([]byte(h.ok("plugins", "new", id, "--lang", lang, "--json")), &out); err != nil {
		h.t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(out.Path, "README.md"))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, step := range out.Steps[1:] {
		if !strings.Contains(string(readme), step) {
			h.t.Errorf("the README doesn't have the step %q", step)
		}
	}
	return out.Path, out.Steps
}

// step runs a command in a folder.
func step(t *testing.T, dir string, env []string, command ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
}

// buildGo follows the steps of a Go plugin, with the modules of this one, so that
// nothing is fetched.
func buildGo(t *testing.T, dir string, steps []string) {
	t.Helper()
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, sdk, _ := strings.Cut(string(theirs), "require ")
	if !strings.Contains(string(ours), strings.TrimSpace(sdk)) {
		t.Errorf("the template wants %s, which isn't the version of this module", sdk)
	}
	_, requires, _ := strings.Cut(string(ours), "require (")
	text := "module example.com/plugin\n\ngo 1.26\n\nrequire (" + requires
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "go.mod"), text)
	put(t, filepath.Join(dir, "go.sum"), string(sums))
	step(t, dir, []string{"GOPROXY=off", "GOFLAGS=", "CGO_ENABLED=0"}, strings.Fields(steps[1])...)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// buildTS follows the steps of a TypeScript plugin, with packages that make setup
// has installed.
func buildTS(t *testing.T, dir string) {
	t.Helper()
	packages := npmFolder(t) + "-plugins"
	if _, err := os.Stat(filepath.Join(packages, "node_modules", ".bin", "tsc")); err != nil {
		absent(t, "typescript is absent: run make setup")
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	step(t, dir, nil, "npm", "run", "build") // what npm install ends with
}

// TestNewPlugins: what `plugins new` writes works when its steps were followed: tools
// that read and write, a hook, and the output contract.
func TestNewPlugins(t *testing.T) {
	for lang, build := range map[string]func(*testing.T, string, []string){
		"go": buildGo,
		"ts": func(t *testing.T, dir string, _ []string) { buildTS(t, dir) },
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, `{}`)
			dir, steps := h.made("jot", lang)
			if p := h.plugins()["jot"]; p.State != "down" || p.Reason == "" {
				t.Errorf("before its steps: %+v", p)
			}
			h.fails(6, []string{"plugin jot is not available"}, "tools", "call", "plugin:jot:list_notes")
			build(t, dir, steps)
			p := h.plugins()["jot"]
			if p.State != "ready" || len(p.Tools) != 2 || len(p.Hooks) != 1 || len(p.Warnings) > 0 || p.Path != dir {
				t.Fatalf("after its steps: %+v", p)
			}
			mentions(t, h.ok("tools", "call", "plugin:jot:save_note", "name=first", "text=hello"), "saved first")
			mentions(t, h.ok("tools", "call", "plugin:jot:list_notes", "--json"), `"name": "first"`, `"bytes": 5`)
			h.fails(5, []string{"blocked by hook jot/no-keys: a private key is nothing for a note", "it did not run"},
				"tools", "call", "plugin:jot:save_note", "name=second", "text=-----BEGIN RSA PRIVATE KEY-----")
			h.fails(2, []string{`missing "text"`, `did you mean it by "txt"`, "it did not run"}, "tools", "call", "plugin:jot:save_note", "name=second", "txt=x")
			if _, err := os.Stat(filepath.Join(dir, "notes", "second.txt")); err == nil {
				t.Error("a blocked call had its effect")
			}
			mentions(t, h.ok("tools", "describe", "plugin:jot:list_notes"), "output     { notes: Array<{", "read-only")
			mentions(t, h.ok("plugins", "test", "jot"), "tools        2")
			mentions(t, h.ok("doctor"), "plugin jot: 2 tools and 1 hook")
			h.fails(2, []string{"is there already"}, "plugins", "new", "jot", "--lang", lang)
		})
	}
}

// plugin puts a plugin into the folder beside the configuration: the test binary
// as a fake server.
func (h *home) plugin(dir, id, kind, more string) {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	folder := filepath.Join(h.dir, "plugins", dir)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		h.t.Fatal(err)
	}
	text := fmt.Sprintf("{id: %q, version: \"1\", command: %q, env: {%s: %q}, %s}", id, self, fakeEnv, kind, more)
	if err := os.WriteFile(filepath.Join(folder, "plugin.json5"), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// TestPluginsOfAGateway: a running gateway takes changes of manifests and of the
// configuration; what a plugin promises and breaks is said to have run; and one
// that is broken, not allowed or switched off costs nobody else anything.
func TestPluginsOfAGateway(t *testing.T) {
	t.Parallel()
	h := newHome(t, `{}`)
	h.plugin("good", "good", "good", "")
	h.plugin("broken", "broken", "good", "comand: 1")
	h.plugin("zz-second", "Good", "good", "")
	h.serve()
	eventually(t, "the plugin is ready", func() bool { return h.plugins()["good"].State == "ready" })
	all := h.plugins()
	if p := all["broken"]; p.State != "down" || !strings.Contains(p.Reason, `comand: unknown key (did you mean "command"?)`) || !strings.Contains(p.Reason, "plugin.json5:1:") {
		t.Errorf("%+v", p)
	}
	if p := all["Good"]; p.State != "down" || !strings.Contains(p.Reason, "has the same id, and comes first") {
		t.Errorf("%+v", p)
	}
	mentions(t, h.ok("tools", "call", "plugin:good:water_plants", "litres=1"), `water_plants {"litres":1}`)

	// A promise that isn't kept: the fake answers with text alone.
	h.plugin("good", "good", "good", `tools: [{name: "water_plants", outputSchema: {type: "object", required: ["done"]}}],
		hooks: {dry: {event: "before_tool_call", match: ["plugin:good:*"], command: "/bin/sh", args: ["-c", "case \"$(cat)\" in *99*) echo too much >&2; exit 2;; esac"]}}`)
	eventually(t, "the manifest is read again", func() bool { return len(h.plugins()["good"].Tools) == 1 })
	o := h.run("tools", "call", "plugin:good:water_plants", "litres=1")
	if o.code == 0 {
		t.Errorf("a result against its outputSchema is taken: %s", o.stdout)
	}
	mentions(t, o.stderr, "did run")
	h.fails(5, []string{"blocked by hook good/dry: too much"}, "tools", "call", "plugin:good:water_plants", "litres=99")

	// A manifest that breaks leaves the former one, and its guard, in force.
	h.plugin("good", "good", "good", "comand: 1")
	eventually(t, "the mistake is said", func() bool { return strings.Contains(h.plugins()["good"].Reason, "the former one stays in force") })
	h.fails(5, []string{"blocked by hook good/dry: too much"}, "tools", "call", "plugin:good:water_plants", "litres=99")

	h.plugin("good", "good", "good", "")
	h.write(`{plugins: {entries: {good: {enabled: false}}}}`)
	eventually(t, "it is switched off", func() bool { return h.plugins()["good"].State == "disabled" })
	h.fails(4, []string{"plugin:good:water_plants"}, "tools", "call", "plugin:good:water_plants", "litres=1")
	h.write(`{plugins: {allow: ["other"]}}`)
	eventually(t, "it is not allowed", func() bool { return strings.Contains(h.plugins()["good"].Reason, "plugins.allow doesn't name it") })
	mentions(t, h.ok("plugins", "list"), "disabled")

	h.write(`{}`)
	eventually(t, "it is back", func() bool { return h.plugins()["good"].State == "ready" })
	before := h.plugins()["good"].PID
	h.ok("plugins", "restart", "good")
	if p := h.plugins()["good"]; p.PID == before || p.State != "ready" {
		t.Errorf("process %d of before: %+v", before, p)
	}
	if err := os.RemoveAll(filepath.Join(h.dir, "plugins")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "they are gone", func() bool { return len(h.plugins()) == 0 })
}
