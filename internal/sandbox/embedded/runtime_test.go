package embedded

import (
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/sandboxtest"
)

func newRuntime(t *testing.T) sandbox.Runtime {
	t.Helper()
	r, err := New(Options{})
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
