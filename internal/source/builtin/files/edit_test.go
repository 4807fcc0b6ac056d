package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolcrib/toolcrib"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	one := func(old, new string) []args { return []args{{"oldText": old, "newText": new}} }
	for _, c := range []struct {
		name, before string
		edits        []args
		after, fault string
	}{
		{"simple", "a b c", one("b", "x"), "a x c", ""},
		{"delete", "a b c", one(" b", ""), "a c", ""},
		{"twice", "a\nb\na\n", one("a", "x"), "", "is in the file 2 times, at the lines 1, 3"},
		{"all", "a\nb\na\n", []args{{"oldText": "a", "newText": "xa", "all": true}}, "xa\nb\nxa\n", ""},
		{"overlapping itself", "aaa", one("aa", "x"), "", "2 times"},
		{"several", "one two three", []args{{"oldText": "three", "newText": "3"}, {"oldText": "one", "newText": "two"}}, "two two 3", ""},
		{"not against what others made", "one two", []args{{"oldText": "one", "newText": "six"}, {"oldText": "six", "newText": "x"}}, "", "oldText of edit 2 is not in the file"},
		{"overlap", "abcd", []args{{"oldText": "abc", "newText": "x"}, {"oldText": "cd", "newText": "y"}}, "", "edits 1 and 2 overlap at line 1"},
		{"touching", "abcd", []args{{"oldText": "ab", "newText": "x"}, {"oldText": "cd", "newText": "y"}}, "xy", ""},
		{"same", "a", one("a", "a"), "", "are the same"},
		{"empty", "a", one("", "a"), "", "is empty"},
		{"crlf", "a\r\nb\r\nc\r\n", one("a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n", ""},
		{"crlf, told so", "a\r\nb\r\n", one("a\r\nb", "x\r\ny"), "x\r\ny\r\n", ""},
		{"mixed", "a\r\nb\nc\r\n", one("b\nc", "x"), "a\r\nx\r\n", ""},
		{"bom", "\xef\xbb\xbfa\n", one("a", "b"), "\xef\xbb\xbfb\n", ""},
		{"other bytes stay", "caf\xe9 b \xff\xff", one("b", "x"), "caf\xe9 x \xff\xff", ""},
		{"white space", "if x {\n\ty()\n}\n", one("if x {\n    y()\n}", "z"), "", `nearest is line 2, where the file has "\ty()" and not "    y()"`},
		{"nearest", "a\nfunc f(a int) {\n\treturn 1\n}\n", one("func f(a int) {\n\treturn 2\n}", "z"), "", `line 3, where the file has "\treturn 1" and not "\treturn 2"`},
		{"case", "Hello World\n", one("hello world!", "z"), "", "read the file again"},
		{"case alone", "say Hello World\n", one("hello world", "z"), "", "at line 1 it stands with other large and small letters"},
		{"end", "last", one("last\nmore", "z"), "", "at line 1 the file ends before the text does"},
		{"line end", "a\nb", one("b\n", "z"), "", "only the line ends or empty lines around it differ"},
	} {
		d := at(t).put(map[string]string{"file": c.before})
		if c.fault == "" {
			d.ask("edit", args{"path": "file", "edits": c.edits})
		} else {
			_, err := d.try("edit", args{"path": "file", "edits": c.edits})
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, want %q", c.name, err, c.fault)
			}
			c.after = c.before
		}
		if got := d.disk("file"); got != c.after {
			t.Errorf("%s: %q, want %q", c.name, got, c.after)
		}
	}
}

func TestHashesTellChanges(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"file": "one"})
	_, a := d.ask("read", args{"path": "file"})
	old := a["hash"]
	d.put(map[string]string{"file": "two"})
	d.refuse("edit", args{"path": "file", "hash": old, "edits": []args{{"oldText": "two", "newText": "x"}}}, toolcrib.KindTool, "has changed since")
	d.refuse("write", args{"path": "file", "hash": old, "overwrite": true, "content": "x"}, toolcrib.KindTool, "has changed since")
	d.refuse("write", args{"path": "file", "content": "x"}, toolcrib.KindTool, "exists already (3 bytes)")
	d.refuse("write", args{"path": "none", "hash": old, "overwrite": true, "content": "x"}, toolcrib.KindTool, "there is no none")
	_, a = d.ask("edit", args{"path": "file", "edits": []args{{"oldText": "two", "newText": "three"}}})
	_, a = d.ask("write", args{"path": "file", "hash": a["hash"], "overwrite": true, "content": "four"})
	if a["created"] != false || d.disk("file") != "four" {
		t.Errorf("%v, %q", a, d.disk("file"))
	}
}

