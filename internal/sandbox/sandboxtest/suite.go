// Package sandboxtest owns the tests that every sandbox runtime passes: that
// scripts do what they should (Run), that none gets out (Escapes), and that
// none does harm from within (Abuse). It knows no runtime.
package sandboxtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// Run tests what a runtime promises. All of it runs in children of one runtime.
func Run(t *testing.T, r sandbox.Runtime) {
	t.Run("values", func(t *testing.T) { testValues(t, r) })
	t.Run("notes", func(t *testing.T) { testNotes(t, r) })
	t.Run("readings", func(t *testing.T) { testReadings(t, r) })
	t.Run("errors", func(t *testing.T) { testErrors(t, r) })
	t.Run("host errors", func(t *testing.T) { testHostErrors(t, r) })
	t.Run("logs", func(t *testing.T) { testLogs(t, r) })
	t.Run("determinism", func(t *testing.T) { testDeterminism(t, r) })
	t.Run("calls", func(t *testing.T) { testCalls(t, r) })
	t.Run("limits", func(t *testing.T) { testLimits(t, r) })
	t.Run("cancel", func(t *testing.T) { testCancel(t, r) })
	t.Run("waiting", func(t *testing.T) { testWaiting(t, r) })
}

// functions are those of the suite's host.
var functions = []string{"host.echo", "host.all", "host.fail", "host.block", "host.data.list"}

// host answers the suite's functions.
func host(ctx context.Context, function string, args json.RawMessage) (json.RawMessage, error) {
	switch function {
	case "host.echo": // its first argument
		var list []json.RawMessage
		if err := json.Unmarshal(args, &list); err != nil || len(list) == 0 {
			return nil, err
		}
		return list[0], nil
	case "host.all": // its arguments
		return args, nil
	case "host.fail":
		return nil, &sandbox.HostError{Kind: "tool", Message: "the tool is broken", Data: json.RawMessage(`{"code":7}`)}
	case "host.block": // until it is canceled
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case "host.data.list": // n records
		var n []int
		if err := json.Unmarshal(args, &n); err != nil {
			return nil, err
		}
		return records(n[0]), nil
	}
	return nil, fmt.Errorf("the suite has no %s", function)
}

// records is a JSON list of n records of about 100 bytes.
func records(n int) json.RawMessage {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"record number %d","group":"g%d","size":%d,"open":%t}`, i, i, i%17, i*7919%1000, i%3 == 0)
	}
	b.WriteByte(']')
	return json.RawMessage(b.String())
}

// script is a script with the suite's functions.
func script(code string) sandbox.Script {
	return sandbox.Script{Code: code, Functions: functions, Limits: sandbox.Limits{Wall: 20 * time.Second}}
}

// do runs a script that the runtime must be able to run.
func do(t *testing.T, r sandbox.Runtime, s sandbox.Script) sandbox.Outcome {
	t.Helper()
	out, err := r.Run(t.Context(), s, host)
	if err != nil {
		t.Fatalf("the runtime can't run %q: %v", s.Code, err)
	}
	return out
}

// good runs code that must not fail.
func good(t *testing.T, r sandbox.Runtime, code string) sandbox.Outcome {
	t.Helper()
	out := do(t, r, script(code))
	if out.Failure != nil {
		t.Fatalf("%s\nfails: %v\n%s", code, out.Failure, out.Failure.Stack)
	}
	return out
}

// bad runs code that must fail in this way.
func bad(t *testing.T, r sandbox.Runtime, s sandbox.Script, kind, says string) sandbox.Outcome {
	t.Helper()
	out := do(t, r, s)
	wantFailure(t, out, kind, says)
	return out
}

func wantFailure(t *testing.T, out sandbox.Outcome, kind, says string) {
	t.Helper()
	switch {
	case out.Failure == nil:
		t.Fatalf("it returned %.200s, want a failure of kind %s that says %q", out.Value, kind, says)
	case out.Failure.Kind != kind || !strings.Contains(out.Failure.Error(), says):
		t.Fatalf("it failed with %v, want kind %s and %q in it", out.Failure, kind, says)
	case out.Value != nil:
		t.Errorf("it failed and has the value %.200s", out.Value)
	}
}

// wantJSON compares a value with JSON.
func wantJSON(t *testing.T, got json.RawMessage, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%.200s is not JSON: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("the test wants %s, which is not JSON: %v", want, err)
	}
	if diff := cmp.Diff(b, a); diff != "" {
		t.Errorf("the value is not the wanted one (-want +got):\n%s", diff)
	}
}
