package files

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
)

func TestReadText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 20_000)
	d := at(t).put(map[string]string{
		"lines": "one\ntwo\nthree", "crlf": "a\r\nb\r\n", "mixed": "a\r\nb\nc\r\n", "bom": "\xef\xbb\xbfx\n", "empty": "", "latin": "caf\xe9 cr\xe8me\n", "long": long, "grüße": "ä\n",
		"newline": "\n",
	})
	for _, c := range []struct {
		args args
		text string
		want args
	}{
		{args{"path": "lines"}, "one\ntwo\nthree", args{"lines": 3, "total": 3, "lineEnds": "lf"}},
		{args{"path": "lines", "offset": 2, "limit": 1}, "two\n|[lines 2 to 2 of 3; go on with offset 3]", args{"offset": 2, "lines": 1, "total": 3, "next": 3}},
		{args{"path": "lines", "offset": 2}, "two\nthree", args{"offset": 2, "lines": 2}},
		{args{"path": "lines", "numbers": true, "offset": 3}, "3\tthree", args{"lines": 1}},
		{args{"path": "lines", "offset": 3, "column": 3}, "ree", args{"lines": 1}},
		{args{"path": "crlf"}, "a\nb\n", args{"lineEnds": "crlf", "lines": 2, "bytes": 6}},
		{args{"path": "mixed"}, "a\r\nb\nc\r\n", args{"lineEnds": "mixed"}},
		{args{"path": "bom"}, "x\n", args{"bom": true}},
		{args{"path": "empty"}, "[the file is empty]", args{"lines": 0, "total": 0, "lineEnds": "none"}},
		{args{"path": "newline"}, "\n", args{"lines": 1, "total": 1}},
		{args{"path": "latin"}, "caf\uFFFD cr\uFFFDme\n", args{"invalid": true}},
		{args{"path": "./grüße"}, "ä\n", args{"path": "grüße"}},
	} {
		text, got := d.ask("read", c.args)
		if text != c.text {
			t.Errorf("%v: %q, want %q", c.args, text, c.text)
		}
		for key, want := range c.want {
			if fmt.Sprint(got[key]) != fmt.Sprint(want) {
				t.Errorf("%v: %s is %v, want %v", c.args, key, got[key], want)
			}
		}
	}
	d.refuse("read", args{"path": "lines", "offset": 4}, toolcrib.KindInput, "lines has 3 lines")
	d.refuse("read", args{"path": "lines", "column": 9}, toolcrib.KindInput, "line 1 of lines has 3 bytes")
	d.refuse("read", args{"path": "lines", "offset": 0}, toolcrib.KindInput, "offset and column are 1 or more")
	d.refuse("read", args{"path": "lines", "limit": 99999}, toolcrib.KindInput, "limit 1 to 10000")
}

// TestPiecesMakeTheWhole: following next and nextColumn gives every byte once,
// whatever the lines are like, and no answer is larger than it may be.
func TestPiecesMakeTheWhole(t *testing.T) {
	t.Parallel()
	const most = 3000
	d := at(t, func(o *Options) { o.ReplyBytes = func() int { return most } })
	for name, whole := range map[string]string{
		"one line": strings.Repeat("漢字🙂", 2000), "many": strings.Repeat("line of text \"quoted\"\n", 500), "blank": strings.Repeat("\n", 5000),
		"wild": strings.Repeat(strings.Repeat("x", 2500)+"\n\n\t\\\n", 7), "control": "a" + strings.Repeat("\x1b", 900) + strings.Repeat("text ", 5000),
	} {
		d.put(map[string]string{"file": whole})
		var got strings.Builder
		next := args{"path": "file"}
		for range 1000 {
			r, err := d.try("read", next)
			if err != nil {
				t.Fatalf("%s %v: %v", name, next, err)
			}
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(r); err != nil || b.Len() > most {
				t.Errorf("%s: an answer has %d bytes, %v", name, b.Len(), err)
			}
			got.WriteString(r.Content[0].Text)
			var a fileAnswer
			if err := json.Unmarshal(r.Details, &a); err != nil {
				t.Fatal(err)
			}
			if a.Next == 0 {
				break
			}
			next = args{"path": "file", "offset": a.Next, "column": max(a.NextColumn, 1)}
		}
		if got.String() != whole {
			t.Errorf("%s: the pieces make %d bytes, the file has %d", name, got.Len(), len(whole))
		}
	}
}

