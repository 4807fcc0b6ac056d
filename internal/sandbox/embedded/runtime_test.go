package embedded

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

func TestThin(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	iso, err := r.Warm(t.Context())
	t.Log(iso, err)
	for _, code := range []string{"return await host.echo(1, 'x')", "let x = 1;\n\nnull.foo", "ls -la", "for(;;) console.log('abc')", "return host.nope()"} {
		out, err := r.Run(t.Context(), sandbox.Script{Code: code, Functions: []string{"host.echo"}},
			func(ctx context.Context, f string, args json.RawMessage) (json.RawMessage, error) { return args, nil })
		t.Logf("%s %v %v %+v %v", out.Value, len(out.Logs), out.Calls, out.Failure, err)
		t.Log(out.Elapsed)
	}
}
