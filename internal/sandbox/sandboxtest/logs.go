package sandboxtest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

func testLogs(t *testing.T, r sandbox.Runtime) {
	out := good(t, r, `
console.log("text", 1, true, null, undefined, 2n)
console.warn({a: [1, {b: 2}]}, [1, "x"])
console.error(new TypeError("bad"), Symbol("s"), () => 1)
console.info(new Map([["a", 1]]), new Set([1]), NaN)
console.debug("two\nlines")
const loop = {}; loop.loop = loop; console.log(loop)
console.log({get a() { throw new Error("no") }})
console.log()
return 1`)
	want := []sandbox.Log{
		{Level: "log", Text: `text 1 true null undefined "2"`},
		{Level: "warn", Text: `{"a":[1,{"b":2}]} [1,"x"]`},
		{Level: "error", Text: `TypeError: bad "Symbol(s)" "[function]"`},
		{Level: "log", Text: `{"a":1} [1] NaN`},
		{Level: "log", Text: "two\nlines"},
		{Level: "log", Text: `{"loop":"[cycle]"}`},
		{Level: "log", Text: `{"a":null}`},
		{Level: "log", Text: ``},
	}
	if diff := cmp.Diff(want, out.Logs); diff != "" {
		t.Errorf("the logs are not the wanted ones (-want +got):\n%s", diff)
	}
	if len(out.Notes) > 0 || out.LogsCut {
		t.Errorf("logging left the notes %q, cut %t", out.Notes, out.LogsCut)
	}
	t.Run("stay after a failure", func(t *testing.T) {
		out := bad(t, r, script("console.log('before'); throw new Error('x')"), "runtime", "x")
		if len(out.Logs) != 1 || out.Logs[0].Text != "before" {
			t.Errorf("the logs are %+v", out.Logs)
		}
	})
}

func testDeterminism(t *testing.T, r sandbox.Runtime) {
	code := `const m = new Map([["b", 1], ["a", 2]]), o = {z: 1, 10: 2, 9: 3, a: 4}
return {r: [Math.random(), Math.random(), Math.random()], now: Date.now(), date: new Date().toISOString(), text: Date(), zone: new Date(2026, 6, 1).getTimezoneOffset(),
  made: new Date(2026, 0, 2, 3, 4, 5).toISOString(), keys: Object.keys(o), map: [...m.keys()], call: [await host.echo(Math.random())], same: Date.now() === new Date().getTime()}`
	s := script(code)
	s.Now = time.Date(2026, 11, 30, 12, 0, 0, 5e6, time.FixedZone("x", 3600))
	s.Seed = [32]byte{1, 2, 3}
	first, second := do(t, r, s), do(t, r, s)
	if first.Failure != nil {
		t.Fatal(first.Failure)
	}
	if diff := cmp.Diff(string(first.Value), string(second.Value)); diff != "" {
		t.Errorf("the same script gives other values:\n%s", diff)
	}
	for _, part := range []string{`"now":1796036400005`, `"date":"2026-11-30T11:00:00.005Z"`, `"text":"Mon Nov 30 2026 11:00:00 GMT+0000`, `"zone":0`, `"made":"2026-01-02T03:04:05.000Z"`, `"keys":["9","10","z","a"]`, `"same":true`} {
		if !strings.Contains(string(first.Value), part) {
			t.Errorf("the value is %s, want %s in it", first.Value, part)
		}
	}
	s.Seed[31] = 9
	if third := do(t, r, s); string(third.Value) == string(first.Value) {
		t.Error("another seed gives the same numbers")
	}
	t.Run("numbers are spread", func(t *testing.T) {
		out := good(t, r, "const n = Array(10).fill(0); for (let i = 0; i < 10000; i++) n[Math.floor(Math.random() * 10)]++; return n.every(x => x > 850 && x < 1150)")
		wantJSON(t, out.Value, `true`)
	})
	t.Run("dates are dates", func(t *testing.T) {
		out := good(t, r, `class D extends Date {}
return [new Date() instanceof Date, new D(5).getTime(), new D() instanceof D, Date.length, Date.name, typeof Date(), Date.UTC(1970, 0, 1), Date.parse("1970-01-01"), new Date().constructor === Date, Object.prototype.toString.call(new Date())]`)
		wantJSON(t, out.Value, `[true,5,true,7,"Date","string",0,0,true,"[object Date]"]`)
	})
}
