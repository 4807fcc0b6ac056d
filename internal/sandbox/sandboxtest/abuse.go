package sandboxtest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// slack is how much longer than its limit a script may live in a test.
const slack = 2 * time.Second

// abuses each end in a failure of their own.
var abuses = []struct{ name, code, kind, limit, says string }{
	{"busy loop", "for (;;);", "timeout", "wall", ""},
	{"busy loop after an await", "await host.echo(1); for (;;);", "timeout", "wall", ""},
	{"busy loop in a job", "await null; await null; for (;;);", "timeout", "wall", ""},
	{"endless jobs", "const f = () => Promise.resolve().then(f); await f()", "timeout", "wall", ""},
	{"busy loop that catches", "for (;;) try { for (;;); } catch {} finally { continue }", "timeout", "wall", ""},
	{"busy wait", "const t = Date.now(); while (Date.now() < t + 10);", "timeout", "wall", "clock of Date stands still"},
	{"busy loop in a getter of the result", "return {get a() { for (;;); }}", "timeout", "wall", ""},
	{"busy loop in toJSON", "return {toJSON() { for (;;); }}", "timeout", "wall", ""},
	{"busy loop in an argument", "await host.echo({get a() { for (;;); }})", "timeout", "wall", ""},
	{"busy loop in a log", "console.log({get a() { for (;;); }})", "timeout", "wall", ""},
	{"busy loop in a thrown error", "throw Object.defineProperty(new Error(), 'message', {get() { for (;;); }})", "timeout", "wall", ""},
	{"busy loop in a comparator", "[3, 1, 2].sort(() => { for (;;); })", "timeout", "wall", ""},
	{"expression blow-up", "return /^(a+)+$/.test('a'.repeat(50) + 'b')", "timeout", "wall", ""},
	{"call that never ends", "return await host.block()", "timeout", "wall", ""},
	{"call that never ends, not awaited", "host.block(); return 1", "timeout", "wall", ""},
	{"never settles", "await new Promise(() => {})", "runtime", "", "nothing can settle"},
	{"unhandled rejection", "Promise.reject(new Error('lost')); return 1", "runtime", "", "lost"},
	{"a million unhandled rejections", "for (let i = 0; i < 1e6; i++) Promise.reject(i); return 1", "", "", ""},
	{"ten gigabytes in one string", "return 'x'.repeat(2 ** 29).length", "limit", "memory", ""},
	{"ten gigabytes in strings", "const a = []; for (let i = 0; i < 10240; i++) a.push(JSON.stringify('x'.repeat(2 ** 20) + i)); return a.length", "limit", "memory", ""},
	{"ten gigabytes in arrays", "const a = []; for (let i = 0; i < 1e9; i++) a.push([i])", "limit", "memory", ""},
	{"ten gigabytes in typed arrays", "const a = []; for (let i = 0; i < 10240; i++) a.push(new Uint8Array(2 ** 20).fill(1)); return a.length", "limit", "memory", ""},
	{"ten gigabytes in one buffer", "return new ArrayBuffer(10 * 2 ** 30).byteLength", "", "", ""},
	{"memory that is caught", "const a = []; for (;;) try { a.push(new Array(1e5).fill(0)) } catch {}", "", "", ""},
	{"deep recursion", "const f = n => f(n + 1) + 1; return f(0)", "runtime", "", ""},
	{"deep recursion in JSON", "return JSON.parse('['.repeat(1e6))", "runtime", "", ""},
	{"deep recursion in an expression", "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('')", "runtime", "", ""},
	{"deep recursion in a proxy", "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x", "", "", ""},
	{"a million logs", "for (let i = 0; i < 1e6; i++) console.log('line ' + i); return 1", "limit", "logs", "16 KiB"},
	{"a million calls", "for (let i = 0; i < 1e6; i++) host.echo(i); return 1", "limit", "calls", "100 calls"},
	{"a million calls that are caught", "let n = 0; for (let i = 0; i < 1e6; i++) host.echo(i).catch(() => n++); await host.echo(1)", "", "", ""},
	{"giant result", "return Array.from({length: 1e6}, (_, i) => 'item ' + i)", "limit", "result", ""},
	{"giant flat result", "return 'x'.repeat(1e8)", "limit", "result", ""},
	{"giant arguments", "return await host.echo('x'.repeat(5e7))", "limit", "arguments", ""},
	{"giant error", "throw new Error('x'.repeat(5e7))", "runtime", "", "xxx"},
	{"giant thrown object", "throw {a: 'x'.repeat(5e7)}", "runtime", "", ""},
}

