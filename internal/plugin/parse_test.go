package plugin

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

const whole = `{
  $schema: "x", id: "notes", version: "1.2", description: "d",
  command: "./server", args: ["-x", "data"], env: { LEVEL: 3, ON: true, NAME: "n" },
  tools: [
    { name: "save", title: "Save", description: "Saves.", parameters: { type: "object", properties: { n: { maximum: 0x10, minimum: +1 } } },
      outputSchema: { type: "object" }, annotations: { readOnlyHint: false, title: "T" }, catalogMode: "direct-only", executionMode: "sequential", ownerOnly: true },
    { name: "list" },
  ],
  hooks: { guard: { event: "before_tool_call", match: ["plugin:notes:*"], command: "bin/guard", env: { A: 1 }, priority: 7, timeoutMs: 900 } },
}`

func TestParse(t *testing.T) {
	dir := t.TempDir()
	m, id, err := Parse(filepath.Join(dir, File), []byte(whole))
	if err != nil || id != "notes" {
		t.Fatal(id, err)
	}
	if m.Command != filepath.Join(dir, "server") || m.Hooks[0].Command != filepath.Join(dir, "bin", "guard") || m.Hooks[0].Cwd != dir {
		t.Errorf("paths are not in the folder: %q, %q in %q", m.Command, m.Hooks[0].Command, m.Hooks[0].Cwd)
	}
	if diff := cmp.Diff(map[string]string{"LEVEL": "3", "ON": "true", "NAME": "n"}, m.Env); diff != "" {
		t.Error(diff)
	}
	no := false
	want := []Tool{{Name: "list"}, {
		Name: "save", Title: "Save", Description: "Saves.",
		Parameters:   json.RawMessage(`{"type":"object","properties":{"n":{"maximum":16,"minimum":1}}}`),
		OutputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &toolcrib.Annotations{Title: "T", ReadOnly: &no},
		CatalogMode: toolcrib.CatalogDirectOnly, ExecutionMode: toolcrib.ExecutionSequential, OwnerOnly: true,
	}}
	if diff := cmp.Diff(want, m.Tools); diff != "" || !m.Declared {
		t.Error(diff)
	}
	if h := m.Hooks[0]; h.Name != "guard" || h.Priority != 7 || h.Timeout.Milliseconds() != 900 || !h.Enabled {
		t.Errorf("hook: %+v", h)
	}
}

// A mistake is said with its place, its key, and what was meant.
func TestParseRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want, hint string }{
		"grammar":            {"{id: }", "1:6: found", ""},
		"a key twice":        {`{id: "a", id: "b", command: "c"}`, `1:11: the key "id" stands twice`, ""},
		"no object":          {`[]`, "1:1: found a list, expected an object", ""},
		"no id":              {`{command: "c"}`, "1:1: id: is missing", `id: "notes"`},
		"an odd id":          {`{id: "a b", command: "c"}`, "1:6: id: is not a letter", ""},
		"no command":         {`{id: "a"}`, "1:1: command: is missing", "MCP"},
		"an empty command":   {`{id: "a", command: " "}`, "1:20: command: is empty", ""},
		"an unknown key":     {"{id: \"a\",\n  comand: \"c\", command: \"c\"}", "2:3: comand: unknown key", `did you mean "command"?`},
		"a key of tools":     {`{id: "a", command: "c", tools: [{name: "t", outputschema: {}}]}`, `1:45: tools[0].outputschema: unknown key`, `"outputSchema"`},
		"a key of hooks":     {`{id: "a", command: "c", hooks: {h: {event: "before_tool_call", command: "x", timeout: 1}}}`, "hooks.h.timeout: unknown key", `"timeoutMs"`},
		"a key like none":    {`{id: "a", command: "c", xyzzy: 1}`, "xyzzy: unknown key", "known keys here: $schema, args"},
		"args as text":       {`{id: "a", command: "c", args: "x"}`, "args: found a string, expected a list", `write a list`},
		"a version":          {`{id: "a", command: "c", version: 1}`, "version: found a number, expected a string", "quotes"},
		"a tool twice":       {`{id: "a", command: "c", tools: [{name: "t"}, {name: "t"}]}`, "tools[1].name: stands twice", ""},
		"a tool without one": {`{id: "a", command: "c", tools: [{}]}`, "tools[0].name: is missing", ""},
		"a catalog mode":     {`{id: "a", command: "c", tools: [{name: "t", catalogMode: "direct-onyl"}]}`, `expected "direct-only"`, `did you mean "direct-only"?`},
		"a schema as text":   {`{id: "a", command: "c", tools: [{name: "t", parameters: "{}"}]}`, "tools[0].parameters: found a string", ""},
		"an endless number":  {`{id: "a", command: "c", tools: [{name: "t", parameters: {maximum: Infinity}}]}`, "tools[0].parameters.maximum: is a number that JSON doesn't have", ""},
		"a hint as text":     {`{id: "a", command: "c", tools: [{name: "t", annotations: {readOnlyHint: "true"}}]}`, "readOnlyHint: found a string, expected a boolean", "without quotes"},
		"a hook of nothing":  {`{id: "a", command: "c", hooks: {h: {event: "before_tool_call"}}}`, "hooks.h: has neither command nor url", ""},
		"a hook of two":      {`{id: "a", command: "c", hooks: {h: {event: "before_tool_call", command: "x", url: "http://a/"}}}`, "hooks.h: has both", ""},
		"no event":           {`{id: "a", command: "c", hooks: {h: {command: "x"}}}`, "hooks.h: has no event", ""},
		"an event":           {`{id: "a", command: "c", hooks: {h: {event: "before", command: "x"}}}`, "hooks.h.event: found another word", ""},
		"an address":         {`{id: "a", command: "c", hooks: {h: {event: "before_tool_call", url: "ftp://x"}}}`, "hooks.h.url: is not an address", ""},
		"an empty pattern":   {`{id: "a", command: "c", hooks: {h: {event: "before_tool_call", command: "x", match: [""]}}}`, "hooks.h.match[0]: is an empty pattern", ""},
		"a time":             {`{id: "a", command: "c", hooks: {h: {event: "before_tool_call", command: "x", timeoutMs: 1}}}`, "hooks.h.timeoutMs: is no whole number from 100 to 60000", ""},
		"a variable":         {`{id: "a", command: "c", env: {"A=B": "x"}}`, `env["A=B"]: is not a name`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, _, err := Parse("/p/"+File, []byte(tt.text))
			if err == nil || m != nil {
				t.Fatal("it is taken")
			}
			if !strings.Contains(err.Error(), "/p/plugin.json5:") || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.hint) {
				t.Errorf("%v\nwant %s, %s", err, tt.want, tt.hint)
			}
			var ours *toolcrib.Error
			if !errors.As(err, &ours) || ours.Kind != toolcrib.KindConfig {
				t.Errorf("kind of %v", err)
			}
		})
	}
}

