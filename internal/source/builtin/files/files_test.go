package files

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/schema"
	"github.com/toolcrib/toolcrib/internal/source/sourcetest"
)

// desk is a source over a workspace of its own.
type desk struct {
	*Source
	dir string
	t   testing.TB
}

// at makes a desk over a new folder, inside of a folder that is outside.
func at(t testing.TB, change ...func(*Options)) desk {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ws")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	o := Options{Workspace: func(string) (string, error) { return dir, nil }, Logger: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.fill = func(f *os.File, data []byte) error { // without waiting for the disk
		_, err := f.Write(data)
		return err
	}
	return desk{s, dir, t}
}

// put makes files in the workspace.
func (d desk) put(files map[string]string) desk {
	d.t.Helper()
	for name, content := range files {
		path := filepath.Join(d.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			d.t.Fatal(err)
		}
	}
	return d
}

// disk is what a file holds.
func (d desk) disk(name string) string {
	d.t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}

type args map[string]any

// try calls a tool. Its details must keep the promise of its output schema.
func (d desk) try(tool string, a args) (toolcrib.Result, error) {
	d.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, t := range d.source.Listings(context.Background(), toolcrib.Scope{})[0].Tools {
		if t.Name != tool {
			continue
		}
		r, err := d.Execute(context.Background(), toolcrib.Call{ID: "1", Tool: t, Args: raw})
		if err == nil {
			promised, err := schema.Compile(t.OutputSchema)
			if err != nil {
				d.t.Fatal(err)
			}
			for _, p := range promised.Validate(r.Details) {
				d.t.Errorf("%s %v: the details break the promise at %s: %s", tool, a, p.Path, p.Message)
			}
		}
		return r, err
	}
	d.t.Fatalf("no tool %s", tool)
	return toolcrib.Result{}, nil
}

// ask calls a tool that must succeed, and returns its texts and details.
func (d desk) ask(tool string, a args) (string, map[string]any) {
	d.t.Helper()
	r, err := d.try(tool, a)
	if err != nil || r.IsError {
		d.t.Fatalf("%s %v: %v %v", tool, a, r, err)
	}
	var texts []string
	for _, c := range r.Content {
		texts = append(texts, c.Text)
	}
	details := map[string]any{}
	if err := json.Unmarshal(r.Details, &details); err != nil {
		d.t.Fatal(err)
	}
	return strings.Join(texts, "|"), details
}

// refuse calls a tool that must fail with a kind and words, and never with a
// path of the machine.
func (d desk) refuse(tool string, a args, kind toolcrib.Kind, words string) {
	d.t.Helper()
	r, err := d.try(tool, a)
	if toolcrib.KindOf(err) != kind || !strings.Contains(err.Error(), words) {
		d.t.Errorf("%s %.200v: %.200v, %.200v; want %s with %q", tool, a, r.Content, err, kind, words)
	}
	if err != nil && strings.Contains(err.Error(), filepath.Dir(d.dir)) {
		d.t.Errorf("%s %v: the error names a path of the machine: %v", tool, a, err)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, func(t *testing.T) sourcetest.Source { return at(t).Source })
}

func TestThereAndBack(t *testing.T) {
	t.Parallel()
	d := at(t)
	text, a := d.ask("write", args{"path": "src/a.go", "content": "package a\n\nfunc A() {}\n"})
	if a["created"] != true || a["path"] != "src/a.go" || !strings.Contains(text, "made src/a.go, 23 bytes") {
		t.Errorf("write: %s %v", text, a)
	}
	text, a = d.ask("read", args{"path": "src/a.go"})
	if text != "package a\n\nfunc A() {}\n" || a["lines"] != 3.0 || a["next"] != nil {
		t.Errorf("read: %q %v", text, a)
	}
	text, a = d.ask("edit", args{"path": filepath.Join(d.dir, "src/a.go"), "hash": a["hash"], "edits": []args{{"oldText": "A()", "newText": "B()"}}})
	if d.disk("src/a.go") != "package a\n\nfunc B() {}\n" || a["path"] != "src/a.go" || !strings.Contains(text, "replaced 1 place in src/a.go, line 3") {
		t.Errorf("edit: %s %v", text, a)
	}
	if text, _ = d.ask("list", args{"depth": 2}); text != "src/\nsrc/a.go  23\n" {
		t.Errorf("list: %q", text)
	}
	if text, _ = d.ask("find", args{"pattern": "*.go"}); text != "src/a.go\n" {
		t.Errorf("find: %q", text)
	}
	if text, _ = d.ask("grep", args{"pattern": "func", "context": 1}); text != "src/a.go\n2- \n3: func B() {}\n" {
		t.Errorf("grep: %q", text)
	}
}
