package json5

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// steps reads a path such as "a.b.0": a number is an item.
func steps(path string) []Step {
	var out []Step
	for s := range strings.SplitSeq(path, ".") {
		if i := strings.Index("0123456789", s); i >= 0 && len(s) == 1 {
			out = append(out, Item(i))
		} else {
			out = append(out, Key(s))
		}
	}
	return out
}

func TestSet(t *testing.T) {
	for _, tt := range []struct{ text, path, value, want string }{
		{"", "a", "1", "{\n  a: 1,\n}\n"},
		{"// c", "a.b", "1", "// c\n{\n  a: {\n    b: 1,\n  },\n}\n"},
		{"\ufeff// c\r\n", "a", "1", "\ufeff// c\r\n{\r\n  a: 1,\r\n}\r\n"},
		{"{}", "a", "1", "{\n  a: 1,\n}"},
		{"{a: 1}", "a", "2", "{a: 2}"},
		{"{a: 1}", "b", "2", "{a: 1, b: 2}"},
		{"{a:1,b:2}", "c", "3", "{a:1,b:2,c:3}"},
		{"{ 'a': 1, }", "b", "2", "{ 'a': 1, 'b': 2, }"},
		{`{"a":1}`, "b.c", "2", `{"a":1,"b":{"c":2}}`},
		{"{\n\ta: 1 // one\n\t// end\n}", "b", "2", "{\n\ta: 1, // one\n\tb: 2\n\t// end\n}"},
		{"{\n\ta: 1 // one\n\t, // two\n}", "b", "2", "{\n\ta: 1 // one\n\t, // two\n\tb: 2,\n}"},
		{"{\r\n a: 1,\r\n}", "b", "{c: 1, d: [1, 2]}", "{\r\n a: 1,\r\n b: {\r\n  c: 1,\r\n  d: [1, 2],\r\n },\r\n}"},
		{"{\r a: 1\r}", "b", "2", "{\r a: 1,\r b: 2\r}"},
		{"{\n  a: {}, // x\n}", "a.b", "1", "{\n  a: {\n    b: 1,\n  }, // x\n}"},
		{"{\n  a: { /* x */ },\n}", "a.b", "1", "{\n  a: { /* x */ b: 1 },\n}"},
		{"{\n  a: {\n      // x\n  }\n}", "a.b", "1", "{\n  a: {\n      // x\n      b: 1\n  }\n}"},
		{"{\n  a: [], b: 'y',\n}", "a.0", `"x"`, "{\n  a: ['x'], b: 'y',\n}"},
		{"{\n  a: [],\n}", "a.0", "{b: 1}", "{\n  a: [\n    {\n      b: 1,\n    },\n  ],\n}"},
		{"{a: [1, 2]}", "a.2", "3", "{a: [1, 2, 3]}"},
		{"{a: [1, 2]}", "a.0", "3", "{a: [3, 2]}"},
		{"{a: null}", "a.b", "3", "{a: {b: 3}}"},
		{"{a /*x*/ : /*y*/ 1 /*z*/}", "a", "2", "{a /*x*/ : /*y*/ 2 /*z*/}"},
		{"{\n  'a b': 1\n}", "c", "'it'", "{\n  'a b': 1,\n  'c': 'it'\n}"},
		{"{a: 1}", "b c", `"x"`, `{a: 1, "b c": "x"}`},
		{"{\n  a: {b: 1},\n}", "a", "{c: 2}", "{\n  a: {c: 2},\n}"},
	} {
		got, err := Set([]byte(tt.text), steps(tt.path), []byte(tt.value), Style{Pretty: true})
		if err != nil || string(got) != tt.want {
			t.Errorf("Set(%q, %s, %s):\ngot  %q %v\nwant %q", tt.text, tt.path, tt.value, got, err, tt.want)
		}
	}
}

func TestSetStrict(t *testing.T) {
	for _, tt := range []struct{ text, path, value, want string }{
		{"", "a", "'x'", "{\n  \"a\": \"x\"\n}\n"},
		{"{\n    // c\n    \"a\": 1,\n}\n", "b", "[0x10, +1, .5,]", "{\n    // c\n    \"a\": 1,\n    \"b\": [16, 1, 0.5],\n}\n"},
		{"{a: 1}", "b", `{"c":"'"}`, `{a: 1, "b": {"c":"'"}}`},
	} {
		got, err := Set([]byte(tt.text), steps(tt.path), []byte(tt.value), Style{Strict: true})
		if err != nil || string(got) != tt.want {
			t.Errorf("Set(%q, %s, %s):\ngot  %q %v\nwant %q", tt.text, tt.path, tt.value, got, err, tt.want)
		}
	}
	if _, err := Set(nil, steps("a"), []byte("[NaN]"), Style{Strict: true}); !errors.Is(err, ErrNotJSON) {
		t.Errorf("NaN: %v", err)
	}
}

