package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

func TestEditSet(t *testing.T) {
	for _, tt := range []struct{ text, path, value, want string }{
		{"{\n  log: {level: 'info'}, // c\n}\n", "log.level", "debug", "{\n  log: {level: 'debug'}, // c\n}\n"},
		{"{\n  log: {level: 'info'}, // c\n}\n", "Log.LEVEL", "debug", "{\n  log: {level: 'debug'}, // c\n}\n"},
		{"{}", "tools.deny", "a, b", "{\n  tools: {\n    deny: [\"a\", \"b\"],\n  },\n}"},
		{"{tools: {deny: ['a']}}", "tools.deny[1]", "b", "{tools: {deny: ['a', 'b']}}"},
		{"{tools: {deny: ['a']}}", "tools.deny.0", "b", "{tools: {deny: ['b']}}"},
		{"{agents: {list: [{id: 'Main'}]}}", "agents.list.main.tools.allow", "['x']", "{agents: {list: [{id: 'Main', tools: {allow: ['x']}}]}}"},
		{"{agents: {list: []}}", "agents.list[0]", "{id: 'x'}", `{agents: {list: [{id: "x"}]}}`},
		{"{tools: {toolSearch: true}} // c", "tools.toolSearch.mode", "tools", "{tools: {toolSearch: {mode: \"tools\"}}} // c"},
		{"{tools: {toolSearch: false}}", "tools.toolSearch.mode", "tools", "{tools: {toolSearch: {enabled: false, mode: \"tools\"}}}"},
		{"{tools: {toolSearch: 'auto'}}", "tools.toolSearch.directory.untrusted", "full", "{tools: {toolSearch: {mode: 'auto', directory: {untrusted: 'full'}}}}"},
		{"{agents: {list: [{id: 'a', tools: {toolSearch: true}}]}}", "agents.list.a.tools.toolSearch.searchDefaultLimit", "5", "{agents: {list: [{id: 'a', tools: {toolSearch: {searchDefaultLimit: 5}}}]}}"},
		{"{\"tools\": {\"maxResultBytes\": 2048}}", "log.level", "warn", "{\"tools\": {\"maxResultBytes\": 2048}, \"log\": {\"level\": \"warn\"}}"},
		{"{\n  mcpServers: {\n    a: {command: 'x'},\n  },\n}", "mcp.servers.b.command", "y", "{\n  mcpServers: {\n    a: {command: 'x'},\n    b: {\n      command: 'y',\n    },\n  },\n}"},
		{"{mcpServers: {'my server': {command: 'x', disabled: true}}}", "mcp.servers.my-server.enabled", "true", "{mcpServers: {'my server': {command: 'x', disabled: false}}}"},
		{"{mcpServers: {a: {serverUrl: 'http://x'}}}", "mcpServers.a.url", "http://y", "{mcpServers: {a: {serverUrl: 'http://y'}}}"},
		{"{mcpServers: {a: {command: 'x', environment: {A: '1'}}}}", "mcp.servers.a.env.B", "2", "{mcpServers: {a: {command: 'x', environment: {A: '1', B: '2'}}}}"},
		{"{mcp: {servers: {a: {command: 'x'}}}}", `mcp.servers.a.env["ODD NAME"]`, "true", "{mcp: {servers: {a: {command: 'x', env: {'ODD NAME': \"true\"}}}}}"},
		{"{mcp: {servers: {a: {command: 'x'}}}}", "mcp.servers.b", "{url: 'http://x', /* why */ headers: {A: 'b'}}", "{mcp: {servers: {a: {command: 'x'}, b: {url: 'http://x', /* why */ headers: {A: 'b'}}}}}"},
	} {
		o := write(t, tt.text)
		e, err := EditSet(o, tt.path, tt.value)
		if err != nil {
			t.Errorf("%s: %s = %s: %v", tt.text, tt.path, tt.value, err)
			continue
		}
		if got := string(e.After); got != tt.want && got != strings.ReplaceAll(tt.want, `"`, "'") {
			t.Errorf("%s: %s = %s\ngot  %s\nwant %s", tt.text, tt.path, tt.value, got, tt.want)
		}
	}
}

