package gateway

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/hook"
	"github.com/toolcrib/toolcrib/internal/plugin"
	plugins "github.com/toolcrib/toolcrib/internal/source/plugin"
)

// putPlugin writes a manifest below root.
func putPlugin(t *testing.T, root, dir, text string) string {
	t.Helper()
	dir = filepath.Join(root, dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, plugin.File), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// choosing is a chooser over one folder.
func choosing(root string, c config.Plugins) chooser {
	c.Paths, c.Named = append(c.Paths, root), len(c.Paths)+1
	return chooser{
		config: c, taken: func(id string) bool { return id == "app" },
		check: func(all []hook.Hook) error {
			_, err := hook.New(hook.Options{Hooks: all, Host: newHost(nil), Matcher: matcher})
			return err
		},
	}
}

func whys(s pluginSet) map[string]string {
	out := map[string]string{}
	for _, f := range s.all {
		state := "used"
		if f.used == nil {
			state = string(f.state)
		}
		out[filepath.Base(f.Dir)] = strings.TrimSuffix(f.ID+" "+state+": "+f.why, ": ")
	}
	return out
}

// Each plugin that can't be used, or isn't wanted, says why, and costs no other.
func TestChoosePlugins(t *testing.T) {
	root := t.TempDir()
	putPlugin(t, root, "1", `{id: "good", command: "c"}`)
	putPlugin(t, root, "2", `{id: "GOOD", command: "c"}`)
	putPlugin(t, root, "3", `{id: "app", command: "c"}`)
	putPlugin(t, root, "4", `{id: "off", command: "c"}`)
	putPlugin(t, root, "5", `{id: "stranger", command: "c"}`)
	putPlugin(t, root, "6", `{id: "badhook", command: "c", hooks: {h: {event: "before_tool_call", command: "c", match: ["group:"]}}}`)
	putPlugin(t, root, "7", `{id: "unset", command: "c", hooks: {h: {event: "before_tool_call", url: "http://x/", secret: "${KEY}"}}}`)
	c := config.Plugins{
		Paths: []string{filepath.Join(root, "none")}, Allow: []string{"good", "app", "off", "badhook", "unset", "gud"},
		Entries: map[string]config.PluginEntry{"off": {}, "of": {Enabled: true}},
	}
	s := choosing(root, c).choose()
	got := whys(s)
	for dir, want := range map[string]string{
		"1": "good used", "2": "GOOD down: the plugin in " + filepath.Join(root, "1") + " has the same id, and comes first",
		"3": "app down: plugin:app belongs to other tools already", "4": "off disabled: it is switched off in plugins.entries.off",
		"5": "stranger disabled: plugins.allow doesn't name it", "6": "badhook down: ", "7": "unset down: ",
	} {
		if !strings.HasPrefix(got[dir], want) {
			t.Errorf("%s: %q, want %q", dir, got[dir], want)
		}
	}
	if !strings.Contains(got["6"], "badhook") || !strings.Contains(got["7"], "hooks.h.secret: the plugin has no variable KEY") {
		t.Errorf("%q\n%q", got["6"], got["7"])
	}
	all := strings.Join(s.warnings, "\n")
	for _, want := range []string{"plugins can't be looked for in " + filepath.Join(root, "none"), `"gud" is found: did you mean good?`, `"of" is found: did you mean off?`} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in:\n%s", want, all)
		}
	}
	if len(s.used()) != 1 || s.find("good") == nil || s.find("off") != nil {
		t.Errorf("used: %+v", s.used())
	}
}

// A manifest that breaks leaves the former one in force; a folder that goes doesn't.
func TestFormerManifestStays(t *testing.T) {
	root := t.TempDir()
	dir := putPlugin(t, root, "p", `{id: "p", command: "c", version: "1"}`)
	c := choosing(root, config.Plugins{})
	c.former = c.choose()
	putPlugin(t, root, "p", `{id: "p", comand: "c"}`)
	now := c.choose()
	if p := now.find("p"); p == nil || p.Version != "1" || !strings.Contains(now.all[0].why, `did you mean "command"?`) {
		t.Errorf("%+v", now.all)
	}
	c.former = now
	if again := c.choose(); again.find("p") == nil {
		t.Error("it stays no longer than once")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if gone := c.choose(); len(gone.all) != 0 {
		t.Errorf("%+v", gone.all)
	}
}

// The operator's variables win in hooks too, and fill what a hook posts.
func TestPluginHooks(t *testing.T) {
	m, _, err := plugin.Parse("/p/"+plugin.File, []byte(`{id: "p", env: {A: "manifest", B: "manifest"}, hooks: {
		run: {event: "before_tool_call", command: "c", env: {A: "hook", B: "hook"}},
		post: {event: "after_tool_call", url: "https://x/${B}", secret: "${A}", headers: {K: "k ${B}"}},
		off: {event: "after_tool_call", command: "c", enabled: false},
	}}`))
	if err != nil {
		t.Fatal(err)
	}
	all, err := pluginHooks(plugins.Plugin{Manifest: m, Env: map[string]string{"A": "operator"}})
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	post, run := all[0], all[1]
	if post.Name != "p/post" || post.URL != "https://x/manifest" || post.Secret != "operator" || post.Headers["K"] != "k manifest" {
		t.Errorf("%+v", post)
	}
	want := map[string]string{"A": "operator", "B": "hook", plugins.IDVariable: "p", plugins.VersionVariable: ""}
	if diff := cmp.Diff(want, run.Env); diff != "" || run.Cwd != "/p" {
		t.Errorf("%s %q", diff, run.Cwd)
	}
}

// A plugin never takes the place of a program's functions or of the demo, nor they its.
func TestPluginsBesideFunctions(t *testing.T) {
	root := t.TempDir()
	for _, id := range []string{"app", "github", "mine"} {
		putPlugin(t, filepath.Join(root, "plugins"), id, `{id: "`+id+`", hooks: {h: {event: "before_tool_call", command: "false", match: ["plugin:none:*"]}}}`)
	}
	file := filepath.Join(root, "config.json5")
	if err := os.WriteFile(file, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tool := func(owner string) Tool {
		one := toolcrib.Tool{Owner: owner, Name: "x", Description: "X."}
		return Tool{Tool: one, Handler: func(context.Context, toolcrib.Call) (toolcrib.Result, error) {
			return toolcrib.Result{Details: json.RawMessage(`1`)}, nil
		}}
	}
	g, err := New(t.Context(), Options{ConfigFile: file, Tools: []Tool{tool("")}, Environ: []string{"HOME=" + root}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	list, err := control{g}.Plugins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, p := range list.Plugins {
		states[p.ID] = string(p.State)
	}
	if diff := cmp.Diff(map[string]string{"app": "down", "github": "ready", "mine": "ready"}, states); diff != "" {
		t.Error(diff)
	}
	if err := g.Add(tool("mine")); toolcrib.KindOf(err) != toolcrib.KindConfig {
		t.Errorf("a function takes a plugin's place: %v", err)
	}
	if err := g.Add(tool("other")); err != nil {
		t.Error(err)
	}
	if _, err := (control{g}).RestartPlugin(t.Context(), "app"); toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("%v", err)
	}
	if p, err := (control{g}).RestartPlugin(t.Context(), "mine"); err != nil || p.State != toolcrib.StateReady {
		t.Errorf("%+v, %v", p, err)
	}
}
