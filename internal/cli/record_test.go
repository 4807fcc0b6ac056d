package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/clientconfig"
)

// put writes a file with its folders and returns its path.
func put(t *testing.T, path, text string, mode fs.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	return path
}

// holds checks what a file holds; "" stands for a file that isn't there.
func holds(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil && want != "" || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
	}
}

func TestSwap(t *testing.T) {
	for name, tt := range map[string]struct {
		// there is what the file holds, "" for none.
		there         string
		mode          fs.FileMode
		before, after []byte
		fails         string
	}{
		"replace":             {"a", 0o640, []byte("a"), []byte("b"), ""},
		"make":                {"", 0, nil, []byte("b"), ""},
		"delete":              {"a", 0o600, []byte("a"), nil, ""},
		"changed":             {"c", 0o600, []byte("a"), []byte("b"), "nothing was written"},
		"appeared":            {"c", 0o600, nil, []byte("b"), "nothing was written"},
		"gone":                {"", 0, []byte("a"), []byte("b"), "nothing was written"},
		"read-only":           {"a", 0o444, []byte("a"), []byte("b"), "write-protected"},
		"changed, for delete": {"c", 0o600, []byte("a"), nil, "nothing was written"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "below", "file.json")
			if tt.there != "" {
				put(t, path, tt.there, tt.mode)
			} else if tt.before != nil {
				put(t, filepath.Join(filepath.Dir(path), "other.json"), "x", 0o600)
			}
			err := swap{path, tt.before, tt.after}.do()
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) || toolcrib.KindOf(err) != toolcrib.KindConfig {
					t.Errorf("%v, want %q", err, tt.fails)
				}
				holds(t, path, tt.there)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			holds(t, path, string(tt.after))
			if info, err := os.Stat(path); tt.mode != 0 && tt.after != nil && (err != nil || info.Mode() != tt.mode) {
				t.Errorf("the mode is %v, want %v", info.Mode(), tt.mode)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".toolcrib-*")); left != nil {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A link stays a link, and its file is changed where it lies.
func TestSwapFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := put(t, filepath.Join(dir, "dotfiles", "real.json"), "a", 0o600), filepath.Join(dir, "link.json")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if err := (swap{link, []byte("a"), []byte("b")}).do(); err != nil {
		t.Fatal(err)
	}
	holds(t, target, "b")
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v now", info.Mode())
	}
}

func TestClientFilesAreReadWithCare(t *testing.T) {
	dir := t.TempDir()
	if text, err := readClientFile(filepath.Join(dir, "absent")); text != nil || err != nil {
		t.Errorf("a file that isn't there is %q and %v", text, err)
	}
	if text, err := readClientFile(put(t, filepath.Join(dir, "empty"), "", 0o600)); text == nil || err != nil {
		t.Errorf("an empty file is %v and %v, want no text that is there", text, err)
	}
	if _, err := readClientFile(dir); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("a folder: %v", err)
	}
}

// What is deleted is the file that a link leads to, as it is the one that was made.
func TestSwapDeletesBehindLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := os.Symlink("real.json", link); err != nil {
		t.Skip(err)
	}
	if err := (swap{link, nil, []byte("a")}).do(); err != nil {
		t.Fatal(err)
	}
	holds(t, target, "a")
	if err := (swap{link, []byte("a"), nil}).do(); err != nil {
		t.Fatal(err)
	}
	holds(t, target, "")
	if to, err := os.Readlink(link); to != "real.json" {
		t.Errorf("the link leads to %q now (%v)", to, err)
	}
}