func TestUnset(t *testing.T) {
	for _, tt := range []struct{ text, path, want string }{
		{"{a: 1}", "a", "{}"},
		{"{ a: 1 }", "a", "{ }"},
		{"{ a: 1, }", "a", "{ }"},
		{"{a: 1, b: 2, c: 3}", "a", "{b: 2, c: 3}"},
		{"{a: 1, b: 2, c: 3}", "b", "{a: 1, c: 3}"},
		{"{a: 1, b: 2, c: 3}", "c", "{a: 1, b: 2}"},
		{"{\n  a: 1, // one\n  // two\n  b: 2, // b\n  c: 3 /* c */\n}", "a", "{\n  // two\n  b: 2, // b\n  c: 3 /* c */\n}"},
		{"{\n  a: 1, // one\n  // two\n  b: 2, // b\n  c: 3 /* c */\n}", "b", "{\n  a: 1, // one\n  // two\n  c: 3 /* c */\n}"},
		{"{\n  a: 1, // one\n  // two\n  b: 2, // b\n  c: 3 /* c */\n}", "c", "{\n  a: 1, // one\n  // two\n  b: 2 // b\n}"},
		{"{\n  a: 1,\n}", "a", "{}"},
		{"{ // c\n  a: 1 }", "a", "{ // c\n }"},
		{"{\n  a: 1 // c\n  , b: 2 }", "b", "{\n  a: 1 // c\n   }"},
		{"[1, [2, 3], 4]", "1.0", "[1, [3], 4]"},
		{"{ a: 1,\n  b: 2 }", "a", "{\n  b: 2 }"},
		{"{ a: 1,\n  b: 2 }", "b", "{ a: 1 }"},
		{"{\n  a: 1, b: 2, // c\n}", "a", "{\n  b: 2, // c\n}"},
		{"{\n  a: 1, b: 2, // c\n}", "b", "{\n  a: 1, // c\n}"},
		{"{a: 1, /* b */ b: 2 /* c */}", "b", "{a: 1 /* b */ /* c */}"},
	} {
		got, err := Unset([]byte(tt.text), steps(tt.path))
		if err != nil || string(got) != tt.want {
			t.Errorf("Unset(%q, %s):\ngot  %q %v\nwant %q", tt.text, tt.path, got, err, tt.want)
		}
	}
}

func TestEditRefuses(t *testing.T) {
	for _, tt := range []struct {
		text, path string
		want       error
	}{
		{"{a: 1}", "a.b", ErrNotContainer},
		{"{a: []}", "a.b", ErrNotContainer},
		{"{a: {}}", "a.0", ErrNotContainer},
		{"{a: []}", "a.1", ErrNoSuchPath},
		{"{}", "a.1", ErrNoSuchPath},
		{"1", "a", ErrNotContainer},
	} {
		if got, err := Set([]byte(tt.text), steps(tt.path), []byte("1"), Style{}); !errors.Is(err, tt.want) {
			t.Errorf("Set(%q, %s): %q %v", tt.text, tt.path, got, err)
		}
		if got, err := Unset([]byte(tt.text), steps(tt.path)); !errors.Is(err, ErrNoSuchPath) {
			t.Errorf("Unset(%q, %s): %q %v", tt.text, tt.path, got, err)
		}
	}
	var faults Errors
	if _, err := Set([]byte("{a"), steps("a"), []byte("1"), Style{}); !errors.As(err, &faults) {
		t.Errorf("a text that does not parse: %v", err)
	}
	if _, err := Set([]byte("{a: 1, a: 2}"), steps("a"), []byte("1"), Style{}); !errors.As(err, &faults) {
		t.Errorf("a key that stands twice: %v", err)
	}
	if got, err := Set([]byte("{a: 1, a: 2}"), steps("b"), []byte("1"), Style{}); err != nil {
		t.Errorf("beside a key that stands twice: %q %v", got, err)
	}
	if _, err := Set([]byte("{}"), steps("a"), []byte("x"), Style{}); !errors.As(err, &faults) {
		t.Errorf("a value that does not parse: %v", err)
	}
	if _, err := Unset([]byte("{}"), nil); !errors.Is(err, ErrNoSuchPath) {
		t.Errorf("no path: %v", err)
	}
}

