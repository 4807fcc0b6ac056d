package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
)

func TestProtected(t *testing.T) {
	t.Parallel()
	var dir string
	d := at(t, func(o *Options) {
		dir, _ = o.Workspace("")
		o.Protected = []string{
			filepath.Join(dir, "conf/crib.json5"), filepath.Join(dir, "state"), filepath.Join(dir, "state/admin.token"),
			filepath.Join(dir, "later/config.json5"), filepath.Join(dir, "alias/store"), "/nonexistent/of/the/machine",
		}
	}).put(map[string]string{
		"conf/crib.json5": "crown", "conf/other": "x", "state/admin.token": "crown", "state/deep/log": "crown", "kept/store": "crown", "plain": "crown",
	})
	d.link("kept", "alias")
	d.link("state", "way-in")
	d.link("state/deep", "way-deep")
	d.link("conf/crib.json5", "config")
	d.link(filepath.Join(dir, "state/admin.token"), "token")
	if err := os.Link(filepath.Join(dir, "state/admin.token"), filepath.Join(dir, "hard")); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{
		"conf/crib.json5", "conf/CRIB.json5", "Conf/../conf/Crib.JSON5", "config", filepath.Join(dir, "conf/crib.json5"), "conf/ｃrib.json5",
		"state", "state/admin.token", "STATE/admin.token", "state/new", "state/deep/log", "way-in", "way-in/admin.token", "way-in/new", "way-deep/log", "token", "hard",
		"kept/store", "alias/store", "alias/STORE", "later", "later/config.json5", "Later/x",
	} {
		for tool, a := range everyTool(path) {
			if strings.HasPrefix(path, "Conf") {
				d.refuse(tool, a, toolcrib.KindTool, "no Conf") // Conf is another folder here
				continue
			}
			d.refuse(tool, a, toolcrib.KindBlocked, "toolcrib's own files")
		}
	}
	for name, want := range map[string]string{"conf/crib.json5": "crown", "state/admin.token": "crown", "state/deep/log": "crown", "kept/store": "crown"} {
		if d.disk(name) != want {
			t.Errorf("%s was changed", name)
		}
	}
	if text, _ := d.ask("find", args{"pattern": "**"}); text != "alias\nconf/\nconf/other\nconfig\nkept/\nplain\ntoken\nway-deep\nway-in\n" {
		t.Errorf("find: %q", text)
	}
	if text, _ := d.ask("grep", args{"pattern": "crown"}); text != "plain\n1: crown\n" {
		t.Errorf("grep: %q", text)
	}
	if text, _ := d.ask("list", args{"depth": 3}); strings.Contains(text, "state/") || strings.Contains(text, "crib") || strings.Contains(text, "hard") {
		t.Errorf("list: %q", text)
	}
}

func TestAWorkspaceAmongProtectedFiles(t *testing.T) {
	t.Parallel()
	d := at(t, func(o *Options) {
		dir, _ := o.Workspace("")
		o.Protected = []string{filepath.Dir(dir), filepath.Join(filepath.Dir(dir), "admin.token")}
	})
	d.ask("write", args{"path": "file", "content": "x"})
	if text, _ := d.ask("read", args{"path": "file"}); text != "x" {
		t.Errorf("a workspace inside of a protected folder: %q", text)
	}
	d.refuse("read", args{"path": "../admin.token"}, toolcrib.KindBlocked, "leads out")

	own := at(t, func(o *Options) {
		dir, _ := o.Workspace("")
		o.Protected = []string{dir}
	})
	for tool, a := range everyTool("file") {
		own.refuse(tool, a, toolcrib.KindBlocked, "the workspace is one of toolcrib's own files")
	}
	if l := own.Listings(t.Context(), toolcrib.Scope{})[0]; l.State != toolcrib.StateDown || !strings.Contains(l.Reason, "toolcrib's own") {
		t.Errorf("listing %+v", l)
	}
}
