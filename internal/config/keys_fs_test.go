package config

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestWorkspaces(t *testing.T) {
	o := write(t, `{tools: {fs: {workspace: 'files'}}, agents: {list: [{id: 'a', workspace: '~/work'}, {id: 'b', workspace: '/srv/b'}, {id: 'c'}]}}`)
	c, warnings := load(t, o)
	if want := filepath.Join(filepath.Dir(c.Path), "files"); c.Tools.FS.Workspace != want || len(warnings) != 0 {
		t.Errorf("workspace %q, want %q, warnings %q", c.Tools.FS.Workspace, want, warnings)
	}
	for i, want := range []string{filepath.Join(o.Home, "work"), "/srv/b", ""} {
		if got := c.Agents.List[i].Workspace; got != want {
			t.Errorf("agent %s: %q, want %q", c.Agents.List[i].ID, got, want)
		}
	}
}

func TestWorkspacesRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{tools: {fs: {workspace: ''}}}`:                       "tools.fs.workspace: is empty",
		`{tools: {fs: {workspace: 'a\0b'}}}`:                   "tools.fs.workspace: holds a NUL",
		`{agents: {list: [{id: 'a'}, {id:'b', workspace:1}]}}`: "agents.list[1].workspace",
		`{agents: {list: [{id: 'a', workspace: ' '}]}}`:        "agents.list[0].workspace: is empty",
	} {
		if got := strings.Join(refuse(t, write(t, text)), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
