package json5

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// plain turns a tree into Go values that a table can write down.
func plain(n *Node) any {
	switch n.Kind {
	case Bool:
		return n.Bool
	case Number:
		return n.Number
	case String:
		return n.Text
	case Array:
		out := []any{}
		for _, item := range n.Items {
			out = append(out, plain(item))
		}
		return out
	case Object:
		out := map[string]any{}
		for _, m := range n.Members {
			out[m.Key] = plain(m.Value)
		}
		return out
	}
	return nil
}

func TestParseAcceptsTheGrammar(t *testing.T) {
	type list = []any
	type object = map[string]any
	for text, want := range map[string]any{
		`null`: nil, `true`: true, `false`: false,
		"\ufeff 1 ": 1.0, "\v\f\u00a0\u2003\t1\r\n": 1.0,
		`// c` + "\n1": 1.0, "// c\u20281": 1.0, `/* a * / ** */1/**/`: 1.0, `1//`: 1.0, "1 // \xff": 1.0,

		`0`: 0.0, `12`: 12.0, `+1`: 1.0, `-1`: -1.0, `-0`: math.Copysign(0, -1), `.5`: .5, `5.`: 5.0, `5.e1`: 50.0,
		`-.5E-1`: -.05, `1e3`: 1000.0, `1E+3`: 1000.0, `0x1F`: 31.0, `0XaB`: 171.0, `-0x10`: -16.0, `+0x0`: 0.0,
		`0xFFFFFFFFFFFFFFFFFF`: 4722366482869645213695.0, `0x` + strings.Repeat("f", 300): math.Inf(1),
		`Infinity`: math.Inf(1), `+Infinity`: math.Inf(1), `-Infinity`: math.Inf(-1), `NaN`: math.NaN(), `-NaN`: math.NaN(),
		`1e999`: math.Inf(1), `0.0`: 0.0,

		`""`: "", `'a"b'`: `a"b`, `"a'b"`: `a'b`, `'\''`: `'`, `"\b\f\n\r\t\v\0\\\/\"\a\'"`: "\b\f\n\r\t\v\x00\\/\"a'",
		`"\x41\u00e9"`: "Aé", `"\uD83D\uDE00"`: "😀", `"\uD83Dx"`: "\ufffdx", `"\uD83D\u0041"`: "\ufffdA", `"\uDE00"`: "\ufffd",
		"'a\\\nb'": "ab", "'a\\\r\nb'": "ab", "'a\\\rb'": "ab", "'a\\\u2028b'": "ab", "'a\u2028\tb'": "a\u2028\tb",
		`"é\é"`: "éé",

		`[]`: list{}, `[1,]`: list{1.0}, `[1,[2],{a:3}]`: list{1.0, list{2.0}, object{"a": 3.0}},
		`{}`: object{}, `{a:1,}`: object{"a": 1.0}, `{'a b':1,"c":2}`: object{"a b": 1.0, "c": 2.0},
		`{$_a1:1, ünï:2}`: object{"$_a1": 1.0, "ünï": 2.0}, `{\u0061b:3, a\u200Cb:1}`: object{"ab": 3.0, "a\u200cb": 1.0},
		`{null:1,true:2,Infinity:3,NaN:4,if:5}`: object{"null": 1.0, "true": 2.0, "Infinity": 3.0, "NaN": 4.0, "if": 5.0},
		`{"":1,__proto__:2}`:                    object{"": 1.0, "__proto__": 2.0}, `{ℵ:1}`: object{"ℵ": 1.0},
		"{a:1 /*x*/ , // y\n b:2}": object{"a": 1.0, "b": 2.0},
	} {
		n, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, plain(n), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 1, column 1: found the end of the file, expected a value"},
		{" // only\n", "line 2, column 1: found the end of the file, expected a value"},
		{"{", `line 1, column 2: found the end of the file, expected "}", to close what was opened in line 1, column 1`},
		{"{\n  a: [1,\n", `line 3, column 1: found the end of the file, expected "]", to close what was opened in line 2, column 6`},
		{"{a:1 b:2}", `line 1, column 6: found a bare word, expected "," or "}"`},
		{"[1 2]", `line 1, column 4: found a number, expected "," or "]"`},
		{"[1}", `line 1, column 3: found "}", expected "," or "]"`},
		{"[,]", `line 1, column 2: found ",", expected a value`},
		{"{,}", `line 1, column 2: found ",", expected a key or "}"`},
		{"{a}", `line 1, column 3: found "}", expected ":" after the key`},
		{"{a:}", `line 1, column 4: found "}", expected a value`},
		{"{1:2}", `line 1, column 2: found a number, expected a key or "}"`},
		{"{a:hunter2}", "line 1, column 4: found a bare word, expected a value (text needs quotes)"},
		{"truely", "line 1, column 1: found a bare word, expected a value (text needs quotes)"},
		{"1 2", "line 1, column 3: found a number, expected the end of the file after the one value"},
		{"'hunter2", `line 1, column 1: found a string that does not end on its line, expected a closing ' (or a \ at the end of the line to go on)`},
		{"'a\nb'", `line 1, column 1: found a string that does not end on its line, expected a closing ' (or a \ at the end of the line to go on)`},
		{"/* a", `line 1, column 1: found a comment "/*" that never ends, expected "*/" after it`},
		{"/", `line 1, column 1: found "/", expected a value`},
		{"010", "line 1, column 1: found a number that begins with 0, expected a number without leading zeros"},
		{"1a", `line 1, column 2: found a bare word right behind a number, expected ",", "}", "]" or white space`},
		{"0x", "line 1, column 3: found the end of the file, expected a hexadecimal digit after 0x"},
		{"+", "line 1, column 2: found the end of the file, expected a digit"},
		{".", "line 1, column 2: found the end of the file, expected a digit"},
		{"1e", "line 1, column 3: found the end of the file, expected a digit of the exponent"},
		{"++1", `line 1, column 2: found "+", expected a digit`},
		{`"\1"`, `line 1, column 2: found an octal escape, expected \xHH or \uHHHH`},
		{`"\00"`, `line 1, column 2: found an octal escape, expected \xHH or \uHHHH`},
		{`"\x4"`, `line 1, column 2: found an escape that is cut short, expected \x and two hexadecimal digits`},
		{`"\u12"`, `line 1, column 2: found an escape that is cut short, expected \u and four hexadecimal digits`},
		{`{\x61:1}`, `line 1, column 2: found a \ in an unquoted key, expected \u and four hexadecimal digits, or quotes around the key`},
		{`{a\u002d:1}`, `line 1, column 3: found an escape for a character that an unquoted key can't hold, expected quotes around the key`},
		{`{\u0031:1}`, `line 1, column 2: found an escape for a character that an unquoted key can't hold, expected quotes around the key`},
		{"{é: '\xff'}", "line 1, column 6: found the byte 0xFF, which is not UTF-8, expected UTF-8 text"},
		{"\x00", "line 1, column 1: found the character U+0000, expected a value"},
		{"[\r\n\r\n  @]", `line 3, column 3: found "@", expected a value`},
		{"[\r\r]x", `line 3, column 2: found a bare word, expected the end of the file after the one value`},
		{"{\n a: 1,\n b: {},\n 'a': 2}", `line 4, column 2: the key "a" stands twice, first in line 2 and again in line 4; keep one`},
	} {
		_, err := Parse([]byte(c.text))
		if err == nil {
			t.Errorf("Parse(%q) accepted it", c.text)
		} else if err.Error() != c.want {
			t.Errorf("Parse(%q)\n got %s\nwant %s", c.text, err, c.want)
		}
	}
}