func TestEditUnset(t *testing.T) {
	for _, tt := range []struct{ text, path, want string }{
		{"{\n  log: {level: 'info'}, // c\n  // d\n  tools: {},\n}\n", "log", "{\n  // d\n  tools: {},\n}\n"},
		{"{tools: {deny: ['a', 'b', 'c']}}", "tools.deny[1]", "{tools: {deny: ['a', 'c']}}"},
		{"{mcpServers: {a: {command: 'x'}, b: {url: 'http://x'}}}", "mcp.servers.b", "{mcpServers: {a: {command: 'x'}}}"},
		{"{mcpServers: {a: {command: 'x', disabled: true}}}", "mcp.servers.a.enabled", "{mcpServers: {a: {command: 'x'}}}"},
		{"{agents: {list: [{id: 'a'}, {id: 'b'}]}}", "agents.list.a", "{agents: {list: [{id: 'b'}]}}"},
	} {
		e, err := EditUnset(write(t, tt.text), tt.path)
		if err != nil || string(e.After) != tt.want {
			t.Errorf("%s without %s: %v %v, want %s", tt.text, tt.path, e, err, tt.want)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	for _, tt := range []struct {
		text, path, value string
		kind              toolcrib.Kind
		want              string
	}{
		{"{}", "log.levle", "x", toolcrib.KindNotFound, `there is no key log.levle (did you mean "level"?)`},
		{"{}", "log.level", "loud", toolcrib.KindConfig, "config.json5 (edited):3:12: log.level: found another word"},
		{"{}", "tools.maxResultBytes", "many", toolcrib.KindConfig, "found a string, expected a whole number"},
		{"{}", "tools.deny", "[1", toolcrib.KindConfig, "the value does not parse"},
		{"{}", "tools.deny[1]", "x", toolcrib.KindNotFound, `tools.deny has no item "1"`},
		{"{}", "a..b", "x", toolcrib.KindInput, "two dots"},
		{"{}", "mcp.servers.a.args", "[]", toolcrib.KindNotFound, `there is no server "a"`},
		{"{}", "mcp.servers.a", "{args: []}", toolcrib.KindConfig, "has neither command nor url"},
		{"{", "log.level", "info", toolcrib.KindConfig, "config.json5:1:2: found the end of the file"},
		{"[]", "log.level", "info", toolcrib.KindConfig, "holds a list in place of an object"},
		{"{tools: 5}", "tools.allow", "x", toolcrib.KindInput, "can't be changed like this"},
		{"{log: {}, log: {}}", "tools.allow", "x", toolcrib.KindConfig, "stands twice"},
		{"{}", "mcp.servers.a", "{command: 'x', env: {A: '${NOT_SET_HERE}'}}", toolcrib.KindConfig, "NOT_SET_HERE is not set"},
	} {
		o := write(t, tt.text)
		e, err := EditSet(o, tt.path, tt.value)
		if err == nil || toolcrib.KindOf(err) != tt.kind || !strings.Contains(short(o, err.Error()), tt.want) {
			t.Errorf("%s: %s = %s: %v (%s), want %s", tt.text, tt.path, tt.value, err, toolcrib.KindOf(err), tt.want)
		}
		if e != nil {
			t.Errorf("%s: there is an edit beside the error", tt.path)
		}
	}
	for path, want := range map[string]string{"log.level": "is not set", "tools.toolSearch.mode": "is not set", "mcp.servers.a.command": "has neither command nor url"} {
		if _, err := EditUnset(write(t, "{tools: {toolSearch: true}, mcp: {servers: {a: {command: 'x'}}}}"), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("unset %s: %v, want %s", path, err, want)
		}
	}
}

func TestEditTellsWhatItBrings(t *testing.T) {
	o := write(t, "{tools: {maxResultBytes: 1}, mcp: {servers: {a: {command: 'x', env: {A: '${NOT_SET_HERE}'}}}}}", "TOOLCRIB_LOG__LEVEL=warn")
	e, err := EditSet(o, "tools.toolSearch.maxSearchLimit", "500")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"config.json5:1:64: mcp.servers.a.env.A: the environment variable NOT_SET_HERE is not set",
		"config.json5:1:59: tools.toolSearch.maxSearchLimit: 500 is outside 1 to 50; 50 is used",
	}
	var got []string
	for _, w := range said(o, e.Warnings) {
		place, rest, _ := strings.Cut(w, ": ")
		got = append(got, place[:len("config.json5:1")]+": "+rest)
	}
	for i := range want {
		_, rest, _ := strings.Cut(want[i], ": ")
		want[i] = "config.json5:1: " + rest
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if e.Overridden.Layer != "" {
		t.Errorf("nothing overrides it, and it says %v", e.Overridden)
	}
	o.Environ = append(o.Environ, "NOT_SET_HERE=1")
	e, err = EditSet(o, "log.level", "info")
	if err != nil || e.Overridden.Name != "TOOLCRIB_LOG__LEVEL" {
		t.Errorf("a variable overrides it: %v %v", e, err)
	}
}

func TestEditShowsNoSecrets(t *testing.T) {
	const text = `{
  // token: "in-a-comment-9"
  gateway: {token: "gateway-token-1"},
  mcp: {servers: {
    a: {command: "x", args: ["--api-key", "argument-2"], env: {PLAIN: "value-3", REF: "${HOME}"}},
    b: {url: "https://me:password-4@example.com/?token=parameter-5", headers: {"X-Any": 'header-\x36'}},
  }},
}
`
	o := write(t, text, "HOME=/home/me")
	for path, value := range map[string]string{
		"gateway.token": "fresh-secret-0", "mcp.servers.a.env.PLAIN": "fresh-secret-0", "mcp.servers.b.headers.X-Any": "fresh-secret-0",
		"mcp.servers.a.args": `["--token=fresh-secret-0"]`, "mcp.servers.b.url": "https://me:fresh-secret-0@example.com", "mcp.servers.a.env": `{K: "fresh-secret-0"}`,
	} {
		e, err := EditSet(o, path, value)
		if err != nil {
			t.Fatal(path, err)
		}
		shown := e.Diff() + e.Changes[0].Old + e.Changes[0].New
		for _, secret := range []string{"in-a-comment", "gateway-token", "argument-2", "value-3", "password-4", "parameter-5", "header-", "fresh-secret"} {
			if strings.Contains(shown, secret) {
				t.Errorf("%s shows %s:\n%s", path, secret, shown)
			}
		}
		if !strings.Contains(shown, redacted) || !strings.Contains(e.Diff(), "\n-") || !strings.Contains(e.Diff(), "\n+") {
			t.Errorf("%s shows no change:\n%s", path, shown)
		}
	}
	e, err := EditSet(o, "mcp.servers.a.env.PLAIN", "${HOME}")
	if err != nil || e.Changes[0].New != `"${HOME}"` {
		t.Errorf("a reference is shown: %v %v", e.Changes, err)
	}
}

func TestDiff(t *testing.T) {
	text := "{\n" + strings.Repeat("  // line\n", 20) + "  log: {\n    level: 'info'\n  }\n}\n"
	e, err := EditSet(write(t, text), "tools.maxResultBytes", "4096")
	if err != nil {
		t.Fatal(err)
	}
	want := `--- config.json5
+++ config.json5
@@ -21,5 +21,8 @@
   // line
   log: {
     level: 'info'
+  },
+  tools: {
+    maxResultBytes: 4096
   }
 }
`
	if diff := cmp.Diff(want, strings.ReplaceAll(e.Diff(), filepath.Dir(e.Path)+"/", "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	e, err = EditSet(write(t, text), "log.level", "info")
	if err != nil || e.Changed() || e.Diff() != "" {
		t.Errorf("nothing changes, and it says %q %v", e.Diff(), err)
	}
}

func TestEditServers(t *testing.T) {
	o := write(t, "{\n  mcp: {\n    servers: {\n      a: {command: 'x'}, // first\n    },\n  },\n}\n")
	e, err := EditServers(o, []ServerEntry{{Name: "b", Command: "y", Args: []string{"1"}, Disabled: true}, {Name: "c", URL: "http://x", Headers: map[string]string{"A": "secret-1"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  mcp: {\n    servers: {\n      a: {command: 'x'}, // first\n      b: {\n        command: 'y',\n        args: ['1'],\n        enabled: false,\n      },\n" +
		"      c: {\n        url: 'http://x',\n        headers: {\n          A: 'secret-1',\n        },\n      },\n    },\n  },\n}\n"
	if diff := cmp.Diff(want, string(e.After)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(e.Changes) != 2 || strings.Contains(e.Diff()+e.Changes[1].New, "secret-1") {
		t.Errorf("changes %v\n%s", e.Changes, e.Diff())
	}
	for _, twice := range [][]ServerEntry{{{Name: "a", Command: "x"}}, {{Name: "n", Command: "x"}, {Name: "n", Command: "y"}}} {
		if _, err := EditServers(o, twice); toolcrib.KindOf(err) != toolcrib.KindInput {
			t.Errorf("%v: %v", twice, err)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "config.json5")
	e := set(t, Options{Path: path}, "log.level", "debug")
	holds(t, path, "{\n  log: {\n    level: \"debug\",\n  },\n}\n")
	if e.Before != nil || len(e.Changes) != 1 || e.Changes[0] != (Change{"log.level", "", `"debug"`}) {
		t.Errorf("it says %+v", e.Changes)
	}
	if runtime.GOOS != "windows" {
		for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
			if info, err := os.Stat(name); err != nil || info.Mode() != want {
				t.Errorf("%s has mode %v %v, want %v", name, info.Mode(), err, want)
			}
		}
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.json5")
	if err := os.Symlink(filepath.Join("new", "config.json5"), link); err != nil {
		t.Skip("no links here: ", err)
	}
	set(t, Options{Path: link}, "log.level", "warn")
	holds(t, path, "{\n  log: {\n    level: \"warn\",\n  },\n}\n")
	if to, err := os.Readlink(link); err != nil || to == "" {
		t.Errorf("the link is gone: %v", err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("the mode is %v %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "new", ".*")); len(left) > 0 {
		t.Errorf("%q was left behind", left)
	}
}

func set(t *testing.T, o Options, path, value string) *Edited {
	t.Helper()
	e, err := Update(func() (*Edited, error) { return EditSet(o, path, value) })
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want {
		t.Errorf("%s holds %q %v, want %q", path, text, err, want)
	}
}

func TestWriteRefusesWhatChanged(t *testing.T) {
	o := write(t, "{}")
	e, err := EditSet(o, "log.level", "debug")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.Path, []byte("{ }"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Write(); !errors.Is(err, ErrFileChanged) || toolcrib.KindOf(err) != toolcrib.KindConfig {
		t.Errorf("another one's text is overwritten: %v", err)
	}
	holds(t, o.Path, "{ }")
	if err := os.Chmod(o.Path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := Update(func() (*Edited, error) { return EditSet(o, "log.level", "debug") }); err == nil || !strings.Contains(err.Error(), "write-protected") {
		t.Errorf("a file that is write-protected: %v", err)
	}
}

func TestUpdatesAtOnceAllLand(t *testing.T) {
	o := write(t, "{}")
	var all sync.WaitGroup
	const many = 20
	for i := range many {
		all.Go(func() {
			name := string(rune('a' + i))
			if _, err := Update(func() (*Edited, error) { return EditSet(o, "mcp.servers."+name+".command", "x") }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if c, _ := load(t, o); len(c.MCP.Servers) != many {
		t.Errorf("%d of %d servers landed", len(c.MCP.Servers), many)
	}
}

// No edit writes what could not be read any more.
func TestEditsKeepTheFileReadable(t *testing.T) {
	o := fileWith(t, "// mine\n{}\n")
	long := strings.Repeat("y", MaxFileBytes)
	for name, edit := range map[string]func() (*Edited, error){
		"servers": func() (*Edited, error) {
			return EditServers(o, []ServerEntry{{Name: "z", Command: "x", Args: []string{long}}})
		},
		"set": func() (*Edited, error) { return EditSet(o, "mcp.servers.z", `{command: "x", args: ["`+long+`"]}`) },
	} {
		t.Run(name, func(t *testing.T) {
			e, err := edit()
			if err == nil || e != nil || !strings.Contains(err.Error(), "would be larger than 8 MiB") {
				t.Errorf("%v", err)
			}
		})
	}
}
