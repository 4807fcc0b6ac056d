package mcp

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

// quick are times for tests.
var quick = tuning{retryMin: 10 * time.Millisecond, retryMax: 50 * time.Millisecond, grace: 500 * time.Millisecond, debounce: 20 * time.Millisecond}

// sdkTools are those of sdkServer.
var sdkTools = []string{"ask", "echo", "grow", "steps", "wait"}

// open makes a source that ends with the test.
func open(t *testing.T, o Options) *Source {
	t.Helper()
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.tuning == (tuning{}) {
		o.tuning = quick
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// limit is a context for what must come, however loaded the machine is.
func limit(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// await waits until the condition of a shared server will do.
func await(t *testing.T, s *Source, server, what string, good func(condition) bool) condition {
	t.Helper()
	p, err := s.find(server)
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.link("")
	if err != nil {
		t.Fatal(err)
	}
	ctx := limit(t)
	c := l.await(ctx, good)
	if ctx.Err() != nil {
		lines, _ := s.Log(server, 20)
		t.Fatalf("%s is not %s but %s (%s)\n%s", server, what, c.state, c.reason, strings.Join(lines, "\n"))
	}
	return c
}

// ready waits until a server is ready.
func ready(t *testing.T, s *Source, server string) condition {
	t.Helper()
	return await(t, s, server, "ready", func(c condition) bool { return c.state == toolcrib.StateReady })
}

// down waits until a server is down.
func down(t *testing.T, s *Source, server string) condition {
	t.Helper()
	return await(t, s, server, "down", func(c condition) bool { return c.state == toolcrib.StateDown })
}

// listing returns one server's.
func listing(t *testing.T, s *Source, server string) toolcrib.Listing {
	t.Helper()
	all := s.Listings(t.Context(), toolcrib.Scope{})
	i := slices.IndexFunc(all, func(l toolcrib.Listing) bool { return l.Owner == server })
	if i < 0 {
		t.Fatalf("no listing of %s", server)
	}
	return all[i]
}

// names are those of a listing's tools.
func names(l toolcrib.Listing) (out []string) {
	for _, t := range l.Tools {
		out = append(out, t.Name)
	}
	return out
}

// call runs a tool.
func call(t *testing.T, s *Source, server, tool, args string) (toolcrib.Result, error) {
	t.Helper()
	return s.Execute(limit(t), toolcrib.Call{
		ID: "1", Tool: toolcrib.Tool{ID: toolcrib.MakeID(toolcrib.SourceMCP, server, tool), Source: toolcrib.SourceMCP, Owner: server, Name: tool},
		Args: json.RawMessage(args),
	})
}

// said is the text of a call that must succeed.
func said(t *testing.T, s *Source, server, tool, args string) string {
	t.Helper()
	r, err := call(t, s, server, tool, args)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if len(r.Content) == 0 {
		t.Fatalf("%s answered nothing", tool)
	}
	return r.Content[0].Text
}

// want fails unless an error is of a kind and its text holds all of the words.
func want(t *testing.T, err error, kind toolcrib.Kind, words ...string) {
	t.Helper()
	if toolcrib.KindOf(err) != kind {
		t.Fatalf("error %v is of kind %q, want %q", err, toolcrib.KindOf(err), kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q doesn't say %q", err, w)
		}
	}
}

func TestListAndCall(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "raw", "plain"), fake(t, "sdk", "sdk")}})
	ready(t, s, "raw")
	ready(t, s, "sdk")
	if got := names(listing(t, s, "raw")); !slices.Equal(got, []string{"echo"}) {
		t.Errorf("raw lists %v", got)
	}
	if got := names(listing(t, s, "sdk")); !slices.Equal(got, sdkTools) {
		t.Errorf("sdk lists %v", got)
	}
	if got := said(t, s, "raw", "echo", `{"n":12345678901234567890}`); got != `{"n":12345678901234567890}` {
		t.Errorf("raw echo: %s", got)
	}
	if got := said(t, s, "sdk", "echo", `{"text":"hello"}`); got != "hello" {
		t.Errorf("sdk echo: %s", got)
	}
	for i, protocol := range []string{"2024-11-05", "2026-07-28"} {
		if got := s.Status()[i].Protocol; got != protocol {
			t.Errorf("server %d speaks %s, want %s", i, got, protocol)
		}
	}
}