func TestParseGivesAllTwiceKeysAndTheTree(t *testing.T) {
	n, err := Parse([]byte("{a:1,\na:2,\nb:{c:1,\nc:2}}"))
	var errs Errors
	if !errors.As(err, &errs) || len(errs) != 2 {
		t.Fatalf("want two errors, got %v", err)
	}
	if n == nil || len(n.Members) != 3 || n.Get("a").Number != 1 {
		t.Fatalf("the tree is not whole: %+v", n)
	}
	var one *Error
	if !errors.As(err, &one) || one.Pos.Line != 2 {
		t.Errorf("want the first error in line 2, got %v", one)
	}
}

func TestParseKeepsItsBounds(t *testing.T) {
	nest := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := Parse(nest(MaxDepth)); err != nil {
		t.Errorf("%d levels: %v", MaxDepth, err)
	}
	for name, text := range map[string][]byte{
		"levels":   nest(MaxDepth + 1),
		"openings": []byte(strings.Repeat("{a:", 1_000_000)),
		"values":   []byte("[" + strings.Repeat("0,", MaxValues) + "]"),
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), "found more than") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPositions(t *testing.T) {
	text := "\ufeff{\r\n  // é\r\n  ключ: \"значение\", 'b': [ -.5, {} ],\n}"
	n, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var walk func(n *Node)
	show := func(a, b Pos) string {
		return fmt.Sprintf("%d:%d-%d:%d %s", a.Line, a.Column, b.Line, b.Column, text[a.Offset:b.Offset])
	}
	walk = func(n *Node) {
		if len(n.Members)+len(n.Items) == 0 {
			got = append(got, show(n.Start, n.End))
		}
		for _, m := range n.Members {
			got = append(got, show(m.KeyStart, m.KeyEnd))
			walk(m.Value)
		}
		for _, item := range n.Items {
			walk(item)
		}
	}
	walk(n)
	want := []string{"3:3-3:7 ключ", `3:9-3:19 "значение"`, "3:21-3:24 'b'", "3:28-3:31 -.5", "3:33-3:35 {}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n.Start.Column != 2 || n.End.Line != 4 || n.End.Offset != len(text) {
		t.Errorf("root stands at %+v to %+v", n.Start, n.End)
	}
}

