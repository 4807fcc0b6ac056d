package mcp

import (
	"testing"

	"github.com/toolcrib/toolcrib"
)

// What a source remembers of a server can be had without the server, as long as
// it is configured as it was.
func TestRememberedAsReport(t *testing.T) {
	dir := t.TempDir()
	s := Server{Name: "a", Command: "x", Deny: []string{"w*"}, Enabled: true}
	sent := []toolcrib.Tool{{Name: "read", Source: toolcrib.SourceMCP, Owner: "a"}, {Name: "write", Source: toolcrib.SourceMCP, Owner: "a"}}
	if err := (cache{dir}).save(s.prepared(), newList(sent, nil)); err != nil {
		t.Fatal(err)
	}
	r, ok := Remembered(s, Options{CacheDir: dir})
	if !ok || !r.OK() || r.Listed != 2 || len(r.Tools) != 1 || r.Tools[0].Name != "read" || r.Server != "a" || r.Transport != "stdio" {
		t.Errorf("%+v, %t", r, ok)
	}
	other, broken := s, s
	other.Args, broken.Name = []string{"--other"}, "not a name"
	for name, c := range map[string]struct {
		server Server
		dir    string
	}{"another command line": {other, dir}, "no name": {broken, dir}, "no folder": {s, ""}, "an empty folder": {s, t.TempDir()}} {
		if r, ok := Remembered(c.server, Options{CacheDir: c.dir}); ok {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
