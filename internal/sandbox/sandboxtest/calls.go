package sandboxtest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

func nilHost(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, errors.New("no such thing")
}

func panicHost(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	panic("a bug")
}

func textHost(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage("hello"), nil
}

func testCalls(t *testing.T, r sandbox.Runtime) {
	t.Run("values cross", func(t *testing.T) {
		out := good(t, r, `return host.all(1, "ü\u2028\ud83d\ude00", {a: [null, true]}, undefined, -0.5, undefined, undefined)`)
		wantJSON(t, out.Value, `[1,"ü\u2028😀",{"a":[null,true]},null,-0.5]`)
	})
	t.Run("answers are plain objects", func(t *testing.T) {
		out := good(t, r, `const a = await host.echo({"__proto__": {x: 1}, b: 2}); return [Object.getPrototypeOf(await host.echo({b: 2})) === Object.prototype, a.b]`)
		wantJSON(t, out.Value, `[true,2]`)
	})
	t.Run("five megabytes", func(t *testing.T) {
		out := good(t, r, `const list = await host.data.list(60000); return [list.length, list.filter(x => x.open).length]`)
		wantJSON(t, out.Value, `[60000,20000]`)
	})
	t.Run("sixteen at a time", func(t *testing.T) { testParallel(t, r, 40, 16, 0) })
	t.Run("fewer at a time", func(t *testing.T) { testParallel(t, r, 10, 3, 3) })
	t.Run("answers in any order", func(t *testing.T) { testOrder(t, r) })
	t.Run("open calls are awaited", func(t *testing.T) {
		out := good(t, r, "host.echo(1).then(() => host.echo(2)); return 'done'")
		if len(out.Calls) != 2 || !out.Calls[0].OK || !out.Calls[1].OK {
			t.Errorf("the calls are %+v, want two that ended well", out.Calls)
		}
	})
	t.Run("open calls are awaited after a failure", func(t *testing.T) {
		out := bad(t, r, script("await Promise.all([host.fail(), host.echo(1).then(() => host.echo(2))])"), "tool", "broken")
		if len(out.Calls) < 2 || out.Calls[0].OK || !out.Calls[1].OK {
			t.Errorf("the calls are %+v, want the second one to have ended well", out.Calls)
		}
	})
	t.Run("calls before an error are told", func(t *testing.T) {
		out := bad(t, r, script("await host.echo(1); await host.echo(2); throw new Error('x')"), "runtime", "x")
		if len(out.Calls) != 2 || out.Calls[1].N != 2 || out.Calls[1].Function != "host.echo" || string(out.Calls[1].Args) != "[2]" || out.Calls[1].Started.IsZero() {
			t.Errorf("the calls are %+v", out.Calls)
		}
	})
	t.Run("no functions at all", func(t *testing.T) {
		out, err := r.Run(t.Context(), sandbox.Script{Code: "return typeof host"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, out.Value, `"undefined"`)
	})
	t.Run("bad names are refused", func(t *testing.T) {
		for _, name := range []string{"", "a b", "a..b", "1a", "a.__proto__.b", "a['b']"} {
			if _, err := r.Run(t.Context(), sandbox.Script{Functions: []string{name}}, host); err == nil {
				t.Errorf("a function named %q was taken", name)
			}
		}
	})
}

// testParallel makes n calls at once, and waits until as many run as may.
func testParallel(t *testing.T, r sandbox.Runtime, n, most, limit int) {
	var now, peak atomic.Int32
	full := make(chan struct{})
	var once sync.Once
	h := func(ctx context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		running := now.Add(1)
		defer now.Add(-1)
		for old := peak.Load(); running > old && !peak.CompareAndSwap(old, running); old = peak.Load() {
		}
		if int(running) >= most {
			once.Do(func() { close(full) })
		}
		select {
		case <-full:
		case <-ctx.Done():
		}
		return args, nil
	}
	s := script("const all = await Promise.all(Array.from({length: 100}, (_, i) => i).slice(0, " + itoa(n) + ").map(i => host.echo(i))); return all.map(x => x[0])")
	s.Limits.Parallel = limit
	out, err := r.Run(t.Context(), s, h)
	if err != nil || out.Failure != nil {
		t.Fatal(err, out.Failure)
	}
	if got := int(peak.Load()); got != most {
		t.Errorf("%d calls ran at a time, want %d", got, most)
	}
	var list []int
	if err := json.Unmarshal(out.Value, &list); err != nil || len(list) != n {
		t.Fatalf("got %s, %v", out.Value, err)
	}
	for i, x := range list {
		if x != i {
			t.Errorf("result %d is that of call %d", i, x)
		}
	}
}

func itoa(n int) string {
	text, _ := json.Marshal(n) // an int can always be written
	return string(text)
}

// testOrder answers the second call first.
func testOrder(t *testing.T, r sandbox.Runtime) {
	second := make(chan struct{})
	h := func(ctx context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		if sandbox.Number(ctx) == 1 {
			<-second
		} else {
			defer close(second)
		}
		return args, nil
	}
	out, err := r.Run(t.Context(), script("const order = []; await Promise.all([host.echo('a'), host.echo('b')].map(p => p.then(x => order.push(x[0])))); return order.length"), h)
	if err != nil || out.Failure != nil {
		t.Fatal(err, out.Failure)
	}
	wantJSON(t, out.Value, `2`)
	if out.Calls[0].N != 1 || string(out.Calls[0].Args) != `["a"]` {
		t.Errorf("the calls are %+v, want them in the order in which they were made", out.Calls)
	}
}

func testCancel(t *testing.T, r sandbox.Runtime) {
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	h := func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		cancel(errors.New("the client went away"))
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}
	out, err := r.Run(ctx, script("return await host.echo(1)"), h)
	if err != nil {
		t.Fatal(err)
	}
	wantFailure(t, out, "canceled", "the client went away")
	if err := <-ended; err == nil {
		t.Error("the call in flight was not canceled")
	}
	if len(out.Calls) != 1 || out.Calls[0].OK || out.Calls[0].Error == "" {
		t.Errorf("the calls are %+v", out.Calls)
	}
	if _, err := r.Run(ctx, script("return 1"), host); err == nil {
		t.Error("a script ran for a context that was over")
	}
}

// testWaiting lets a person think for longer than the script may take.
func testWaiting(t *testing.T, r sandbox.Runtime) {
	h := func(ctx context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		defer sandbox.Waiting(ctx)()
		select {
		case <-time.After(1500 * time.Millisecond):
		case <-ctx.Done():
		}
		return args, ctx.Err()
	}
	s := script("await host.echo(1); return 1")
	s.Limits.Wall = time.Second
	out, err := r.Run(t.Context(), s, h)
	if err != nil || out.Failure != nil {
		t.Fatal(err, out.Failure)
	}
	wantJSON(t, out.Value, `1`)

	s.Limits.Total = 500 * time.Millisecond
	out, err = r.Run(t.Context(), s, h)
	if err != nil {
		t.Fatal(err)
	}
	wantFailure(t, out, "timeout", "500ms")
	if out.Failure.Limit != sandbox.LimitTotal {
		t.Errorf("the limit is %q, want %q", out.Failure.Limit, sandbox.LimitTotal)
	}
}
