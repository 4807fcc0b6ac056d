package embedded

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

var update = flag.Bool("update", false, "write testdata/failures.golden anew")

// TestFailuresAreWorded shows, word by word, what an author reads of a script
// that went wrong.
func TestFailuresAreWorded(t *testing.T) {
	r := newRuntime(t)
	h := func(_ context.Context, f string, args json.RawMessage) (json.RawMessage, error) {
		if f == "host.fail" {
			return nil, &sandbox.HostError{Kind: "tool", Message: "the mailbox is locked"}
		}
		return args, nil
	}
	var got strings.Builder
	for _, code := range []string{
		"const a = [1, 2\nreturn a",
		"const found = await host.search('x')\n  return found.items.length",
		"return host.list()",
		"const res = await fetch('https://example.com')\nreturn res",
		"const fs = require('fs')",
		"import x from 'y'",
		"const x: number = 1",
		"curl -X POST https://example.com",
		"Find the newest invoice and send it",
		"function f() {\n  return g()\n}\nfunction g() {\n  throw new RangeError('too far')\n}\nreturn f()",
		"const one = await host.search(1)\nawait host.fail({id: one})",
		"host.fail()\nreturn 1",
		"throw 'no'",
		"await new Promise(() => {})",
		"return new Function('return 1')()",
		"const f = () => f() + 1\nreturn f()",
		"return 'x'.repeat(1e6)",
		"for (;;) console.log('again')",
		"for (let i = 0; i < 200; i++) await host.search(i)",
		"return 'x'.repeat(2 ** 29)",
	} {
		s := sandbox.Script{Code: code, Functions: []string{"host.search", "host.fail"}}
		out, err := r.Run(t.Context(), s, h)
		if err != nil || out.Failure == nil {
			t.Fatalf("%s\nends with %s, %v", code, out.Value, err)
		}
		fmt.Fprintf(&got, "%s\n→ %s\n", code, out.Failure)
		if stack := out.Failure.Stack; stack != "" {
			fmt.Fprintln(&got, stack)
		}
		got.WriteString("\n")
	}
	const path = "testdata/failures.golden"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the words have changed; look at them, and use -update (-want +got):\n%s", diff)
	}
}
