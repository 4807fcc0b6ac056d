package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlugins(t *testing.T) {
	o := write(t, `{plugins: {load: {paths: ["more", "~/x", "/abs"]}, allow: ["A"], entries: {notes: {env: {N: 1}, timeoutMs: 5000}, off: {enabled: false, env: {K: "${NO_SUCH_VARIABLE}"}}}}}`)
	o.Home = "/home/me"
	dir := filepath.Dir(o.Path)
	c, warnings, err := Load(o)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "more"), "/home/me/x", "/abs", filepath.Join(dir, "plugins")}, c.Plugins.Paths); diff != "" || c.Plugins.Named != 3 {
		t.Error(diff, c.Plugins.Named)
	}
	if e := c.Plugins.Entry("NOTES"); !e.Enabled || e.TimeoutMs != 5000 || e.Env["N"] != "1" {
		t.Errorf("%+v", e)
	}
	if e := c.Plugins.Entry("other"); !e.Enabled || e.TimeoutMs != DefaultTimeoutMs {
		t.Errorf("%+v", e)
	}
	if c.Plugins.Entry("off").Enabled || !c.Plugins.Allows("a") || c.Plugins.Allows("b") {
		t.Error("what is off is on, or allow counts letters' case")
	}
}

func TestPluginsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{plugins: {load: {paths: [""]}}}`:       "plugins.load.paths[0]: is empty",
		`{plugins: {allow: ["a*"]}}`:             "plugins.allow[0]: is no id of a plugin",
		`{plugins: {entries: {"a b": {}}}}`:      "is no id of a plugin",
		`{plugins: {entries: {a: {}, A: {}}}}`:   "differs from a in case only",
		`{plugins: {entries: {a: {enabld: 1}}}}`: `did you mean "enabled"?`,
		`{plugins: {load: "x"}}`:                 "plugins.load: found a string, expected an object",
	} {
		if _, _, err := Load(write(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
