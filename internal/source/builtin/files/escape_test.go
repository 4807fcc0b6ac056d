package files

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// secret is what is outside and must never come in.
const secret = "the crown jewels"

// outside makes a folder beside the workspace with a secret in it.
func (d desk) outside() string {
	d.t.Helper()
	dir := filepath.Join(filepath.Dir(d.dir), "outside")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte(secret), 0o644); err != nil {
		d.t.Fatal(err)
	}
	return dir
}

// unharmed checks that what is outside is as it was.
func (d desk) unharmed() {
	d.t.Helper()
	dir := filepath.Join(filepath.Dir(d.dir), "outside")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		d.t.Errorf("outside there are %v, %v", entries, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "secret")); string(data) != secret {
		d.t.Errorf("the secret is %q, %v", data, err)
	}
}

// link makes a link in the workspace.
func (d desk) link(target, name string) {
	d.t.Helper()
	if err := os.Symlink(target, filepath.Join(d.dir, name)); err != nil {
		d.t.Skip("no links here: ", err)
	}
}

// everyTool is a call of each tool on a path.
func everyTool(path string) map[string]args {
	return map[string]args{
		"read":  {"path": path},
		"write": {"path": path, "content": "gotcha", "overwrite": true},
		"edit":  {"path": path, "edits": []args{{"oldText": "crown", "newText": "clown"}}},
		"list":  {"path": path},
		"find":  {"path": path, "pattern": "*"},
		"grep":  {"path": path, "pattern": "crown"},
	}
}

func TestPathsOutsideAreRefused(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"in/file": "x"})
	outside := d.outside()
	d.link("../outside/secret", "file-rel")
	d.link(filepath.Join(outside, "secret"), "file-abs")
	d.link("../outside", "dir-rel")
	d.link(outside, "dir-abs")
	d.link("dir-rel", "chain1")
	d.link("in/../chain1", "chain2")
	d.link("../../outside", "in/deep")
	d.link("/", "root")
	d.link("in/../../ws/../outside", "zigzag")
	d.link("/proc/self/root", "proc")
	for _, path := range []string{
		"..", "../", "../outside", "../outside/secret", "in/../../outside/secret", "./.././outside/secret", "in/../in/../../outside",
		outside, outside + "/secret", "/etc/passwd", "//etc/passwd", "/", filepath.Dir(d.dir), d.dir + "/../outside/secret", d.dir + "x", d.dir + "x/y",
		"file-rel", "file-abs", "dir-rel", "dir-rel/secret", "dir-abs", "dir-abs/secret", "dir-abs/../ws/in/file",
		"chain1/secret", "chain2/secret", "in/deep/secret", "root", "root/etc/passwd", "root" + d.dir + "/in/file", "zigzag/secret", "proc/etc/passwd",
		"../ws/in/file", // inside, but by a way that leads out
	} {
		for tool, a := range everyTool(path) {
			d.refuse(tool, a, toolcrib.KindBlocked, "leads out of the workspace")
		}
	}
	for _, path := range []string{"dir-rel/new", "dir-abs/new/deep", "chain2/new", "../outside/new", outside + "/new"} {
		d.refuse("write", args{"path": path, "content": "x"}, toolcrib.KindBlocked, "leads out")
	}
	d.unharmed()
}

func TestWalksDontFollowLinks(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"a/file": "crown here", "z": "nothing"})
	d.link(d.outside(), "a/out")
	d.link("..", "a/up")
	d.link(".", "self")
	d.link("a/file", "alias")
	if text, _ := d.ask("find", args{"pattern": "**"}); text != "a/\na/file\na/out\na/up\nalias\nself\nz\n" {
		t.Errorf("find: %q", text)
	}
	if text, _ := d.ask("list", args{"depth": 10}); text != "a/\na/file  10\na/out  (link)\na/up  (link)\nalias  (link)\nself  (link)\nz  7\n" {
		t.Errorf("list: %q", text)
	}
	if text, _ := d.ask("grep", args{"pattern": "crown"}); text != "a/file\n1: crown here\n" {
		t.Errorf("grep: %q", text)
	}
}

func TestLinksInsideWork(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"a/b/file": "one"})
	d.link("a", "short")
	d.link("../a/b/file", "a/file")
	d.link(filepath.Join(d.dir, "a/b"), "absolute")
	d.link("made/later", "dangling")
	d.link("loop2", "loop1")
	d.link("loop1", "loop2")
	for _, path := range []string{"short/b/file", "a/file", "short/file", "absolute/file", "short/../a/b/file", filepath.Join(d.dir, "short/b/file")} {
		if text, _ := d.ask("read", args{"path": path}); text != "one" {
			t.Errorf("%s: %q", path, text)
		}
	}
	d.ask("write", args{"path": "a/file", "content": "two", "overwrite": true})
	if info, err := os.Lstat(filepath.Join(d.dir, "a/file")); err != nil || info.Mode()&os.ModeSymlink == 0 || d.disk("a/b/file") != "two" {
		t.Errorf("writing through a link inside: %v %v, %q", info, err, d.disk("a/b/file"))
	}
	d.ask("write", args{"path": "dangling", "content": "new"})
	if d.disk("made/later") != "new" {
		t.Error("a link to what isn't there yet must be written through")
	}
	d.refuse("read", args{"path": "loop1"}, toolcrib.KindTool, "circle")
	if text, _ := d.ask("list", args{"path": "short/b/.."}); !strings.Contains(text, "a/b/") {
		t.Errorf("what .. after a link leads to: %q", text)
	}
}

