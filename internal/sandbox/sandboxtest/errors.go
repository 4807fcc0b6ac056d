package sandboxtest

import (
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// line 0 means that there is none.
var failures = []struct {
	name, code, kind, says string
	line                   int
	excerpt                string
}{
	{"syntax", "const a = 1\n  const b = = 2\nreturn a", "syntax", "", 2, "const b = = 2"},
	{"open bracket", "return [1, 2", "syntax", "", 1, "return [1, 2"},
	{"open brace", "if (true) {\n  return 1\n", "syntax", "", 3, ""},
	{"closed too often", "return 1 }", "syntax", "", 1, "return 1 }"},
	{"leaving the body", "}); globalThis.x = 1; (async function () {", "syntax", "", 1, "});"},
	{"leaving an expression", "1); globalThis.x = (1", "syntax", "", 1, "1);"},
	{"fenced", "```\nreturn =\n```", "syntax", "", 2, "return ="},
	{"shell", "curl -s https://example.com | jq .", "syntax", "looks like a shell command", 1, ""},
	{"shell that parses", "ls -la", "runtime", "looks like a shell command", 1, ""},
	{"dollar", "$ npm install", "syntax", "looks like a shell command", 1, ""},
	{"prose", "Search for all the open issues and close them.", "syntax", "looks like prose", 1, ""},
	{"markup", "<html></html>", "syntax", "XML or HTML", 1, ""},
	{"python", "def main():\n    return 1", "syntax", "another language", 1, ""},
	{"types", "const x: string = 'a'; return x", "syntax", "TypeScript", 1, "const x"},
	{"import", "import fs from 'fs'\nreturn 1", "syntax", "Nothing can be imported", 1, "import fs"},
	{"thrown", "\nfunction f() {\n  throw new RangeError('too far')\n}\nf()", "runtime", "RangeError: too far", 3, "throw new RangeError"},
	{"thrown later", "await null\nnull.x", "runtime", "TypeError", 2, "null.x"},
	{"undefined name", "return 1 +\n  foo", "runtime", "foo", 2, "foo"},
	{"missing function", "return host.nope()", "runtime", "host.echo", 1, "host.nope"},
	{"timers", "setTimeout(() => {}, 10)", "runtime", "no timers", 1, ""},
	{"require", "const fs = require('fs'); return 1", "runtime", "no timers, modules, files", 1, ""},
	{"thrown text", "throw 'oops'", "runtime", "oops", 0, ""},
	{"thrown object", "throw {code: 5}", "runtime", `{"code":5}`, 0, ""},
	{"thrown null", "throw null", "runtime", "null", 0, ""},
	{"thrown undefined", "throw undefined", "runtime", "undefined", 0, ""},
	{"thrown proxy", "throw new Proxy({}, {get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 }})", "runtime", "threw", 0, ""},
	{"error with bad getters", "const e = new Error('x'); Object.defineProperty(e, 'message', {get() { throw 1 }}); throw e", "runtime", "Error", 1, ""},
	{"rejected", "return Promise.reject(new Error('rejected'))", "runtime", "rejected", 1, ""},
	{"not awaited", "const f = async () => { throw new Error('lost') }\nf()\nreturn 1", "runtime", "not awaited was rejected: Error: lost", 1, ""},
	{"not awaited in the result", "return {a: Promise.reject(new Error('lost'))}", "runtime", "lost", 1, ""},
	{"never settles", "await new Promise(() => {})", "runtime", "nothing can settle", 0, ""},
	{"never settles in the result", "return {a: new Promise(() => {})}", "runtime", "nothing can settle", 0, ""},
	{"thenable that never calls", "return {then() {}}", "runtime", "nothing can settle", 0, ""},
	{"promise as argument", "return host.echo(host.echo(1))", "runtime", "await it first", 1, ""},
	{"function as argument", "return host.echo(() => 1)", "runtime", "function", 1, ""},
	{"own error", "class Broken extends Error { name = 'Broken' }\nthrow new Broken('mine')", "runtime", "Broken: mine", 2, ""},
}

func testErrors(t *testing.T, r sandbox.Runtime) {
	for _, test := range failures {
		t.Run(test.name, func(t *testing.T) {
			f := bad(t, r, script(test.code), test.kind, test.says).Failure
			if f.Line != test.line || (f.Line > 0) != (f.Column > 0) || !strings.Contains(f.Excerpt, test.excerpt) {
				t.Errorf("it points to line %d, column %d, %q; want line %d and %q: %v", f.Line, f.Column, f.Excerpt, test.line, test.excerpt, f)
			}
		})
	}
	t.Run("handled late is handled", func(t *testing.T) {
		out := good(t, r, "const p = Promise.reject(new Error('x')); await host.echo(1); await p.catch(() => 0); return 1")
		wantJSON(t, out.Value, `1`)
	})
	t.Run("the stack is the script's own", func(t *testing.T) {
		f := bad(t, r, script("function inner() {\n  null.x\n}\nfunction outer() { inner() }\nouter()"), "runtime", "TypeError").Failure
		lines := strings.Split(f.Stack, "\n")
		if len(lines) != 3 || !strings.Contains(lines[0], "inner (body.js:2:") || !strings.Contains(lines[1], "outer (body.js:4:") || !strings.Contains(lines[2], "body.js:5:") {
			t.Errorf("the stack is\n%s", f.Stack)
		}
	})
	t.Run("long lines are cut", func(t *testing.T) {
		f := bad(t, r, script("const a = '"+strings.Repeat("x", 5000)+"'; null.y; return '"+strings.Repeat("z", 5000)+"'"), "runtime", "TypeError").Failure
		if len(f.Excerpt) > 200 || !strings.Contains(f.Excerpt, "null.y") {
			t.Errorf("the excerpt has %d bytes: %q", len(f.Excerpt), f.Excerpt)
		}
	})
}

func testHostErrors(t *testing.T, r sandbox.Runtime) {
	t.Run("uncaught", func(t *testing.T) {
		out := bad(t, r, script("const x = 1\nawait host.fail({a: 1})\nreturn 2"), "tool", "the tool is broken")
		if out.Failure.Line != 2 || string(out.Failure.Data) != `{"code":7}` {
			t.Errorf("it points to line %d with data %s", out.Failure.Line, out.Failure.Data)
		}
		if len(out.Calls) != 1 || out.Calls[0].OK || out.Calls[0].Kind != "tool" || out.Calls[0].Error != "the tool is broken" || string(out.Calls[0].Args) != `[{"a":1}]` {
			t.Errorf("the calls are %+v", out.Calls)
		}
	})
	t.Run("caught", func(t *testing.T) {
		out := good(t, r, "try { await host.fail() } catch (e) { return [e instanceof Error, e.name, e.message, e.kind, e.data] }")
		wantJSON(t, out.Value, `[true,"CallError","the tool is broken","tool",{"code":7}]`)
	})
	t.Run("thrown on", func(t *testing.T) {
		bad(t, r, script("try { await host.fail() } catch (e) { throw e }"), "tool", "broken")
	})
	t.Run("made up", func(t *testing.T) {
		bad(t, r, script("throw Object.assign(new Error('x'), {kind: 'blocked', name: 'CallError'})"), "runtime", "x")
	})
	t.Run("not awaited", func(t *testing.T) {
		bad(t, r, script("host.fail()\nreturn 1"), "tool", "not awaited")
	})
	t.Run("of another type", func(t *testing.T) {
		out, err := r.Run(t.Context(), script("return await host.echo(1)"), nilHost)
		if err != nil {
			t.Fatal(err)
		}
		wantFailure(t, out, "internal", "no such thing")
	})
	t.Run("panic", func(t *testing.T) {
		out, err := r.Run(t.Context(), script("return await host.echo(1)"), panicHost)
		if err != nil {
			t.Fatal(err)
		}
		wantFailure(t, out, "internal", "panicked")
	})
	t.Run("not JSON", func(t *testing.T) {
		out, err := r.Run(t.Context(), script("return await host.echo(1)"), textHost)
		if err != nil {
			t.Fatal(err)
		}
		wantFailure(t, out, "internal", "not JSON")
	})
	t.Run("nothing is null", func(t *testing.T) {
		out := good(t, r, "return [await host.echo()]")
		wantJSON(t, out.Value, `[null]`)
	})
}
