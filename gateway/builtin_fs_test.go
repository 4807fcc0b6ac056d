package gateway

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
)

func TestWorkspaceOf(t *testing.T) {
	root := t.TempDir()
	in := func(name string) string {
		if name == "" {
			return ""
		}
		return filepath.Join(root, name)
	}
	for _, tt := range []struct{ all, state, agent, want string }{
		{"", "state", "", "main"},
		{"", "state", "plain", "state/workspace"},
		{"all", "state", "plain", "all"},
		{"all", "state", "unknown", "all"},
		{"all", "state", "own", "own"},
		{"", "", "own", "own"},
		{"", "", "plain", ""},
	} {
		c := &config.Config{Agents: config.Agents{List: []config.Agent{{ID: "own", Workspace: in("own")}, {ID: "plain"}, {ID: "main", Workspace: in("main")}}}}
		c.Tools.FS.Workspace = in(tt.all)
		got, err := workspaceOf(c, tt.agent, in(tt.state))
		if got != in(tt.want) || (err == nil) != (tt.want != "") {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
	}
}

// fileCall calls a file tool of a gateway.
func fileCall(t *testing.T, s source, name, args string) (string, error) {
	t.Helper()
	for _, tool := range s.Listings(t.Context(), toolcrib.Scope{})[0].Tools {
		if tool.Name != name {
			continue
		}
		r, err := s.Execute(t.Context(), toolcrib.Call{ID: "1", Tool: tool, Args: json.RawMessage(args)})
		if len(r.Content) == 0 {
			return "", err
		}
		return r.Content[0].Text, err
	}
	t.Fatalf("no tool %s", name)
	return "", nil
}

// TestOwnFilesAreOutOfReach: the workspace holds all that toolcrib keeps.
func TestOwnFilesAreOutOfReach(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"config.json5": `{tools: {fs: {workspace: '.'}}, store: {url: 'sqlite:../kept.db'}}`, "state/admin.token": "secret", "cache/list": "x", "kept.db-wal": "secret", "work/file": "mine",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(home, "state/admin.token"), filepath.Join(home, "work/hard")); err != nil {
		t.Skip(err)
	}
	o := Options{ConfigFile: filepath.Join(home, "config.json5"), StateDir: filepath.Join(home, "state"), CacheDir: filepath.Join(home, "cache"), Socket: filepath.Join(home, "sock")}
	g, _ := open(t, o, SessionOptions{})
	s, err := g.filesSource(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"config.json5", "CONFIG.json5", "state", "state/admin.token", "state/new", "state/workspace/x", "work/hard", "kept.db", "kept.db-wal", "kept.db-journal", "cache/list", "sock"} {
		for _, call := range []struct{ tool, more string }{{"read", ""}, {"write", `,"content":"x","overwrite":true`}, {"edit", `,"edits":[{"oldText":"e","newText":"x"}]`}, {"list", ""}, {"grep", `,"pattern":"e"`}} {
			if text, err := fileCall(t, s, call.tool, `{"path":"`+path+`"`+call.more+`}`); toolcrib.KindOf(err) != toolcrib.KindBlocked {
				t.Errorf("%s %s: %q, %v", call.tool, path, text, err)
			}
		}
	}
	if text, err := fileCall(t, s, "find", `{"pattern":"**","hidden":true}`); text != "work/\nwork/file\n" {
		t.Errorf("find: %q, %v", text, err)
	}
	if text, err := fileCall(t, s, "grep", `{"pattern":"."}`); !strings.HasPrefix(text, "work/file\n1: mine\n") {
		t.Errorf("grep: %q, %v", text, err)
	}
}

// TestTheWorkspaceFollowsTheConfiguration, without a restart.
func TestTheWorkspaceFollowsTheConfiguration(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "config.json5")
	configure := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure(`{}`)
	o := Options{ConfigFile: file}
	g, _ := open(t, o, SessionOptions{})
	s, err := g.filesSource(o)
	if err != nil {
		t.Fatal(err)
	}
	l := s.Listings(t.Context(), toolcrib.Scope{})[0]
	if l.State != toolcrib.StateDown || !strings.Contains(l.Reason, "tools.fs.workspace") || l.Owner != "fs" {
		t.Errorf("without a folder: %+v", l)
	}
	if _, err := fileCall(t, s, "write", `{"path":"a","content":"x"}`); toolcrib.KindOf(err) != toolcrib.KindUnavailable {
		t.Errorf("without a folder: %v", err)
	}
	configure(`{tools: {fs: {workspace: 'one'}}}`)
	if err := g.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := fileCall(t, s, "write", `{"path":"a","content":"x"}`); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(home, "one", "a")); err != nil || s.Listings(t.Context(), toolcrib.Scope{})[0].State != toolcrib.StateReady {
		t.Errorf("after the change: %v", err)
	}
}
