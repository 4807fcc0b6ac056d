package config

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// comments lists the comments of a text with where they stand.
func comments(text string) []cut {
	var out []cut
	for i := 0; i < len(text); i++ {
		from := i
		switch {
		case text[i] == '"', text[i] == '\'':
			for i++; text[i] != text[from]; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' && text[i] != '\r' {
				i++
			}
			out = append(out, cut{from, i, text[from:i]})
		case strings.HasPrefix(text[i:], "/*"):
			i += 2 + strings.Index(text[i+2:], "*/") + 1
			out = append(out, cut{from, i + 1, text[from : i+1]})
		}
	}
	return out
}

// outside are the comments that don't stand in text[from:to].
func outside(text string, from, to int) []string {
	var out []string
	for _, c := range comments(text) {
		if c.from < from || c.from >= to {
			out = append(out, c.text)
		}
	}
	return out
}

// span is what of the text belongs to the value at steps: with its key, and for
// one that goes away up to the end of its line.
func span(t *testing.T, text string, steps []json5.Step, goes bool) (from, to int) {
	t.Helper()
	root, err := json5.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	n := json5.Find(root, steps)
	if n == nil {
		return 0, 0
	}
	from, to = n.Start.Offset, n.End.Offset
	if !goes {
		return from, to
	}
	for _, m := range json5.Find(root, steps[:len(steps)-1]).Members {
		if m.Value == n {
			from = m.KeyStart.Offset
		}
	}
	if comma := passed(text, to, " \t\r\n"); text[comma] == ',' {
		to = comma + 1
	}
	alone := strings.TrimLeft(text[strings.LastIndexByte(text[:from], '\n')+1:from], " \t") == ""
	if end := passed(text, to, " \t"); alone && strings.ContainsRune("\r\n", rune(text[end])) {
		to = end
	}
	return from, to
}

// passed is the offset behind the comments and the spaces that stand at an offset.
func passed(text string, at int, spaces string) int {
	for _, c := range comments(text) {
		if c.from < at {
			continue
		}
		if strings.Trim(text[at:c.from], spaces) != "" || spaces == " \t" && strings.Contains(c.text, "\n") {
			break
		}
		at = c.to
	}
	return len(text) - len(strings.TrimLeft(text[at:], spaces))
}

// longEdit is one random edit of the long file, and what it should lead to.
type longEdit struct{ path, value, want string }

// someEdit chooses a key to set or, without a value, one to take away.
func someEdit(r *rand.Rand, f *file) longEdit {
	var all []string
	var walk func(v *value, path string)
	count := 0
	add := func(v *value, path string) {
		count++
		if len(v.items)+len(v.fields) < 7 && strings.ContainsAny(path, ".[") { // else it would soon be empty
			all = append(all, path)
		}
		walk(v, path)
	}
	walk = func(v *value, path string) {
		for i, item := range v.items {
			add(item, itemPath(path, i))
		}
		for _, field := range v.fields {
			add(field.val, joinPath(path, field.key))
		}
	}
	walk(f.root, "")
	servers := f.root.get("mcp").get("servers")
	if r.IntN(3) == 0 && count > 150 {
		return longEdit{path: all[r.IntN(len(all))]}
	}
	name := "made" + fmt.Sprint(r.IntN(12))
	if servers != nil && len(servers.fields) > 0 && r.IntN(4) > 0 {
		name = servers.fields[r.IntN(len(servers.fields))].key
	}
	server := joinPath("mcp.servers", name)
	choices := []longEdit{
		{server, `{command: "x", args: ["a", 'b'], env: {A: 1}}`, ""},
		{server + ".enabled", "false", "false"},
		{server + ".timeoutMs", "31000", "31000"},
		{server + ".env.NAME" + fmt.Sprint(r.IntN(20)), "it's", `"it's"`},
		{server + ".allow", "a,b", ""},
		{server + ".scope", "session", `"session"`},
		{server + `.headers["X-Any"]`, "1", `"1"`},
		{server + ".trusted", "true", "true"},
		{server + ".trustHints", "false", "false"},
		{"tools.toolSearch.mode", "code", `"code"`},
		{"tools.toolSearch.directory.untrusted", "full", `"full"`},
		{"tools.toolSearch.codeTimeoutMs", "20000", "20000"},
		{"tools.toolSearch", "true", ""},
		{"tools.maxResultBytes", "4096", "4096"},
		{"tools.deny", "['x', \"y\"]", ""},
		{"tools.allow[0]", "z*", `"z*"`},
		{"log.level", "debug", `"debug"`},
		{"gateway.allowedHosts[0]", "h", `"h"`},
		{"agents.list[0].tools.toolSearch.mode", "tools", `"tools"`},
		{"agents.list[1].tools.deny", "q", ""},
		{"gateway.allowedOrigins", `["https://a.example"]`, ""},
		{fmt.Sprintf("agents.list[%d]", min(12, len(itemsOf(f.root.get("agents").get("list"))))), fmt.Sprintf("{id: 'agent%d'}", r.IntN(1e6)), ""},
		{fmt.Sprintf("tools.deny[%d]", min(8, len(itemsOf(f.root.get("tools").get("deny"))))), "more*", `"more*"`},
	}
	return choices[r.IntN(len(choices))]
}

