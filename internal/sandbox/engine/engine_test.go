package engine

import (
	"encoding/json"
	"fmt"
	"testing"
)

const config = `{"functions":["host.echo","host.fail"],"seed":[1,2,3,4],"now":1000,"logs":1000,"result":10000,"calls":10,"arguments":1000}`

// run runs code with two host functions that answer at once.
func run(t *testing.T, code string) (End, []string) {
	t.Helper()
	e, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	answers := make(chan Answer, 100)
	var logs []string
	host := Host{
		Call: func(n int, function, args string) error {
			if function == "host.fail" {
				answers <- Answer{N: n, Text: `{"kind":"tool","message":"no such thing","data":{"a":1}}`}
				return nil
			}
			answers <- Answer{N: n, OK: true, Text: args}
			return nil
		},
		Log: func(level, text string) error { logs = append(logs, level+": "+text); return nil },
	}
	end, err := e.Run(Script{Code: code, Bare: code, Config: json.RawMessage(config), Memory: 64 << 20}, host, answers)
	if err != nil {
		t.Fatal(err)
	}
	return end, logs
}

func TestSmoke(t *testing.T) {
	for _, code := range []string{
		`return 1`, `1+1`, `const r = await host.echo(1, {a: [2]}); return r`, `host.fail(1); return 2`, `return await host.fail(1)`,
		"let x = 1;\n\nnull.foo;", "let x = 1;\n  let y = = 2", "async () => { return 5 }", "return {m: new Map([[1,2]]), d: new Date(), s: new Set([1]), f(){}, n: 1n, e: new Error('x')}",
		"await new Promise(() => {})", "return {p: host.echo(3)}", "console.log({a:1}, 'x', 1n); return Math.random()", "const console = 1, host = 2; return console + host",
		"}); globalThis.x = 1; (async function () {", "let a = {}; a.a = a; return a", "throw new TypeError('bad')", "throw 5", "return eval('1')",
		"return (function(){}).constructor('return 1')()", "return await import('fs')", "const a = []; for (;;) a.push('x'.repeat(1000) + a.length)",
		"function f() { return f() + 1 } return f()", "return Object.getOwnPropertyNames(globalThis)", "(async () => { throw new Error('lost') })(); return 1",
		"const a = []; for (let i = 0; i < 12; i++) a.push(host.echo(i)); return Promise.all(a)", "return host.echo(host.echo(1))",
		"return host.nope()", "setTimeout(() => {}, 1)", "for(let i=0;i<1e6;i++) host.echo(i)", "return 'x'.repeat(20000)", "return new Date().toString() + new Date(2020,1,1).getTimezoneOffset()",
	} {
		end, logs := run(t, code)
		fmt.Printf("%s\n   → %+v %q\n", code, end, logs)
	}
}
