package hook

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// bench is a Runner with what it recorded.
type bench struct {
	*Runner
	mu   sync.Mutex
	runs []Run
}

// open returns a Runner with these hooks.
func open(t testing.TB, hooks ...Hook) *bench { return openWith(t, Options{Hooks: hooks}) }

func openWith(t testing.TB, o Options) *bench {
	t.Helper()
	b := &bench{}
	o.Host = NewHost(HostOptions{Environ: append(os.Environ(), "PLAIN_SECRET=leaked")})
	t.Cleanup(o.Host.Close)
	o.Record = func(r Run) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.runs = append(b.runs, r)
	}
	o.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }
	o.Matcher = func(_ string, patterns []string) (func(*toolcrib.Tool) bool, error) {
		return func(tool *toolcrib.Tool) bool { return slices.Contains(patterns, tool.Name) }, nil
	}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	b.Runner = r
	return b
}

// effects are those of the recorded runs, as NAME:EFFECT.
func (b *bench) effects() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for _, r := range b.runs {
		all = append(all, r.Hook+":"+string(r.Effect))
	}
	return all
}

func aCall(args string) toolcrib.Call {
	return toolcrib.Call{
		ID: "c1:2", Args: json.RawMessage(args),
		Tool:  toolcrib.Tool{ID: "mcp:github:create_issue", Source: toolcrib.SourceMCP, Owner: "github", Name: "create_issue"},
		Scope: toolcrib.Scope{Agent: "main", Session: "s1", Run: "r1", Caller: "t1", Door: toolcrib.DoorMCP, Client: "codex"},
	}
}

func aResult() *toolcrib.Result {
	return &toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("card 4111")}, Details: json.RawMessage(`{"card":4111}`)}
}

// refused checks that an error is one of our own kind that says these words.
func refused(t *testing.T, err error, kind toolcrib.Kind, words ...string) {
	t.Helper()
	var known *toolcrib.Error
	if !errors.As(err, &known) || known.Kind != kind {
		t.Fatalf("got %v, want an error of kind %s", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q is not in %q", w, err)
		}
	}
}