func TestErrorsQuoteNoText(t *testing.T) {
	for _, text := range []string{
		"{token: hunter2}", "{token: 'hunter2}", "{token: 1 'hunter2'}", "{token 'hunter2'}", "'hunter2' 'hunter2'",
		`{token: 'hunter2\9'}`, "{token: 'x' hunter2", "[hunter2\\u12]",
	} {
		if _, err := Parse([]byte(text)); err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[1,]", `{a:'b',"c":[null,true,-Infinity,NaN,0x1f,.5,5.,1e3]}`, "// c\n/* d */{\\u0061:'\\\r\n\\x41\\uD83D\\uDE00'}",
		"{a:1,a:2}", "\ufeff'\u2028'", "[[[[", "{'\xff':1}", "{a\\u200d:+0}", "'\\0'",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := Parse(text)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		checkSlices(t, text, n)
	})
}

// checkSlices parses the source slice of each value and key again and wants the same back.
func checkSlices(t *testing.T, text []byte, n *Node) {
	t.Helper()
	again, err := Parse(text[n.Start.Offset:n.End.Offset])
	if err != nil {
		t.Fatalf("the slice of %v does not parse: %v", n, err)
	}
	if diff := cmp.Diff(plain(n), plain(again), cmpopts.EquateNaNs()); diff != "" {
		t.Fatalf("the slice says something else (-whole +slice):\n%s", diff)
	}
	for _, m := range n.Members {
		key := "{" + string(text[m.KeyStart.Offset:m.KeyEnd.Offset]) + ":0}"
		o, err := Parse([]byte(key))
		if err != nil || o.Members[0].Key != m.Key {
			t.Fatalf("the slice of key %q is %q: %v", m.Key, key, err)
		}
	}
	if n.Kind == Object || n.Kind == Array {
		for _, m := range n.Members {
			checkSlices(t, text, m.Value)
		}
		for _, item := range n.Items {
			checkSlices(t, text, item)
		}
	}
}