func TestPermissionsStay(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"run.sh": "x", "fixed": "x"})
	for name, mode := range map[string]os.FileMode{"run.sh": 0o751, "fixed": 0o444} {
		if err := os.Chmod(filepath.Join(d.dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	d.ask("edit", args{"path": "run.sh", "edits": []args{{"oldText": "x", "newText": "y"}}})
	d.ask("write", args{"path": "run.sh", "content": "z", "overwrite": true})
	if info, err := os.Stat(filepath.Join(d.dir, "run.sh")); err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	d.refuse("write", args{"path": "fixed", "content": "z", "overwrite": true}, toolcrib.KindTool, "fixed is read-only")
}

// TestAFullDisk: half of the bytes are written, and nothing has changed.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"file": "before"})
	d.fill = func(f *os.File, data []byte) error {
		if _, err := f.Write(data[:len(data)/2]); err != nil {
			return err
		}
		return &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	d.refuse("write", args{"path": "file", "content": "after and more", "overwrite": true}, toolcrib.KindTool, "can't write file: no space left")
	d.refuse("write", args{"path": "new", "content": "after"}, toolcrib.KindTool, "no space left")
	d.refuse("edit", args{"path": "file", "edits": []args{{"oldText": "before", "newText": "after"}}}, toolcrib.KindTool, "no space left")
	if left, err := os.ReadDir(d.dir); err != nil || len(left) != 1 || d.disk("file") != "before" {
		t.Errorf("left: %v, %v, %q", left, err, d.disk("file"))
	}
}

// TestChangedMeanwhile: somebody else changes the file while the new one is written.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"file": "before"})
	d.fill = func(f *os.File, data []byte) error {
		_, err := f.Write(data)
		return errors.Join(err, os.WriteFile(filepath.Join(d.dir, "file"), []byte("theirs, longer"), 0o644), os.WriteFile(filepath.Join(d.dir, "new"), []byte("theirs"), 0o644))
	}
	d.refuse("edit", args{"path": "file", "edits": []args{{"oldText": "before", "newText": "after"}}}, toolcrib.KindTool, "file changed while it was being used")
	os.Remove(filepath.Join(d.dir, "new"))
	d.refuse("write", args{"path": "new", "content": "mine"}, toolcrib.KindTool, "new changed while it was being used")
	if d.disk("file") != "theirs, longer" || d.disk("new") != "theirs" {
		t.Errorf("%q, %q", d.disk("file"), d.disk("new"))
	}
}

func TestWriteIsBounded(t *testing.T) {
	t.Parallel()
	d := at(t, func(o *Options) { o.Bounds.WriteBytes = 10 })
	d.refuse("write", args{"path": "a", "content": "12345678901"}, toolcrib.KindLimit, "a file may have 10")
	d.ask("write", args{"path": "a", "content": "1234567890"})
	d.refuse("edit", args{"path": "a", "edits": []args{{"oldText": "0", "newText": "00"}}}, toolcrib.KindLimit, "a would have 11 bytes")
}

// TestTheDiskIsWaitedFor writes as outside of tests.
func TestTheDiskIsWaitedFor(t *testing.T) {
	t.Parallel()
	d := at(t)
	d.fill = fill
	d.ask("write", args{"path": "deep/er/file", "content": "x"})
	if d.disk("deep/er/file") != "x" {
		t.Error(d.disk("deep/er/file"))
	}
}

// FuzzEdit: an edit that is made changes exactly what it says, and the rest of
// the bytes stay; one that isn't made changes nothing.
func FuzzEdit(f *testing.F) {
	f.Add([]byte("a b a"), "b", "x", false)
	f.Add([]byte("a\r\nb\r\n"), "a\nb", "x\ny", false)
	f.Add([]byte("\xef\xbb\xbfa\r\r\nb"), "\r\n", "\n\n", true)
	f.Add([]byte("aaa\xff\xfeaaa"), "a", "aa", true)
	f.Fuzz(func(t *testing.T, raw []byte, old, new string, all bool) {
		text := textOf(raw)
		if got := text.raw(text.view); string(got) != string(raw) {
			t.Fatalf("%q there and back is %q", raw, got)
		}
		before := string(text.view)
		changed, starts, err := replace(text, []replacement{{old, new, all}})
		if string(text.view) != before {
			t.Fatal("the text itself was changed")
		}
		o, n := text.fit(old), text.fit(new)
		if err != nil {
			if once := o != "" && o != n && strings.Count(before, o) == 1 && strings.Index(before, o) == strings.LastIndex(before, o); once {
				t.Fatalf("%q is in %q once: %v", o, before, err)
			}
			return
		}
		if want := strings.ReplaceAll(before, o, n); string(changed) != want || len(starts) != strings.Count(before, o) || !all && len(starts) != 1 {
			t.Fatalf("%q, %q to %q: %q, want %q, at %v", before, o, n, changed, want, starts)
		}
		for _, at := range starts {
			if !strings.HasPrefix(string(changed[at:]), n) {
				t.Fatalf("at %d of %q is no %q", at, changed, n)
			}
		}
	})
}
