package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pattern, yes, no string }{
		{"*.go", "a.go b/c.go b/c/d.go .go", "a.gox a.go/x"},
		{"src/*.go", "src/a.go", "a.go src/b/a.go x/src/a.go"},
		{"src/**/*.go", "src/a.go src/b/a.go src/b/c/a.go", "a.go xsrc/a.go"},
		{"**/test/**", "test/a test/a/b x/test/a", "test xtest/a"},
		{"**", "a a/b", ""},
		{"a/**", "a/b a/b/c", "a ab"},
		{"a?c", "abc a漢c x/abc", "ac abbc a/c"},
		{"[a-c]x", "ax bx", "dx x"},
		{"[!a-c]x", "dx", "ax x"},
		{"{a,b}.{go,ts}", "a.go b.ts", "c.go a.js"},
		{"{src,lib}/**/*.go", "src/a.go lib/x/a.go", "bin/a.go"},
		{"{**/a,b}/x", "a/x q/a/x b/x", "q/b/x"},
		{`\*`, "* x/*", "a"},
		{"a.b", "a.b", "axb"},
		{"(a|b)+", "(a|b)+", "a"},
		{"./a", "a x/a", "b"},
		{"a**b", "axb x/ab", "a/b"},
		{"[]]", "]", "a"},
		{"[[:alpha:]", ": a [", "x z"},
	} {
		g, err := globOf(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for p := range strings.FieldsSeq(c.yes) {
			if !g.match(p) {
				t.Errorf("%s must match %s", c.pattern, p)
			}
		}
		for p := range strings.FieldsSeq(c.no) {
			if g.match(p) {
				t.Errorf("%s must not match %s", c.pattern, p)
			}
		}
	}
	for _, bad := range []string{"", "[a", "{a", "{a,{b}", "/etc/*", "../*", "a/../../b", "[a/b]", "[z-a]", strings.Repeat("*", 513)} {
		if _, err := globOf(bad); toolcrib.KindOf(err) != toolcrib.KindInput {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// FuzzGlob: every pattern is answered, and where the standard library knows the
// same signs it says the same.
func FuzzGlob(f *testing.F) {
	f.Add("*.go", "a.go")
	f.Add("a/[!b-d]?/*", "a/xy/z")
	f.Add("{a,**/b}/**", "q/b/c")
	f.Add("{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}{a,a}", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		g, err := globOf(pattern)
		if err != nil {
			return
		}
		got := g.match(name)
		if strings.ContainsAny(pattern, `{}[]\`) || strings.Contains(pattern, "**") || strings.HasPrefix(pattern, "./") || !strings.Contains(pattern, "/") || strings.Contains(pattern, "//") {
			return
		}
		if want, err := path.Match(pattern, name); err == nil && got != want && strings.ToValidUTF8(pattern+name, "") == pattern+name {
			t.Errorf("%q, %q: %v, path.Match says %v", pattern, name, got, want)
		}
	})
}

func TestFind(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{
		"a.go": "", "src/b.go": "", "src/deep/c.go": "", "src/deep/c.ts": "", ".git/config": "", ".hidden.go": "", "node_modules/x/index.go": "", "log.txt": "", "src/gen/keep.go": "", "src/gen/z.go": "",
		".gitignore": "# comment\nnode_modules/\n/log.txt\n*.ts\n", "src/.gitignore": "gen/*\n!gen/keep.go\n",
	})
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": "*.go"}, "a.go\nsrc/b.go\nsrc/deep/c.go\nsrc/gen/keep.go\n"},
		{args{"pattern": "*.go", "ignored": true}, "a.go\nnode_modules/x/index.go\nsrc/b.go\nsrc/deep/c.go\nsrc/gen/keep.go\nsrc/gen/z.go\n"},
		{args{"pattern": "*.go", "hidden": true}, ".hidden.go\na.go\nsrc/b.go\nsrc/deep/c.go\nsrc/gen/keep.go\n"},
		{args{"pattern": "*.go", "path": "src"}, "src/b.go\nsrc/deep/c.go\nsrc/gen/keep.go\n"},
		{args{"pattern": "deep/*", "path": "./src/"}, "src/deep/c.go\nsrc/deep/c.ts\n"},
		{args{"pattern": "*", "type": "folder"}, "src/\nsrc/deep/\nsrc/gen/\n"},
		{args{"pattern": "nothing*"}, "[nothing fits]"},
		{args{"pattern": "*.go", "limit": 2}, "a.go\nsrc/b.go\n|[there may be more: raise limit or narrow the search]"},
		{args{"pattern": "log.*"}, "[nothing fits]"},
	} {
		if c.args["path"] == "./src/" {
			c.want = "src/deep/c.go\nsrc/deep/c.ts\n" // the rules above where it starts don't count
		}
		if text, _ := d.ask("find", c.args); text != c.want {
			t.Errorf("%v: %q, want %q", c.args, text, c.want)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{"b": "123", "a/x": "", "a/y/z": "", ".env": "secret", "odd\nname  99": "", "tab\tname": ""})
	d.link("nowhere", "link")
	for _, c := range []struct {
		args args
		want string
	}{
		{args{}, "a/\nb  3\nlink  (link)\n\"odd\\nname  99\"  0\n\"tab\\tname\"  0\n"},
		{args{"path": "a"}, "a/x  0\na/y/\n"},
		{args{"path": d.dir + "/a/", "depth": 2}, "a/x  0\na/y/\na/y/z  0\n"},
		{args{"hidden": true, "limit": 2}, ".env  6\na/\n|[there may be more: raise limit or narrow the search]"},
	} {
		if text, _ := d.ask("list", c.args); text != c.want {
			t.Errorf("%v: %q, want %q", c.args, text, c.want)
		}
	}
	d.refuse("list", args{"depth": 11}, toolcrib.KindInput, "depth is 1 to 10")
	d.refuse("find", args{"pattern": "*", "limit": 1001}, toolcrib.KindInput, "limit is 1 to 1000")
	d.refuse("grep", args{"pattern": "x", "context": 11}, toolcrib.KindInput, "context 0 to 10")
}

func TestGrep(t *testing.T) {
	t.Parallel()
	d := at(t).put(map[string]string{
		"a.txt": "one\ntwo\nthree\nTwo\nfive\n", "b.md": "two\r\nx\r\n", "bin": "two\x00", "latin": "tw\xf6 two\n", "long": strings.Repeat("x", 5000) + "needle" + strings.Repeat("y", 5000), "sub/c.txt": "(two)",
		".hidden": "two", "bom": "\xef\xbb\xbftwo",
	})
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": "^two$"}, "a.txt\n2: two\nb.md\n1: two\nbom\n1: two\n"},
		{args{"pattern": "two", "ignoreCase": true, "include": "a.*"}, "a.txt\n2: two\n4: Two\n"},
		{args{"pattern": "(two)", "literal": true}, "sub/c.txt\n1: (two)\n"},
		{args{"pattern": "two", "path": "latin"}, "latin\n1: tw\uFFFD two\n"},
		{args{"pattern": "t", "path": "a.txt", "context": 1}, "a.txt\n1- one\n2: two\n3: three\n4- Two\n5- five\n"},
		{args{"pattern": "three", "path": "a.txt", "context": 1}, "a.txt\n2- two\n3: three\n4- Two\n"},
		{args{"pattern": "two|three|five", "path": "a.txt", "context": 1}, "a.txt\n1- one\n2: two\n3: three\n4- Two\n5: five\n"},
		{args{"pattern": "two", "include": "sub/*"}, "sub/c.txt\n1: (two)\n"},
		{args{"pattern": "zzz"}, "[no match in 6 text files]"},
		{args{"pattern": "two", "limit": 1}, "a.txt\n2: two\n|[there may be more: raise limit or narrow the search]"},
	} {
		if c.args["pattern"] == "t" {
			c.want = "a.txt\n1- one\n2: two\n3: three\n4- Two\n"
		}
		if text, _ := d.ask("grep", c.args); text != c.want {
			t.Errorf("%v: %q, want %q", c.args, text, c.want)
		}
	}
	text, a := d.ask("grep", args{"pattern": "needle"})
	if len(text) > 450 || !strings.Contains(text, "…") || !strings.Contains(text, "needle") || a["binary"] != 1.0 || a["files"] != 6.0 {
		t.Errorf("%q %v", text, a)
	}
	d.refuse("grep", args{"pattern": "(?=x)"}, toolcrib.KindInput, "no regular expression")
	d.refuse("grep", args{"pattern": "x", "include": "[a"}, toolcrib.KindInput, "[ without")
}

func TestWalksAreBounded(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range 60 {
		many[fmt.Sprintf("d%02d/file-with-a-long-name-%d", i%6, i)] = strings.Repeat("text ", 50)
	}
	deep := strings.Repeat("d/", 30) + "bottom"
	for _, c := range []struct {
		name string
		set  func(*Options)
		want string
	}{
		{"entries", func(o *Options) { o.Bounds.Entries = 20 }, "entries"},
		{"folder", func(o *Options) { o.Bounds.FolderEntries = 4 }, "entries"},
		{"time", func(o *Options) { o.Bounds.Time = time.Nanosecond }, "time"},
		{"reply", func(o *Options) { o.ReplyBytes = func() int { return 2500 } }, "reply"},
	} {
		d := at(t, c.set).put(many)
		for tool, a := range map[string]args{"list": {"depth": 10}, "find": {"pattern": "*"}, "grep": {"pattern": "text"}} {
			text, got := d.ask(tool, a)
			if got["stopped"] != c.want || !strings.Contains(text, stopWords[c.want]) {
				t.Errorf("%s, %s: stopped %v, %q", c.name, tool, got["stopped"], text)
			}
		}
	}
	d := at(t, func(o *Options) { o.Bounds.SearchBytes = 1000 }).put(many)
	if _, got := d.ask("grep", args{"pattern": "nothing"}); got["stopped"] != "bytes" {
		t.Errorf("grep: %v", got)
	}
	d = at(t, func(o *Options) { o.Bounds.Depth = 10 }).put(map[string]string{deep: "x"})
	if text, _ := d.ask("find", args{"pattern": "**"}); strings.Count(text, "\n") != 10 {
		t.Errorf("find goes %d deep", strings.Count(text, "\n"))
	}
	d.refuse("read", args{"path": deep}, toolcrib.KindInput, "more than 10 names")
}

// TestAnswersFit: answers that say that they're full are nearly so, and none is larger than it may be.
func TestAnswersFit(t *testing.T) {
	t.Parallel()
	const most = 20_000
	d := at(t, func(o *Options) { o.ReplyBytes = func() int { return most } })
	many := map[string]string{}
	for i := range 900 {
		many[fmt.Sprintf("folder \"q\"/%03d 漢", i)] = "some text \\ with \"quotes\" \u2028\n" + strings.Repeat("z", i)
	}
	d.put(many)
	for tool, a := range map[string]args{"list": {"depth": 10, "limit": 1000}, "find": {"pattern": "*", "limit": 1000}, "grep": {"pattern": "text", "limit": 1000, "context": 2}} {
		r, err := d.try(tool, a)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil || b.Len() > most || b.Len() < most*6/10 || !strings.Contains(b.String(), `"stopped":"reply"`) {
			t.Errorf("%s: %d bytes, %v", tool, b.Len(), err)
		}
	}
}