func TestHardLinks(t *testing.T) {
	t.Parallel()
	d := at(t)
	if err := os.Link(filepath.Join(d.outside(), "secret"), filepath.Join(d.dir, "hard")); err != nil {
		t.Skip(err)
	}
	d.ask("edit", args{"path": "hard", "edits": []args{{"oldText": "crown", "newText": "clown"}}})
	d.ask("write", args{"path": "hard", "content": "mine", "overwrite": true})
	d.unharmed()
}

func TestOddPaths(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"file": "x", "dir/file": "y", "Grüße": "z"})
	for path, want := range map[string]string{
		"a\x00b":                    "NUL",
		"file\x00/../../outside":    "NUL",
		strings.Repeat("a", 256):    "longer than 255 bytes",
		strings.Repeat("a/", 2049):  "longer than 4096 bytes",
		strings.Repeat("a/", 65):    "more than 64 names",
		strings.Repeat("../", 1300): "more than 64 names",
	} {
		for tool, a := range everyTool(path) {
			d.refuse(tool, a, toolcrib.KindInput, want)
		}
	}
	d.refuse("read", args{"path": "file/x"}, toolcrib.KindTool, "file is no folder")
	d.refuse("read", args{"path": "file/../file"}, toolcrib.KindTool, "file is no folder")
	d.refuse("read", args{"path": "FILE"}, toolcrib.KindTool, "there is file")
	d.refuse("read", args{"path": "dir/File"}, toolcrib.KindTool, "there is dir/file")
	d.refuse("read", args{"path": "Gru\u0308ße"}, toolcrib.KindTool, "there is Grüße")
	d.refuse("read", args{"path": "dir"}, toolcrib.KindTool, "dir is a folder")
	d.refuse("list", args{"path": "file"}, toolcrib.KindTool, "file is no folder")
	d.refuse("write", args{"path": "dir", "content": "x", "overwrite": true}, toolcrib.KindTool, "dir is a folder")
	d.refuse("write", args{"path": ".", "content": "x", "overwrite": true}, toolcrib.KindTool, ". is a folder")
	d.refuse("write", args{"path": "new/", "content": "x"}, toolcrib.KindInput, "names a folder")
	d.refuse("write", args{"path": "none/../x", "content": "x"}, toolcrib.KindTool, "there is no none")
	d.refuse("read", args{"path": "no\nsuch: file"}, toolcrib.KindTool, `"no\nsuch: file"`)
	if _, err := os.Stat(filepath.Join(d.dir, "none")); err == nil {
		t.Error("a refused write left a folder")
	}
}

func TestReservedNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"NUL", "nul", "con", "Aux.txt", "com1", "COM¹", "lpt9.tar.gz", "CONIN$", "a:b", "file::$DATA", "C:", "dot.", "space ", "nul .txt", "a?b", "a\x01b", `a\b`,
	} {
		if !reserved(name, "windows") || reserved(name, "linux") {
			t.Errorf("%q: on Windows %v, on Linux %v", name, reserved(name, "windows"), reserved(name, "linux"))
		}
	}
	for _, name := range []string{"null", "console", "com", "com10", "lpt", "a.nul", "..", "prn1", "Grüße", ".git"} {
		if reserved(name, "windows") {
			t.Errorf("%q is refused", name)
		}
	}
}

func TestTheWorkspaceItself(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"old": "x"})
	if err := os.RemoveAll(d.dir); err != nil {
		t.Fatal(err)
	}
	if text, _ := d.ask("list", nil); !strings.Contains(text, "the workspace is empty") {
		t.Errorf("list: %q", text)
	}
	d.ask("find", args{"pattern": "*"})
	d.ask("grep", args{"pattern": "x", "path": "."})
	for _, tool := range []string{"read", "edit", "list", "find", "grep"} {
		d.refuse(tool, everyTool("old")[tool], toolcrib.KindTool, "the workspace is empty")
	}
	if state := d.Listings(t.Context(), toolcrib.Scope{})[0].State; state != toolcrib.StateReady {
		t.Errorf("state %q", state)
	}
	d.ask("write", args{"path": "new", "content": "y"})
	if err := os.Rename(d.dir, d.dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	d.put(map[string]string{"other": "z"})
	if text, _ := d.ask("list", nil); text != "other  1\n" {
		t.Errorf("another folder in its place: %q", text)
	}
	os.RemoveAll(d.dir)
	if err := os.WriteFile(d.dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for tool, a := range everyTool("new") {
		d.refuse(tool, a, toolcrib.KindTool, "the workspace can't be")
	}
	l := d.Listings(t.Context(), toolcrib.Scope{})[0]
	if l.State != toolcrib.StateDown || l.Reason != "the workspace is no folder" || len(l.Tools) != 6 {
		t.Errorf("listing %+v", l)
	}
}

func TestAFolderOfTheSystem(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("wants /proc")
	}
	d := at(t, func(o *Options) { o.Workspace = func(string) (string, error) { return "/proc/self", nil } })
	if text, _ := d.ask("read", args{"path": "status"}); !strings.HasPrefix(text, "Name:") {
		t.Errorf("a file without a size: %q", text)
	}
	r, err := d.try("write", args{"path": "new", "content": "x"})
	if toolcrib.KindOf(err) != toolcrib.KindTool {
		t.Errorf("a folder that takes no files: %v, %v", r, err)
	}
	for _, path := range []string{"root/etc/passwd", "cwd/doc.go", "exe", "fd/0"} {
		r, err := d.try("read", args{"path": path})
		if err == nil {
			t.Errorf("%s led out: %v", path, r)
		}
	}
}
