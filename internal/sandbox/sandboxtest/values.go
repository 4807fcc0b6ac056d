package sandboxtest

import (
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// A script's values, as JSON. Those with a note are in testNotes.
var values = []struct{ name, code, want string }{
	{"number", "return 1.5", `1.5`},
	{"minus zero", "return -0", `0`},
	{"text", `return "ü \u2028 \u0000 \"q\""`, `"ü \u2028 \u0000 \"q\""`},
	{"half a pair", `return ["\ud800"].length`, `1`},
	{"null", "return null", `null`},
	{"undefined in a list", "return [undefined, 1]", `[null,1]`},
	{"undefined in an object", "return {a: undefined, b: 1}", `{"b":1}`},
	{"nested", "return {a: [1, {b: null}], c: true}", `{"a":[1,{"b":null}],"c":true}`},
	{"odd keys", `return JSON.parse('{"__proto__": 1, "": 2, "a b": 3}')`, `{"__proto__":1,"":2,"a b":3}`},
	{"class", "class A { constructor() { this.x = 1 } get y() { return 2 } } return new A()", `{"x":1}`},
	{"no prototype", "return Object.assign(Object.create(null), {a: 1})", `{"a":1}`},
	{"boxes", "return [new Number(1), new String('a'), new Boolean(false)]", `[1,"a",false]`},
	{"toJSON", "return {toJSON() { return {x: 1} }}", `{"x":1}`},
	{"toJSON gives itself", "return {a: 1, toJSON() { return this }}", `{"a":1}`},
	{"toJSON gives nothing", "return {a: {toJSON() {}}, b: 1}", `{"b":1}`},
	{"the same object twice", "const o = {a: 1}; return [o, o]", `[{"a":1},{"a":1}]`},
	{"getter", "return {get a() { return 1 }}", `{"a":1}`},
	{"proxy", "return new Proxy({a: 1}, {})", `{"a":1}`},
	{"holes", "return [1, , 3]", `[1,null,3]`},
	{"awaited promise", "return Promise.resolve(5)", `5`},
	{"top-level await", "const x = await Promise.resolve(2); return x + 1", `3`},
	{"generators", "function* g() { yield 1; yield 2 } return [...g()]", `[1,2]`},
	{"async generators", "async function* g() { yield 1; yield 2 } const out = []; for await (const x of g()) out.push(x); return out", `[1,2]`},
	{"regular expressions", `return "a1b22".replace(/(?<n>\d+)/g, "<$<n>>")`, `"a<1>b<22>"`},
	{"unicode expressions", `return "Grüße".match(/\p{L}+/u)[0]`, `"Grüße"`},
	{"own openclaw", "const openclaw = 5; return openclaw", `5`},
	{"own host", "const host = 5; return host", `5`},
	{"own console", "let console = {log: x => x}; return console.log(3)", `3`},
	{"var console", "var console = 1; return console", `1`},
	{"own Date", "const Date = 1; return Date", `1`},
	{"strict", `"use strict"; return this === undefined`, `true`},
	{"labels and comments", "a: for (;;) { break a } // done\nreturn 1 // end", `1`},
	{"big numbers in text", "return JSON.parse('[1e400]')[0] === Infinity", `true`},
}

func testValues(t *testing.T, r sandbox.Runtime) {
	for _, test := range values {
		t.Run(test.name, func(t *testing.T) {
			out := good(t, r, test.code)
			wantJSON(t, out.Value, test.want)
			if len(out.Notes) > 0 {
				t.Errorf("it has the notes %q, and nothing was changed", out.Notes)
			}
		})
	}
}

// Values that JSON doesn't have become something that it has, and that is said.
var mapped = []struct{ name, code, want, note string }{
	{"nothing", "1 + 1; 2", `null`, "returned nothing"},
	{"cycle", "const a = {b: {}}; a.b.c = a; return a", `{"b":{"c":"[cycle]"}}`, "value.b.c: a cycle"},
	{"cycle in a list", "const a = [1]; a.push(a); return a", `[1,"[cycle]"]`, "value[1]: a cycle"},
	{"BigInt", "return {n: 2n ** 64n}", `{"n":"18446744073709551616"}`, "value.n: a BigInt"},
	{"NaN", "return [NaN]", `[null]`, "value[0]: NaN"},
	{"Infinity", "return -Infinity", `null`, "-Infinity"},
	{"Date", "return {d: new Date(0)}", `{"d":"1970-01-01T00:00:00.000Z"}`, "value.d: a Date"},
	{"bad Date", "return new Date(NaN)", `null`, "invalid Date"},
	{"Map", "return new Map([['a', 1], [2, {b: new Set([3])}]])", `{"a":1,"2":{"b":[3]}}`, "value: a Map became an object"},
	{"Map of objects", "return new Map([[{a: 1}, 2]])", `[[{"a":1},2]]`, "array of pairs"},
	{"Set", "return new Set([1, 'a'])", `[1,"a"]`, "value: a Set"},
	{"Error", "return Object.assign(new RangeError('far'), {code: 3})", `{"name":"RangeError","message":"far","code":3}`, "an Error"},
	{"RegExp", "return /a+/gi", `"/a+/gi"`, "a RegExp"},
	{"function", "return {f: function foo() {}, g: () => 1, h: class K {}}", `{"f":"[function foo]","g":"[function g]","h":"[function K]"}`, "value.f: a function"},
	{"returned function", "const f = () => 1; return f", `"[function f]"`, "returned a function"},
	{"symbol", "return Symbol('x')", `"Symbol(x)"`, "a symbol"},
	{"bytes", "return new Uint8Array([1, 255])", `[1,255]`, "a Uint8Array"},
	{"floats", "return new Float64Array([0.5, NaN])", `[0.5,null]`, "a Float64Array"},
	{"big bytes", "return new BigInt64Array([1n])", `["1"]`, "a BigInt64Array"},
	{"buffer", "return new Uint8Array([1, 2]).buffer", `[1,2]`, "became an array"},
	{"view", "return new DataView(new Uint8Array([1, 2, 3]).buffer, 1)", `[2,3]`, "became an array"},
	{"iterator", "return new Map([[1, 2]]).keys()", `[1]`, "an iterator"},
	{"generator", "function* g() { yield 1 } return g()", `[1]`, "an iterator"},
	{"broken iterator", "function* g() { yield 1; throw new Error('end') } return {g: g()}", `{"g":{}}`, "end"},
	{"sparse", "const a = []; a[2 ** 31] = 1; return a", `{"2147483648":1}`, "a sparse array"},
	{"getter that throws", "return {get a() { throw new Error('no a') }, b: 1}", `{"a":null,"b":1}`, "no a"},
	{"toJSON that throws", "return {a: {toJSON() { throw new Error('no JSON') }}}", `{"a":null}`, "no JSON"},
	{"toJSON for ever deeper", "const f = () => ({x: {toJSON: f}}); return 'x' in f() && JSON.stringify(1) && {toJSON: f} && 1", `1`, ""},
	{"proxy that throws", "return {p: new Proxy({}, {ownKeys() { throw new Error('no keys') }})}", `{"p":null}`, "no keys"},
	{"revoked proxy", "const p = Proxy.revocable({}, {}); p.revoke(); return [p.proxy, 1]", `[null,1]`, "became null"},
	{"false Map", "return Object.create(Map.prototype, {a: {value: 1, enumerable: true}})", `{"a":1}`, "own properties"},
	{"false Date", "return {d: Object.create(Date.prototype)}", `{"d":{}}`, "own properties"},
	{"promise inside", "return {a: host.echo(1), b: [host.echo(2)]}", `{"a":1,"b":[2]}`, "value.a: a promise"},
}

func testNotes(t *testing.T, r sandbox.Runtime) {
	for _, test := range mapped {
		t.Run(test.name, func(t *testing.T) {
			out := good(t, r, test.code)
			wantJSON(t, out.Value, test.want)
			if notes := strings.Join(out.Notes, "\n"); !strings.Contains(notes, test.note) {
				t.Errorf("the notes are %q, want %q in them", out.Notes, test.note)
			}
		})
	}
	t.Run("deep", func(t *testing.T) {
		out := good(t, r, "let a = {}; for (let i = 0; i < 10000; i++) a = {a}; return a")
		if !strings.Contains(string(out.Value), "[too deep]") || len(out.Notes) != 1 {
			t.Errorf("got %.300s, notes %q", out.Value, out.Notes)
		}
	})
	t.Run("many notes are bounded", func(t *testing.T) {
		out := good(t, r, "return Array.from({length: 500}, () => 1n)")
		if len(out.Notes) != 21 || !strings.Contains(out.Notes[20], "480 more") {
			t.Errorf("500 changes have %d notes, the last %q", len(out.Notes), out.Notes[len(out.Notes)-1])
		}
	})
}

// Code that isn't quite the body of a function, and is clear all the same.
var readings = []struct{ name, code, want, note string }{
	{"expression", "1 + 1", `2`, ""},
	{"awaited expression", "await host.echo(3);", `3`, ""},
	{"call without await", "host.echo(4)", `4`, ""},
	{"object", "{a: 1, b: [2]}", `{"a":1,"b":[2]}`, ""},
	{"arrow function", "async () => {\n  return await host.echo(5)\n}", `5`, "called"},
	{"function", "async function main() { return 6 }", `6`, "called"},
	{"called function", "(async () => { return 7 })()", `7`, ""},
	{"fenced", "```js\nreturn 8\n```", `8`, ""},
	{"fenced, with blank lines", "\n```javascript\nconst x = 8\n\nreturn x\n```\n\n", `8`, ""},
	{"byte order mark", "\ufeffreturn 9", `9`, ""},
	{"carriage returns", "const x = 1\r\nreturn x\r\n", `1`, ""},
	{"empty", "", `null`, "returned nothing"},
	{"only a comment", "// nothing to do", `null`, "returned nothing"},
}

func testReadings(t *testing.T, r sandbox.Runtime) {
	for _, test := range readings {
		t.Run(test.name, func(t *testing.T) {
			out := good(t, r, test.code)
			wantJSON(t, out.Value, test.want)
			if !strings.Contains(strings.Join(out.Notes, "\n"), test.note) || test.note == "" && len(out.Notes) > 0 {
				t.Errorf("the notes are %q, want %q", out.Notes, test.note)
			}
		})
	}
}