// A plugin may have hooks alone.
func TestHooksAlone(t *testing.T) {
	m, _, err := Parse("/p/"+File, []byte(`{id: "a", hooks: {h: {event: "after_tool_call", url: "https://x/", secret: "s"}}}`))
	if err != nil || m.Command != "" || m.Hooks[0].Secret != "s" {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	put := func(text string, at ...string) {
		dir := filepath.Join(append([]string{root}, at...)...)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, File), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(`{id: "b", command: "c"}`, "many", "2")
	put(`{id: "a", command: "c"}`, "many", "3")
	put(`{id: "broken", comand: "c"}`, "many", "1")
	put(`{id: "x", command: "c"}`, "many", ".git")
	put(`{id: "x", command: "c"}`, "many", "node_modules")
	put(`{`, "many", "unreadable")
	put(`{id: "one", command: "c"}`, "one")
	paths := []string{filepath.Join(root, "one"), filepath.Join(root, "many"), filepath.Join(root, "one"), filepath.Join(root, "gone"), filepath.Join(root, "absent")}
	before := Glance(paths)
	found, problems := Find(paths, func(p string) bool { return filepath.Base(p) == "gone" })
	var ids []string
	for _, f := range found {
		ids = append(ids, f.ID)
		if (f.Err == nil) != (f.Manifest != nil) {
			t.Errorf("%s: %v and %v", f.ID, f.Manifest, f.Err)
		}
	}
	if diff := cmp.Diff([]string{"one", "broken", "b", "a", "unreadable"}, ids); diff != "" {
		t.Error(diff)
	}
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "gone") {
		t.Errorf("problems: %v", problems)
	}
	if Glance(paths) != before {
		t.Error("nothing has changed")
	}
	put(`{id: "one", command: "other"}`, "one")
	if Glance(paths) == before {
		t.Error("a change isn't seen")
	}
}

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	if f := Read(dir); f.Err == nil || f.ID != filepath.Base(dir) {
		t.Errorf("no manifest: %+v", f)
	}
	if err := os.Mkdir(filepath.Join(dir, File), 0o755); err != nil {
		t.Fatal(err)
	}
	if f := Read(dir); f.Err == nil || !strings.Contains(f.Err.Error(), "no plain file") {
		t.Errorf("a folder as manifest: %v", f.Err)
	}
}

// FuzzParse: no text makes it panic, and what it takes can be written as JSON.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{id: "a", tools: [{name: "\ud800", parameters: {"": [null, 1e999, .5, '\x00']}}], command: "c"}`))
	f.Add([]byte(`{hooks: {"": []}, id: [], env: {"": {}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, _, err := Parse("/p/"+File, text)
		if (m == nil) != (err != nil) {
			t.Fatalf("%v and %v", m, err)
		}
		if m == nil {
			return
		}
		for _, tool := range m.Tools {
			for _, s := range []json.RawMessage{tool.Parameters, tool.OutputSchema} {
				if s != nil && !json.Valid(s) {
					t.Errorf("no JSON: %s", s)
				}
			}
		}
	})
}
