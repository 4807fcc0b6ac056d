package embedded

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/sandboxtest"
)

func newRuntime(t *testing.T) sandbox.Runtime {
	t.Helper()
	r, err := New(Options{Exe: program(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestContract(t *testing.T) { sandboxtest.Run(t, newRuntime(t)) }

func TestAbuse(t *testing.T) { sandboxtest.Abuse(t, newRuntime(t)) }

func TestEscapes(t *testing.T) { sandboxtest.Escapes(t, newRuntime(t)) }

// echo is a host that answers with the arguments.
func echo(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
	return args, nil
}