func itemsOf(v *value) []*value {
	if v == nil {
		return nil
	}
	return v.items
}

// TestThousandEdits edits a long file that people have written, and wants every
// comment and every line that an edit has no business with to stay.
func TestThousandEdits(t *testing.T) {
	text, err := os.ReadFile("testdata/long.json5")
	if err != nil {
		t.Fatal(err)
	}
	for newline, many := range map[string]int{"\n": 1000, "\r\n": 100} {
		t.Run(fmt.Sprintf("%q", newline), func(t *testing.T) {
			o := write(t, strings.ReplaceAll(string(text), "\n", newline))
			r := rand.New(rand.NewPCG(4, 2026))
			counts := map[string]int{}
			for done := 0; done < many; {
				f, err := openFile(o)
				if err != nil {
					t.Fatal(err)
				}
				edit := someEdit(r, f)
				kind := editOnce(t, o, f, edit)
				counts[kind]++
				if kind != "refused" {
					done++
				}
			}
			t.Log(counts)
			if counts["unset"] < many/7 || counts["added"] < many/7 || counts["replaced"] < many/7 {
				t.Errorf("the edits are too much alike: %v", counts)
			}
		})
	}
}

// editOnce carries an edit out and checks all that it should have left alone.
func editOnce(t *testing.T, o Options, f *file, edit longEdit) string {
	t.Helper()
	run := func() (*Edited, error) { return EditSet(o, edit.path, edit.value) }
	if edit.value == "" {
		run = func() (*Edited, error) { return EditUnset(o, edit.path) }
	}
	before := string(f.text)
	e, err := Update(run)
	if err != nil {
		var known *toolcrib.Error
		if now, _ := os.ReadFile(o.Path); string(now) != before || !errors.As(err, &known) {
			t.Fatalf("%v: refused with %v, and the file is another", edit, err)
		}
		return "refused"
	}
	c, _, err := Load(o)
	if err != nil {
		t.Fatalf("%v: the outcome does not load: %v\n%s", edit, err, e.Diff())
	}
	target, err := f.resolve(edit.path, true)
	if err != nil {
		t.Fatal(err)
	}
	steps := target.steps
	if target.short >= 0 {
		steps = steps[:target.short]
	}
	from, to := span(t, before, steps, edit.value == "")
	untouched(t, edit, e, from, to)
	if edit.want != "" {
		if got, err := c.Get(edit.path); err != nil || strings.TrimSpace(string(got)) != edit.want {
			t.Fatalf("%v: it is %s %v", edit, got, err)
		}
	}
	switch {
	case edit.value == "":
		return "unset"
	case to > 0:
		return "replaced"
	}
	return "added"
}

// untouched wants all comments and lines but those of before[from:to].
func untouched(t *testing.T, edit longEdit, e *Edited, from, to int) {
	t.Helper()
	before, after := string(e.Before), string(e.After)
	want := outside(before, from, to)
	var got []string
	for _, c := range comments(after) {
		got = append(got, c.text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%v: comments (-want +got):\n%s\n%s", edit, diff, e.Diff())
	}
	strange, most := 0, 1 // the neighbour, which gets or loses a comma
	switch {
	case to == 0:
		strange = beside(t, edit, e)
	case edit.value == "":
		most = 2 // the brackets, which close up when nothing is left between them
		fallthrough
	default:
		strange = around(t, edit, e, strings.Count(before[:from], "\n"), strings.Count(before[:to], "\n"))
	}
	if strange > most {
		t.Fatalf("%v: %d lines of others changed\n%s", edit, strange, e.Diff())
	}
}

// beside counts the lines that changed where something was added.
func beside(t *testing.T, edit longEdit, e *Edited) int {
	t.Helper()
	script := (differ{before: splitLines(e.Before), after: splitLines(e.After)}).script()
	var came strings.Builder
	for _, l := range script {
		if l.sign == '+' {
			came.WriteString(l.text)
		}
	}
	strange := 0
	for _, l := range script {
		if l.sign == '-' {
			strange++
			if !subsequence(l.text, came.String()) {
				t.Fatalf("%v: the line %q went away\n%s", edit, l.text, e.Diff())
			}
		}
	}
	return strange
}

// around counts the lines that changed before the line first and behind the line last.
func around(t *testing.T, edit longEdit, e *Edited, first, last int) int {
	t.Helper()
	old, now := splitLines(e.Before), splitLines(e.After)
	strange := 0
	for i, line := range old {
		j := i
		if i > last {
			j = len(now) - (len(old) - i)
		}
		if (i < first || i > last) && now[j] != line {
			strange++
			if !subsequence(line, now[j]) && !subsequence(now[j], line) {
				t.Fatalf("%v: the line %q became %q\n%s", edit, line, now[j], e.Diff())
			}
		}
	}
	return strange
}

// subsequence reports whether a is left of b when characters are taken away.
func subsequence(a, b string) bool {
	for i := 0; i < len(b) && a != ""; i++ {
		if a[0] == b[i] {
			a = a[1:]
		}
	}
	return a == ""
}
