package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// calling is a runtime whose every script calls one tool and returns the envelope.
type calling struct {
	tool   string
	closed bool
}

func (c *calling) Name() string { return "calling" }

func (c *calling) Close() error { c.closed = true; return nil }

func (c *calling) Run(ctx context.Context, s sandbox.Script, h sandbox.Host) (sandbox.Outcome, error) {
	value, err := h(ctx, "openclaw.tools.call", json.RawMessage(`["`+c.tool+`",{"text":"hello"}]`))
	if err != nil {
		return sandbox.Outcome{Failure: &sandbox.Failure{Kind: err.(*sandbox.HostError).Kind, Message: err.Error()}}, nil
	}
	return sandbox.Outcome{Value: value, Logs: []sandbox.Log{{Level: "log", Text: s.Code}}}, nil
}

// openWith is open with a runtime in place of those of the sandbox.
func openWith(t *testing.T, o Options, start func(context.Context, wantedRuntime) (sandbox.Runtime, error), so SessionOptions) (*Gateway, *Session) {
	t.Helper()
	g, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	g.runtimes.start = start
	t.Cleanup(func() { g.Close() })
	s, err := g.Open(so)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return g, s
}

func TestCodeMode(t *testing.T) {
	runtime := &calling{tool: "plugin:app:first"}
	started := 0
	o := Options{Tools: []Tool{echo("first")}, Settings: []string{"tools.toolSearch=true"}}
	g, s := openWith(t, o, func(_ context.Context, w wantedRuntime) (sandbox.Runtime, error) { started++; return runtime, nil }, SessionOptions{})
	surface := s.Surface(t.Context())
	if got := names(surface); surface.Mode() != "code" || !cmp.Equal(got, []string{"tool_search_code"}) {
		t.Fatalf("toolSearch: true gives mode %s with %v", surface.Mode(), got)
	}
	reply := surface.Call(t.Context(), SurfaceCall{Name: "tool_search_code", Args: json.RawMessage(`{"code":"x"}`), CallID: "c", Scope: s.Scope()})
	if reply.IsError || !strings.Contains(reply.Text, `"details":{"text":"hello"}`) {
		t.Errorf("the code answered %s", reply.Text)
	}
	direct, err := g.Open(SessionOptions{Mode: "direct"})
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	result, err := direct.RunCode(t.Context(), "y", CodeOptions{})
	if err != nil || result.Error != nil || len(result.Steps) != 1 || result.Steps[0].Target != "plugin:app:first" || result.Logs[0].Text != "y" {
		t.Errorf("a session of mode direct: %+v, %v", result, err)
	}
	api := client.New(client.InProcess(g.Control()), "")
	ran, err := api.Code(t.Context(), client.CodeRequest{Code: "z"})
	if err != nil || !ran.OK || len(ran.Steps) != 1 || !ran.Steps[0].OK || ran.Telemetry.Calls != 1 {
		t.Errorf("the control API: %+v, %v", ran, err)
	}
	if _, err := api.Code(t.Context(), client.CodeRequest{Code: "z", TimeoutMs: -1}); toolcrib.KindOf(err) != toolcrib.KindInput {
		t.Errorf("a negative timeout: %v", err)
	}
	if started != 1 {
		t.Errorf("%d runtimes were started", started)
	}
	g.Close()
	if !runtime.closed {
		t.Error("the runtime outlives the gateway")
	}
	if _, err := direct.RunCode(t.Context(), "x", CodeOptions{}); toolcrib.KindOf(err) != toolcrib.KindUnavailable {
		t.Errorf("after the end: %v", err)
	}
}