// oddObjects are objects to add the key "new" to.
var oddObjects = []string{
	"{}", "{ }", "{  }", "{\t}", "{\n}", "{\n\n}", "{ \n }", "{\n  }", "{  \n  \n\t}", "{\u00a0}", "{\u2028}",
	"{ // c\n}", "{ // c\n  }", "{// c\u2028}", "{\n// c\n}", "{\n    // c\n  }", "{\n  // c\n\n  // d\n\n}", "{/* c */}", "{ /* c */ }", "{ /* c\n d */ }", "{\n  /* c */ }",
	"{ // c\n /* d */ }", "{\n  /* c */\n}", "{/**/\n}",
	"{a: 1}", "{ a: 1 }", "{a:1}", "{a:1,b:2}", "{ a: 1, }", "{a: 1 ,}", "{a: 1, b: 2 , }", "{a: 1 /* c */}", "{a: 1, /* c */}", "{a: 1 /* c */ , /* d */ }", "{a: 1 // c\n}", "{a: 1, // c\n}",
	"{a: 1 // c\n , // d\n }", "{a: {\n  b: 1\n}}", "{a: 'x\\\ny'}", "{a: 1\n, b: 2\n}", "{\n  a: 1\n, b: 2\n}", "{a: 1,\u2028b: 2}",
	"{\n  a: 1\n}", "{\n  a: 1,\n}", "{\n\ta: 1,\n\tb: 2\n}", "{\n  a: 1, b: 2\n}", "{\n  a: 1, b: 2,\n}", "{\n  a: 1 }", "{\n  a: 1, }", "{\n  a: 1 /* c */ }", "{\n  a: 1, /* c */ }",
	"{\n  a: 1 // c\n}", "{\n  a: 1, // c\n}", "{\n  a: 1   \n}", "{\n  a: 1,   \n}", "{\n  a: 1 /* c\n  d */\n}", "{\n  a: 1, /* c\n  d */ }", "{\n  a: 1\n  ,\n}", "{\n  a: 1 // c\n  , // d\n}",
	"{\n  a: 1,\n  // c\n}", "{\n  a: 1\n\n  // c\n\n}", "{\n  a: 1,\n\n\n}", "{\n  /* c */ a: 1 /* d */ , /* e */\n}", "{\n  a // k\n  : // v\n  1 // e\n}", "{\n a: 1,\n    b: 2,\n  }",
	"{\n  'a': 1,\n  \"b c\": 2,\n}", "{ \"a\" : 1 }", "{\n'a'/**/:/**/1}", "{\n  a: [\n    1,\n  ],\n}", "{a: [1], // c\n b: {}}", "{\n  a: 1, // c\u2028}",
}

// around puts an object into other text: at the root, in a member, in a list.
var around = []string{
	"%", "%\n", "\ufeff%", "// top\n%\n// end", "  %  ", "{\n  o: %,\n}\n", "{\n\to: %\n}", "{x: 1, o: %, y: 2}", "{\n  l: [\n    %,\n    2,\n  ],\n}", "{\n    \"o\" : // c\n      % // d\n}\n", "{\n  x: 1, o: %\n}",
}

// holderIn is the path of the object in a text of around.
func holderIn(text string) []Step {
	switch {
	case strings.Contains(text, "l: ["):
		return steps("l.0")
	case strings.Contains(text, "o: %"), strings.Contains(text, `"o"`):
		return steps("o")
	}
	return nil
}

func TestUnsetUndoesSet(t *testing.T) {
	n := 0
	for _, object := range oddObjects {
		for _, outer := range around {
			for _, newline := range []string{"\n", "\r\n", "\r"} {
				text := strings.ReplaceAll(strings.Replace(outer, "%", object, 1), "\n", newline)
				path := append(holderIn(outer), Key("new"))
				for _, style := range []Style{{}, {Strict: true}, {Pretty: true}, {Strict: true, Pretty: true}} {
					for _, value := range []string{"1", `{"a": [1, {"b": 2}]}`, "{\n  a: 1, // c\n}"} {
						n++
						unsetUndoesSet(t, text, path, value, style)
					}
				}
			}
		}
	}
	if n < 10_000 {
		t.Errorf("only %d cases", n)
	}
}

func unsetUndoesSet(t *testing.T, text string, path []Step, value string, style Style) {
	t.Helper()
	set, err := Set([]byte(text), path, []byte(value), style)
	if err != nil {
		t.Fatalf("Set(%q, %v): %v", text, path, err)
	}
	root, err := Parse(set)
	if err != nil || Find(root, path) == nil {
		t.Fatalf("Set(%q) gives %q, which has no %v: %v", text, set, path, err)
	}
	back, err := Unset(set, path)
	if err != nil || string(back) != text {
		t.Errorf("%q\nset   %q\nunset %q %v", text, set, back, err)
	}
}

func TestUnsetUndoesAppend(t *testing.T) {
	for _, list := range []string{
		"[]", "[ ]", "[\n]", "[ // c\n]", "[/* c */]", "[1]", "[1,]", "[ 1, 2 ]", "[1,2]", "[\n  1,\n  2\n]", "[\n  1, // c\n  2, // d\n]", "[\n  1 ]", "[{}]", "[\n  {},\n]", "[[1],]",
	} {
		for _, outer := range []string{"%", "{a: 1, o: %}", "{\n  o: %,\n}\n", "{\n  o: % // c\n}"} {
			for _, value := range []string{"3", "'x'", "{a: 1}", "[[]]"} {
				text := strings.Replace(outer, "%", list, 1)
				path := holderIn(outer)
				root, err := Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				path = append(slices.Clone(path), Item(len(Find(root, path).Items)))
				unsetUndoesSet(t, text, path, value, Style{Pretty: true})
				unsetUndoesSet(t, text, path, value, Style{})
			}
		}
	}
}
