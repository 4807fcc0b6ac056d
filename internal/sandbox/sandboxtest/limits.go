package sandboxtest

import (
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// Each limit has its own failure, and what is at the limit passes.
func testLimits(t *testing.T, r sandbox.Runtime) {
	limited := func(code string, l sandbox.Limits) sandbox.Script {
		s := script(code)
		s.Limits = l
		return s
	}
	hits := []struct {
		name   string
		script sandbox.Script
		kind   string
		limit  string
		says   string
	}{
		{"code", limited("return 1 //"+strings.Repeat("x", 64<<10), sandbox.Limits{}), "limit", "code", "65536"},
		{"logs", limited("for (;;) console.log('0123456789')", sandbox.Limits{}), "limit", "logs", "16 KiB"},
		{"empty logs", limited("for (;;) console.log()", sandbox.Limits{}), "limit", "logs", "16 KiB"},
		{"one long log", limited("console.log('ü'.repeat(1e6))", sandbox.Limits{}), "limit", "logs", "16 KiB"},
		{"logs that are caught", limited("for (;;) try { console.log('0123456789') } catch {}", sandbox.Limits{}), "limit", "logs", "16 KiB"},
		{"result", limited("return 'x'.repeat(256 * 1024)", sandbox.Limits{}), "limit", "result", "256 KiB"},
		{"result of many bytes", limited("return 'ü'.repeat(200 * 1024)", sandbox.Limits{}), "limit", "result", "256 KiB"},
		{"endless result", limited("return (function* () { for (;;) yield 'x' })()", sandbox.Limits{}), "limit", "result", "256 KiB"},
		{"calls", limited("for (let i = 0; i < 101; i++) await host.echo(i); return 1", sandbox.Limits{}), "limit", "calls", "100 calls"},
		{"calls at once", limited("return Promise.all(Array.from({length: 200}, (_, i) => host.echo(i)))", sandbox.Limits{}), "limit", "calls", "100 calls"},
		{"arguments", limited("return host.echo('x'.repeat(2 ** 21))", sandbox.Limits{}), "limit", "arguments", "1048576"},
		{"arguments of many bytes", limited("return host.echo('ü'.repeat(2 ** 19 + 1))", sandbox.Limits{}), "limit", "arguments", "1048576"},
		{"arguments of all calls", limited("for (let i = 0; i < 100; i++) await host.echo('x'.repeat(1e6))", sandbox.Limits{}), "limit", "arguments", "8388608"},
		{"memory", limited("const a = []; for (;;) a.push(new Array(1000).fill(a.length))", sandbox.Limits{}), "limit", "memory", "128 MiB"},
		{"less memory", limited("const a = []; for (let i = 0; i < 20000; i++) a.push(new Array(1000).fill(i)); return a.length", sandbox.Limits{Memory: 16 << 20}), "limit", "memory", "16 MiB"},
		{"wall", limited("for (;;);", sandbox.Limits{Wall: 300 * time.Millisecond}), "timeout", "wall", "300ms"},
		{"total", limited("await host.block()", sandbox.Limits{Total: 300 * time.Millisecond}), "timeout", "total", "300ms"},
	}
	for _, hit := range hits {
		t.Run(hit.name, func(t *testing.T) {
			out := bad(t, r, hit.script, hit.kind, hit.says)
			if out.Failure.Limit != hit.limit {
				t.Errorf("the limit is %q, want %q", out.Failure.Limit, hit.limit)
			}
			wantLogsCut(t, out, hit.limit == "logs")
		})
	}
	passes := []struct {
		name   string
		script sandbox.Script
		want   string
	}{
		{"code", limited("return 1 //"+strings.Repeat("x", 64<<10-11), sandbox.Limits{}), "1"},
		{"logs", limited("for (let i = 0; i < 1024; i++) console.log('0123456789abcde'); return 1", sandbox.Limits{}), "1"},
		{"result", limited("return 'x'.repeat(256 * 1024 - 2)", sandbox.Limits{}), `"` + strings.Repeat("x", 262142) + `"`},
		{"result of brackets", limited("return '<'.repeat(256 * 1024 - 2)", sandbox.Limits{}), `"` + strings.Repeat("<", 262142) + `"`},
		{"arguments", limited("return (await host.echo('<ü'.repeat(349524))).length", sandbox.Limits{}), "699048"},
		{"calls", limited("for (let i = 0; i < 100; i++) await host.echo(i); return 1", sandbox.Limits{}), "1"},
	}
	for _, pass := range passes {
		t.Run(pass.name+" at the limit", func(t *testing.T) {
			out := do(t, r, pass.script)
			if out.Failure != nil {
				t.Fatal(out.Failure)
			}
			wantJSON(t, out.Value, pass.want)
			wantLogsCut(t, out, false)
		})
	}
	t.Run("nonsense", func(t *testing.T) {
		for _, l := range []sandbox.Limits{{Wall: -1}, {Calls: -1}, {Memory: 1}} {
			if _, err := r.Run(t.Context(), limited("return 1", l), host); err == nil {
				t.Errorf("the limits %+v were taken", l)
			}
		}
	})
}

func wantLogsCut(t *testing.T, out sandbox.Outcome, want bool) {
	t.Helper()
	if out.LogsCut != want {
		t.Errorf("LogsCut is %t, want %t", out.LogsCut, want)
	}
	bytes := 0
	for _, l := range out.Logs {
		bytes += len(l.Text) + 1
	}
	if most := sandbox.DefaultLimits().Logs; bytes > most || want && bytes < most-4 {
		t.Errorf("the logs have %d bytes, at most %d", bytes, most)
	}
}