func TestReadBinary(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	d := at(t, func(o *Options) { o.Bounds.ImageBytes = 200 }).put(map[string]string{
		"a.png": picture.String(), "big.png": picture.String() + strings.Repeat("x", 200), "prog": "\x7fELF\x02\x01\x01\x00", "zip": "PK\x03\x04\x00\x00", "pdf": "%PDF-1.7\n%text",
		"nul": "text\x00text", "utf16": "\xff\xfeh\x00i\x00", "noise": "\x01\x02\x03\x04\x05\x06", "db": "SQLite format 3\x00", "gz": "\x1f\x8b\x08\x00\x00\x00",
		"bmw": "BMW is a maker of cars\n", "html": "<html><body>", "json": "{}", "ansi": "\x1b[31mred\x1b[0m\n",
	})
	for name, want := range map[string]string{
		"prog": "prog is a program, 8 bytes", "zip": "application/zip", "pdf": "application/pdf", "nul": "binary data", "utf16": "text in UTF-16", "noise": "binary data", "db": "an SQLite database", "gz": "gzip",
	} {
		d.refuse("read", args{"path": name}, toolcrib.KindTool, want)
		if name != "utf16" {
			d.refuse("edit", args{"path": name, "edits": []args{{"oldText": "t", "newText": ""}}}, toolcrib.KindTool, "only text can be edited")
		}
	}
	for _, name := range []string{"bmw", "html", "json", "ansi"} {
		if _, a := d.ask("read", args{"path": name}); a["kind"] != "text" {
			t.Errorf("%s: %v", name, a)
		}
	}
	d.refuse("read", args{"path": "big.png"}, toolcrib.KindLimit, "at most 200 can be shown")
	r, err := d.try("read", args{"path": "a.png"})
	if err != nil || len(r.Content) != 1 || r.Content[0].Type != "image" || !strings.Contains(string(r.Content[0].Raw), `"mimeType":"image/png"`) {
		t.Errorf("image: %+v, %v", r, err)
	}
}

func TestLargeFilesAreReadAtTheStart(t *testing.T) {
	t.Parallel()
	d := at(t, func(o *Options) { o.Bounds.FileBytes = 1000 }).put(map[string]string{"log": strings.Repeat("012345678\n", 200)})
	text, a := d.ask("read", args{"path": "log", "offset": 95})
	if a["hash"] != nil || a["total"] != nil || a["lines"] != 6.0 || !strings.HasSuffix(text, "[only the start of 2000 bytes can be read; grep searches it]") {
		t.Errorf("%q %v", text, a)
	}
	d.refuse("read", args{"path": "log", "offset": 150}, toolcrib.KindInput, "in the part that can be read")
	d.refuse("edit", args{"path": "log", "edits": []args{{"oldText": "0", "newText": "1"}}}, toolcrib.KindLimit, "at most 1000 can be edited")
	if _, a := d.ask("grep", args{"pattern": "zzz"}); a["partly"] != 1.0 {
		t.Errorf("grep: %v", a)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"file": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	w, err := d.open(toolcrib.Scope{}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	cancel()
	if _, err := d.list(ctx, toolcrib.Call{}, listArgs{}); !errors.Is(err, context.Canceled) {
		t.Errorf("list: %v", err)
	}
	if _, err := d.grep(ctx, toolcrib.Call{}, grepArgs{Pattern: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("grep: %v", err)
	}
	if _, err := d.write(ctx, toolcrib.Call{}, writeArgs{Path: "new"}); !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v", err)
	}
	d.changing <- struct{}{}
	if _, err := d.edit(ctx, toolcrib.Call{}, editArgs{Path: "file", Edits: []replacement{{"x", "y", false}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("edit, while another call changes a file: %v", err)
	}
	<-d.changing
	if text, _ := d.ask("list", args{"hidden": true}); text != "file  1\n" {
		t.Errorf("left over: %q", text)
	}
}