// TestCodeInChildren: many sessions run code at once, each in a child of its own, and each sees its own answers.
func TestCodeInChildren(t *testing.T) {
	g, first := open(t, Options{Tools: []Tool{echo("first")}, Settings: []string{"tools.toolSearch=true"}, Sandbox: able}, SessionOptions{})
	if m := first.Surface(t.Context()).Mode(); m != "code" {
		t.Fatalf("mode %s", m)
	}
	var wg sync.WaitGroup
	for n := range 12 {
		wg.Go(func() {
			s, err := g.Open(SessionOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			result, err := s.RunCode(t.Context(), fmt.Sprintf(`
				const all = await Promise.all([1, 2, 3].map(i => openclaw.tools.call("first", {text: "%d." + i})));
				globalThis.left = "%d";
				return all.map(r => r.result.details.text).join();`, n, n), CodeOptions{})
			if want := fmt.Sprintf(`"%d.1,%d.2,%d.3"`, n, n, n); err != nil || string(result.Value) != want {
				t.Errorf("code %d: %s, %+v, %v; want %s", n, result.Value, result.Error, err, want)
			}
			for i, step := range result.Steps {
				if step.N != i+1 || step.Target != "plugin:app:first" || !step.OK {
					t.Errorf("code %d: step %d is %+v", n, i, step)
				}
			}
		})
	}
	wg.Wait()
	result, err := first.RunCode(t.Context(), `return typeof left`, CodeOptions{})
	if err != nil || string(result.Value) != `"undefined"` {
		t.Errorf("a later script sees what an earlier one left: %s, %v", result.Value, err)
	}
}

// TestCodeNeedsSandboxMain: a program that doesn't call it is never started a second time.
func TestCodeNeedsSandboxMain(t *testing.T) {
	_, s := open(t, Options{Tools: []Tool{echo("first")}, Settings: []string{"tools.toolSearch=true"}}, SessionOptions{})
	if m := s.Surface(t.Context()).Mode(); m != "tools" {
		t.Errorf("mode %s", m)
	}
	if _, err := s.RunCode(t.Context(), "return 1", CodeOptions{}); toolcrib.KindOf(err) != toolcrib.KindUnavailable || !strings.Contains(err.Error(), "gateway.SandboxMain") {
		t.Errorf("running code: %v", err)
	}
}

// TestCodeModeWithoutRuntime: tools in its place, one line in the log, and it is tried once.
func TestCodeModeWithoutRuntime(t *testing.T) {
	tried := 0
	var log strings.Builder
	o := Options{Tools: []Tool{echo("first")}, Settings: []string{"tools.toolSearch.mode=code", "tools.toolSearch.codeRuntime=node"}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	g, s := openWith(t, o, func(_ context.Context, w wantedRuntime) (sandbox.Runtime, error) {
		tried++
		if w.name != "node" || w.processOnly {
			t.Errorf("wanted %+v", w)
		}
		return nil, errors.New("node is not fenced in")
	}, SessionOptions{})
	if m := s.Surface(t.Context()).Mode(); m != "tools" {
		t.Errorf("mode %s", m)
	}
	other, err := g.Open(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if m := other.Surface(t.Context()).Mode(); m != "tools" {
		t.Errorf("the second session: mode %s", m)
	}
	if _, err := s.RunCode(t.Context(), "x", CodeOptions{}); toolcrib.KindOf(err) != toolcrib.KindUnavailable || !strings.Contains(err.Error(), "not fenced in") {
		t.Errorf("running code: %v", err)
	}
	if n := strings.Count(log.String(), "level=WARN"); tried != 1 || n != 1 {
		t.Errorf("tried %d times, %d warnings:\n%s", tried, n, log.String())
	}
}

// TestCodeIsRefused: by policy, and where Tool Search is off; nothing is started then.
func TestCodeIsRefused(t *testing.T) {
	for _, setting := range []string{`tools.deny=["tool_search_code"]`, "tools.toolSearch=false"} {
		_, s := openWith(t, Options{Tools: []Tool{echo("first")}, Settings: []string{setting}}, func(context.Context, wantedRuntime) (sandbox.Runtime, error) {
			t.Errorf("%s: a runtime was started", setting)
			return nil, errors.New("none")
		}, SessionOptions{})
		if _, err := s.RunCode(t.Context(), "x", CodeOptions{}); toolcrib.KindOf(err) != toolcrib.KindBlocked {
			t.Errorf("%s: %v", setting, err)
		}
		if m := s.Surface(t.Context()).Mode(); m != "direct" {
			t.Errorf("%s: mode %s", setting, m)
		}
	}
}

func TestWantedRuntime(t *testing.T) {
	for name, want := range map[string]string{"": "embedded", "auto": "embedded", "embedded": "embedded", "node": "node"} {
		if got := wanted(config.ToolSearch{CodeRuntime: name, CodeIsolation: "process"}); got.name != want || !got.processOnly {
			t.Errorf("%q: %+v", name, got)
		}
	}
}
