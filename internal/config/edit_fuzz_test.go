package config

import (
	"os"
	"strings"
	"testing"
)

// FuzzEditSet wants no panic; of what is accepted that it loads, that the key's
// removal is accepted or refused in words, and that no token is shown.
func FuzzEditSet(f *testing.F) {
	f.Add([]byte("{}"), "log.level", "debug")
	f.Add([]byte(layered), "tools.toolSearch.mode", "tools")
	f.Add([]byte(layered), `mcp.servers["a.b"].headers.X`, "1")
	f.Add([]byte(`{mcpServers: {"a b": {command: ["x"], disabled: true, environment: {A: 1}}}, x: 1}`), "mcp.servers.a-b.env.B", "'2'")
	f.Add([]byte("{agents: {list: [{id: 'a'}]},\r\n // c\r\n}"), "agents.list.a.tools.toolSearch.enabled", "false")
	f.Add([]byte("// only a comment"), "tools.deny[0]", "*")
	f.Add([]byte("{gateway: {token: 'known-token'}}"), "gateway.token", "other-token")
	f.Fuzz(func(t *testing.T, text []byte, path, val string) {
		o := writeFile(t, string(text))
		e, err := EditSet(o, path, val)
		if err != nil {
			if err.Error() == "" || e != nil {
				t.Fatal("an error without words, or with an edit")
			}
			return
		}
		if shown := e.Diff(); strings.Contains(shown, "known-token") || strings.Contains(shown, "other-token") && strings.Contains(path, "token") {
			t.Fatalf("a token is shown:\n%s", shown)
		}
		if err := os.WriteFile(o.Path, e.After, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Load(o); err != nil && !strings.Contains(err.Error(), "is not set") {
			t.Fatalf("%q: %s = %q gives %q, which does not load: %v", text, path, val, e.After, err)
		}
		if _, err := EditUnset(o, path); err != nil && err.Error() == "" {
			t.Fatal("an error without words")
		}
	})
}