// Which bytes were there before connect is known only where they are sure.
func TestRecordsKnowTheOriginal(t *testing.T) {
	r := records{t.TempDir()}
	f := clientconfig.File{Client: "cursor", Scope: "user", Path: "/home/x/mcp.json"}
	rec := &record{File: f, Existed: true, Before: hashOf([]byte("old")), Wrote: []string{hashOf([]byte("new")), hashOf([]byte("newer"))}}
	backup, err := r.save(rec, []byte("old"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{backup, r.recordPath(f)} {
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	made := &record{File: f, Before: hashOf(nil), Wrote: []string{hashOf([]byte("new"))}}
	for name, tt := range map[string]struct {
		rec  *record
		text []byte
		want []byte
		ok   bool
	}{
		"written":            {rec, []byte("new"), []byte("old"), true},
		"written again":      {rec, []byte("newer"), []byte("old"), true},
		"not written":        {rec, []byte("old"), []byte("old"), true},
		"edited":             {rec, []byte("newest"), nil, false},
		"no record":          {nil, []byte("new"), nil, false},
		"made":               {made, []byte("new"), nil, true},
		"made, not written":  {made, nil, nil, true},
		"made, then emptied": {made, []byte{}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := r.original(tt.rec, tt.text)
			if string(got) != string(tt.want) || ok != tt.ok || ok && (got == nil) != (tt.want == nil) {
				t.Errorf("%q and %t, want %q and %t", got, ok, tt.want, tt.ok)
			}
		})
	}
	put(t, backup, "tampered", 0o600)
	if _, ok := r.original(rec, []byte("new")); ok {
		t.Error("a backup that was changed counts as the original")
	}
}

func TestRecordsAreFoundByTheirClient(t *testing.T) {
	r := records{filepath.Join(t.TempDir(), "odd [name]*")}
	one := clientconfig.File{Client: "cursor", Scope: "user", Path: "/a"}
	two := clientconfig.File{Client: "cursor", Scope: "project", Path: "/a"}
	other := clientconfig.File{Client: "codex", Scope: "user", Path: "/a"}
	for _, f := range []clientconfig.File{one, two, other} {
		if _, err := r.save(&record{File: f}, nil); err != nil {
			t.Fatal(err)
		}
	}
	list, err := r.all("cursor")
	if err != nil || len(list) != 2 {
		t.Fatalf("%v and %v, want two records", list, err)
	}
	if err := r.remove(one); err != nil {
		t.Fatal(err)
	}
	if rec, err := r.load(one); rec != nil || err != nil {
		t.Errorf("a record that was removed is %v and %v", rec, err)
	}
	if rec, err := r.load(two); rec == nil || err != nil {
		t.Errorf("the other is %v and %v", rec, err)
	}
	put(t, r.recordPath(two), "{", 0o600)
	if _, err := r.load(two); err == nil || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("a broken record: %v", err)
	}
}

// Connect's lines are taken back where the text was edited elsewhere.
func TestUnpatch(t *testing.T) {
	const before, wrote = "a\nb\nold\nc\nd\n", "a\nb\nnew\nnewer\nc\nd\n"
	for name, tt := range map[string]struct {
		before, wrote, text, want string
		ok                        bool
	}{
		"as written":        {before, wrote, wrote, before, true},
		"edited above":      {before, wrote, "x\na\ny\nb\nnew\nnewer\nc\nd\n", "x\na\ny\nb\nold\nc\nd\n", true},
		"edited beside":     {before, wrote, "a\nB\nnew\nnewer\nC\nd\n", "a\nB\nold\nC\nd\n", true},
		"edited within":     {before, wrote, "a\nb\nnew\nx\nnewer\nc\nd\n", "", false},
		"stands twice":      {before, wrote, wrote + wrote, "", false},
		"in a longer line":  {"", "new\n", "x new\n", "", false},
		"nothing was added": {"a\nold\nc\n", "a\nc\n", "a\nx\nc\n", "", false},
		"taken out":         {"a\nold\nc\n", "a\nc\n", "x\na\nc\ny\n", "x\na\nold\nc\ny\n", true},
		"no newline at end": {"a\nb", "a\nb\nnew", "x\na\nb\nnew", "x\na\nb", true},
		"other line ends":   {"a\r\nb\r\n", "a\r\nnew\r\nb\r\n", "A\r\nnew\r\nb\r\n", "A\r\nb\r\n", true},
		"the same":          {"a\n", "a\n", "b\n", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := unpatch([]byte(tt.before), []byte(tt.wrote), []byte(tt.text))
			if string(got) != tt.want || ok != tt.ok {
				t.Errorf("%q and %t, want %q and %t", got, ok, tt.want, tt.ok)
			}
		})
	}
}
