package sandbox

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMistakenCodeIsRecognized(t *testing.T) {
	tests := []struct{ code, want string }{
		{"ls", "a shell command"},
		{"ls -la /tmp", "a shell command"},
		{"$ npm install", "a shell command"},
		{"#!/bin/sh\necho hi", "a shell command"},
		{"curl -s https://example.com/a | jq .", "a shell command"},
		{"echo \"hi\" && ls", "a shell command"},
		{"find = 1", ""},
		{"find(x)", ""},
		{"const ls = 1; return ls", ""},
		{"head.next = 1", ""},
		{"<p>hi</p>", "XML or HTML"},
		{"def f(x):\n  return x", "another language"},
		{"for x in y:\n  print(x)", "another language"},
		{"import os", "another language"},
		{"SELECT * FROM t", "another language"},
		{"Please find all the invoices of last month.", "prose"},
		{"I will search for the tool first", "prose"},
		{"\"Find the invoices, then send them\"", ""},
		{"return await f(1)", ""},
		{"const a = 1", ""},
		{"for (const x of y) f(x)", ""},
		{"if (a) {\n", ""},
		{"class A {", ""},
		{"", ""},
		{"  \n ", ""},
		{"async function main() {", ""},
		{"await host.search('a b c')", ""},
	}
	for _, test := range tests {
		if got := mistaken(test.code); got != test.want {
			t.Errorf("%q is taken for %q, want %q", test.code, got, test.want)
		}
	}
}

func TestExplain(t *testing.T) {
	s := Script{Code: "const a = 1\n  a.foo()\nreturn a", Functions: []string{"host.search"}, Limits: Limits{Memory: 32 << 20, Logs: 1000}}
	tests := []struct {
		name    string
		in      Failure
		message string
		excerpt string
		line    int
	}{
		{"line", Failure{Kind: KindRuntime, Message: "TypeError: x", Line: 2, Column: 5}, "TypeError: x", "a.foo()", 2},
		{"behind the end", Failure{Kind: KindSyntax, Message: "open", Line: 4, Column: 1}, "open", "return a", 3},
		{"no line", Failure{Kind: KindRuntime, Message: "x"}, "x", "", 0},
		{"negative line", Failure{Kind: KindRuntime, Message: "x", Line: -5}, "x", "", 0},
		{"memory", Failure{Kind: KindLimit, Limit: LimitMemory}, "32 MiB", "", 0},
		{"null without memory", Failure{Kind: KindRuntime, Message: "the script threw null"}, "32 MiB", "", 0},
		{"logs", Failure{Kind: KindLimit, Limit: LimitLogs}, "1000 bytes", "", 0},
		{"not a function", Failure{Kind: KindRuntime, Message: "TypeError: not a function"}, "host.search", "", 0},
		{"host's own words stay", Failure{Kind: "tool", Message: "not a function"}, "not a function", "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Explain(test.in, s)
			if !strings.Contains(got.Message, test.message) || got.Excerpt != test.excerpt || got.Line != test.line {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func FuzzExplain(f *testing.F) {
	f.Add("return 1\nx", "is not defined", 2, 1)
	f.Add("ü\r\n\n", "not a function", 99, -1)
	f.Add(strings.Repeat("ü", 500), "x", 1, 400)
	f.Fuzz(func(t *testing.T, code, message string, line, column int) {
		got := Explain(Failure{Kind: KindSyntax, Message: message, Line: line, Column: column}, Script{Code: code})
		if got.Line < 0 || got.Line > strings.Count(code, "\n")+1 || len([]rune(got.Excerpt)) > 170 {
			t.Errorf("%q with line %d gives line %d and an excerpt of %d bytes", code, line, got.Line, len(got.Excerpt))
		}
	})
}

func TestPlain(t *testing.T) {
	tests := []struct{ code, want string }{
		{"return 1", "return 1"},
		{"```js\nreturn 1\n```", "\nreturn 1\n"},
		{"\n```\nreturn 1\n```\n", "\n\nreturn 1\n\n"},
		{"```javascript\r\nreturn 1\r\n```", "\nreturn 1\r\n"},
		{"```js\nreturn 1", "\nreturn 1"},
		{"~~~\nreturn 1\n~~~", "\nreturn 1\n"},
		{"```", "```"},
		{"return `a`", "return `a`"},
		{"\ufeffreturn 1", "return 1"},
		{"", ""},
	}
	for _, test := range tests {
		if got := Plain(test.code); got != test.want {
			t.Errorf("Plain(%q) is %q, want %q", test.code, got, test.want)
		}
		if got := strings.Count(Plain(test.code), "\n"); got != strings.Count(test.code, "\n") {
			t.Errorf("%q has %d ends of line afterwards", test.code, got)
		}
	}
}

func TestLimits(t *testing.T) {
	want := DefaultLimits()
	want.Calls = 5
	if diff := cmp.Diff(want, Limits{Calls: 5}.WithDefaults()); diff != "" {
		t.Errorf("limits with defaults (-want +got):\n%s", diff)
	}
	if err := DefaultLimits().Check(); err != nil {
		t.Error(err)
	}
	for _, bad := range []Limits{{Wall: -time.Second}, {Total: -1}, {Logs: -1}, {Memory: 1000}} {
		if bad.Check() == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}
