package config

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzLoad wants no panic; and of what is accepted, that its dump loads again
// and says the same where no secret was hidden.
func FuzzLoad(f *testing.F) {
	for _, s := range sections {
		f.Add([]byte(s.example), "TOOLCRIB_LOG__LEVEL", "debug", "tools.deny=a,b")
	}
	f.Add([]byte(layered), "TOOLCRIB_MCP__SERVERS__A_B__HEADERS", "{a:1}", `mcp.servers["a.b"].prefix=false`)
	f.Add([]byte(secretFile), "TOOLCRIB_AGENTS__LIST__0", "{}", "agents.list[0]=5")
	f.Add([]byte(`{mcpServers: {"a b": {command: ["x"], type: "sse", disabled: true, timeout: 5, envFile: "f"}}, x: 1}`), "A", "1", "")
	f.Add([]byte(`{tools: {toolSearch: "${A}"}, agents: {list: "${A}"}}`), "A", "[{id: 'a', tools: {toolSearch: {}}}]", "agents.list.a.tools.toolSearch.mode=tools")
	f.Add([]byte(`{tools: 5, mcp: [], agents: {list: [[]]}}`), "TOOLCRIB_TOOLS__DENY", "x", "mcp.servers.a.command=x")
	f.Fuzz(func(t *testing.T, text []byte, name, val, flag string) {
		files := fstest.MapFS{"config.json5": {Data: text}, "f": {Data: []byte("A=1")}}
		open := func(path string) (fs.File, error) {
			if path == "config.json5" {
				return files.Open(path)
			}
			return files.Open("f")
		}
		o := Options{Path: "config.json5", Environ: []string{name + "=" + val}, Flags: []string{flag}, Home: "/home/me", Open: open}
		if name == "TOOLCRIB_CONFIG" {
			return
		}
		c, warnings, err := Load(o)
		for _, w := range warnings {
			_ = w.String()
		}
		if err != nil {
			if err.Error() == "" || c != nil {
				t.Fatal("an error without words, or with a Config")
			}
			return
		}
		if len(c.Secrets()) > 0 {
			return
		}
		files["config.json5"] = &fstest.MapFile{Data: escapeReferences(c.Dump())}
		again, _, err := Load(Options{Path: "config.json5", Home: "/home/me", Open: open})
		if err != nil {
			t.Fatalf("the dump does not load: %v\n%s", err, c.Dump())
		}
		if diff := cmp.Diff(*c, *again, cmpopts.IgnoreUnexported(Config{}), cmpopts.IgnoreFields(Config{}, "Path", "Found"),
			cmpopts.IgnoreFields(ToolSearch{}, "Enabled"), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the dump says something else (-first +again):\n%s", diff)
		}
	})
}

// escapeReferences makes every "${" of a dump plain.
func escapeReferences(dump []byte) []byte {
	var out []byte
	for i := range dump {
		if dump[i] == '$' && i+1 < len(dump) && dump[i+1] == '{' {
			out = append(out, '$')
		}
		out = append(out, dump[i])
	}
	return out
}

// FuzzPath wants that a path made of keys comes apart into the same keys.
func FuzzPath(f *testing.F) {
	f.Add("tools", "a.b", "tools.x")
	f.Add("a]b", `"`, `a["x`)
	f.Add("", "=", "a[0].b")
	f.Add("日本", "\xff", "..")
	f.Fuzz(func(t *testing.T, first, second, path string) {
		made := joinPath(joinPath("", first), second)
		if got, err := splitPath(made); err != nil || len(got) != 2 || got[0] != first || got[1] != second {
			t.Errorf("%q comes apart as %q %v", made, got, err)
		}
		if p, v, ok := cutPair(made + "=x=y"); !ok || p != made || v != "x=y" {
			t.Errorf("%q is cut as %q and %q", made+"=x=y", p, v)
		}
		if keys, err := splitPath(path); err == nil && len(keys) == 0 {
			t.Errorf("%q is no key and no error", path)
		}
	})
}

// FuzzEnvLine wants no panic, and a clean name of what is accepted.
func FuzzEnvLine(f *testing.F) {
	for _, line := range []string{"", "#", "A=1", "export A = 'x' # c", `A="\n\""`, "A='", "=1", "A", "A=\"x\"y"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		key, _, ok, err := envLine(line)
		if ok && (!validVariable(key) || err != "") || !ok && key != "" {
			t.Errorf("%q: %q %v %q", line, key, ok, err)
		}
	})
}