// Abuse tests that scripts which do harm end in an error of their own, in
// time, and that the runtime works as before afterwards.
func Abuse(t *testing.T, r sandbox.Runtime) {
	for _, abuse := range abuses {
		t.Run(abuse.name, func(t *testing.T) {
			s := script(abuse.code)
			s.Limits.Wall = 700 * time.Millisecond
			switch {
			case abuse.kind == "":
				s.Limits.Wall = 3 * time.Second
			case abuse.limit != "wall":
				s.Limits.Wall = 10 * time.Second
			}
			started := time.Now()
			out := do(t, r, s)
			if took := time.Since(started); took > s.Limits.Wall+slack {
				t.Errorf("it took %v, at most %v", took, s.Limits.Wall+slack)
			}
			if abuse.kind == "" { // engines differ, as long as they end
				if out.Failure != nil && out.Failure.Kind == sandbox.KindInternal {
					t.Errorf("it ended in %v", out.Failure)
				}
				return
			}
			wantFailure(t, out, abuse.kind, abuse.says)
			if out.Failure.Limit != abuse.limit {
				t.Errorf("the limit is %q, want %q: %v", out.Failure.Limit, abuse.limit, out.Failure)
			}
			if len(out.Failure.Message) > 5000 || len(out.Failure.Stack) > 5000 {
				t.Errorf("the failure has %d bytes and a stack of %d", len(out.Failure.Message), len(out.Failure.Stack))
			}
		})
	}
	t.Run("timeout in a call", func(t *testing.T) { timeoutInCall(t, r) })
	t.Run("late approval", func(t *testing.T) { lateApproval(t, r) })
	t.Run("works as before", func(t *testing.T) {
		wantJSON(t, good(t, r, "return await host.echo(1)").Value, `1`)
	})
}

// timeoutInCall has the script's time run out while the host works.
func timeoutInCall(t *testing.T, r sandbox.Runtime) {
	cause := make(chan error, 1)
	h := func(ctx context.Context, f string, args json.RawMessage) (json.RawMessage, error) {
		if f != "host.block" {
			return args, nil
		}
		<-ctx.Done()
		cause <- ctx.Err()
		return nil, ctx.Err()
	}
	s := script("console.log('one'); await host.echo(1); await host.block(2)")
	s.Limits.Wall = 500 * time.Millisecond
	out, err := r.Run(t.Context(), s, h)
	if err != nil {
		t.Fatal(err)
	}
	wantFailure(t, out, "timeout", "500ms")
	if err := <-cause; !errors.Is(err, context.Canceled) {
		t.Errorf("the call in flight ended with %v", err)
	}
	if len(out.Logs) != 1 || len(out.Calls) != 2 || !out.Calls[0].OK || out.Calls[1].OK || out.Calls[1].Error == "" {
		t.Errorf("the outcome tells %+v and %+v", out.Logs, out.Calls)
	}
}

// lateApproval has more calls wait for a place than run, and the time run out:
// those that waited never act.
func lateApproval(t *testing.T, r sandbox.Runtime) {
	var acted atomic.Int32
	h := func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		acted.Add(1)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s := script("await Promise.all([1, 2, 3, 4].map(i => host.block(i)))")
	s.Limits.Wall, s.Limits.Parallel = 500*time.Millisecond, 1
	out, err := r.Run(t.Context(), s, h)
	if err != nil {
		t.Fatal(err)
	}
	wantFailure(t, out, "timeout", "")
	if n := acted.Load(); n != 1 {
		t.Errorf("%d calls acted, want the first one alone", n)
	}
	if len(out.Calls) != 4 || !strings.Contains(out.Calls[3].Error, "before this call was made") || !out.Calls[3].Started.IsZero() {
		t.Errorf("the calls are %+v", out.Calls)
	}
}
