package invoke

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

func TestNewRefuses(t *testing.T) {
	decide := func(*toolcrib.Tool, toolcrib.Scope) (bool, string) { return true, "" }
	for name, opt := range map[string]Options{
		"no policy":   {Executors: map[toolcrib.Source]Executor{toolcrib.SourceMCP: &executor{}}},
		"no executor": {Decide: decide},
	} {
		if _, err := New(opt); err == nil {
			t.Errorf("%s: made an invoker", name)
		}
	}
}

// TestCall walks what can happen to a call, and what is said of it.
func TestCall(t *testing.T) {
	for _, tt := range []struct {
		name, ref, args string
		beside          string
		ran             string // the arguments that reached the source; "" for none
		kind            toolcrib.Kind
		says            string
	}{
		{name: "trusted", ref: "plugin:shop:add", args: `{"title":"x"}`, ran: `{"title":"x"}`},
		{name: "by name", ref: " add ", args: `{"title":"x"}`, ran: `{"title":"x"}`},
		{name: "missing", ref: "add", args: `{}`, kind: toolcrib.KindInput, says: "title"},
		{name: "says what is expected", ref: "add", args: `{}`, kind: toolcrib.KindInput, says: "expected args: { title: string; count?: number }"},
		{name: "mistyped", ref: "add", args: `{"title":{}}`, kind: toolcrib.KindInput, says: "title"},
		{name: "misspelt", ref: "add", args: `{"titel":"x"}`, kind: toolcrib.KindInput, says: "titel"},
		{name: "no object", ref: "add", args: `[1,2]`, kind: toolcrib.KindInput, says: "arguments are wrong"},
		{name: "double-encoded", ref: "add", args: `"{\"title\":\"x\"}"`, ran: `{"title":"x"}`},
		{name: "flattened", ref: "add", beside: `{"title":"x"}`, ran: `{"title":"x"}`},
		{name: "wrapped", ref: "add", args: `{"args":{"title":"x"}}`, ran: `{"title":"x"}`},
		{name: "untrusted, not validated", ref: "mcp:forge:create", args: `{"wrong":1}`, ran: `{"wrong":1}`},
		{name: "untrusted, without a schema", ref: "free", args: ``, ran: `{}`},
		{name: "untrusted, flattened without a schema", ref: "free", beside: `{"a":1}`, ran: `{"a":1}`},
		{name: "untrusted, flattened under an open schema", ref: "mcp:forge:open", beside: `{"a":1}`, ran: `{"a":1}`},
		{name: "vouched for, validated", ref: "mcp:vouched:create", args: `{"wrong":1}`, kind: toolcrib.KindInput, says: "wrong"},
		{name: "its schema is bad", ref: "bad_input", args: `{}`, kind: toolcrib.KindTool, says: "did not run"},
		{name: "its output schema is bad", ref: "bad_output", args: `{"title":"x"}`, kind: toolcrib.KindTool, says: "did not run"},
		{name: "ambiguous", ref: "create", args: `{}`, kind: toolcrib.KindAmbiguous, says: "mcp:vouched:create"},
		{name: "unknown", ref: "nosuch", args: `{}`, kind: toolcrib.KindNotFound, says: "nosuch"},
		{name: "hidden", ref: "mcp:forge:hidden", args: `{}`, kind: toolcrib.KindNotFound, says: "there is no tool"},
		{name: "down", ref: "mcp:mail:send", args: `{}`, kind: toolcrib.KindUnavailable, says: "exit status 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := build(t)
			var beside map[string]json.RawMessage
			_ = json.Unmarshal([]byte(tt.beside), &beside)
			got, result, err := h.Call(t.Context(), Request{ID: "c1", Ref: tt.ref, Args: json.RawMessage(tt.args), Beside: beside})
			if toolcrib.KindOf(err) != tt.kind || (err != nil && !strings.Contains(err.Error(), tt.says)) {
				t.Fatalf("%v; want kind %q and %q", err, tt.kind, tt.says)
			}
			var ran string
			if len(h.executor.got) > 0 {
				ran = string(h.executor.got[0].Args)
			}
			if ran != tt.ran {
				t.Errorf("ran with %q, want %q", ran, tt.ran)
			}
			if err == nil && (result.Content[0].Text != "ok" || got.ID != h.executor.got[0].Tool.ID) {
				t.Errorf("tool %s, result %+v", got.ID, result)
			}
			if err != nil && got.ID != "" && !strings.Contains(err.Error(), got.ID) {
				t.Errorf("%q doesn't name %s", err, got.ID)
			}
			if e := h.recorder.events; len(e) != 1 || e[0].Failure != tt.kind || e[0].CallID != "c1" || e[0].Tool != got.ID {
				t.Errorf("recorded %+v", e)
			}
		})
	}
}

// TestOrder is the contract's order of steps.
func TestOrder(t *testing.T) {
	var order []string
	note := func(s string) { order = append(order, s) }
	h := build(t, func(o *Options) {
		o.Decide = func(*toolcrib.Tool, toolcrib.Scope) (bool, string) { note("policy"); return true, "" }
		o.Before = func(_ context.Context, c *toolcrib.Call) ([]toolcrib.Question, error) {
			note("before " + string(c.Args))
			c.Args = json.RawMessage(`{"title":"rewritten"}`)
			c.Tool.ID = "plugin:shop:other" // a hook may change arguments, not the target
			return []toolcrib.Question{{Title: "really?"}}, nil
		}
		o.Approve = func(_ context.Context, a Approval) error {
			note("approve " + string(a.Call.Args) + " " + a.Questions[0].Title)
			return nil
		}
		o.Audit = func(_ context.Context, c toolcrib.Call) error { note("audit " + string(c.Args)); return nil }
		o.After = func(_ context.Context, _ toolcrib.Call, r *toolcrib.Result) error {
			note("after " + string(r.Details))
			r.Details = json.RawMessage(`{"n":2}`)
			return nil
		}
	})
	h.executor.do = func(_ context.Context, c toolcrib.Call) (toolcrib.Result, error) {
		note("execute " + c.Tool.Name + " " + string(c.Args))
		return toolcrib.Result{Details: json.RawMessage(`{"n":"bad before the hook mends it"}`)}, nil
	}
	got, result, err := h.run(t, "count", `"{\"title\":\"x\"}"`)
	want := []string{`policy`, `before {"title":"x"}`, `policy`, `approve {"title":"rewritten"} really?`, `policy`, `audit {"title":"rewritten"}`, `execute count {"title":"rewritten"}`, `after {"n":"bad before the hook mends it"}`}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if err != nil || string(result.Details) != `{"n":2}` || got.ID != "plugin:shop:count" {
		t.Errorf("%s: %+v, %v", got.ID, result, err)
	}
	if h.executor.got[0].Tool.ID != "plugin:shop:count" {
		t.Errorf("a hook turned the call to %s", h.executor.got[0].Tool.ID)
	}
}

// TestWaiting: whoever counts the time is told how long a person is asked, and only then.
func TestWaiting(t *testing.T) {
	var order []string
	h := build(t, func(o *Options) {
		o.Approve = func(_ context.Context, a Approval) error {
			if len(order) == 0 { // the first call asks nobody
				order = append(order, "granted")
				return nil
			}
			defer a.Waiting()()
			order = append(order, "approve")
			return nil
		}
	})
	if _, _, err := h.run(t, "add", `{"title":"x"}`); err != nil {
		t.Fatal(err)
	}
	h.executor.do = func(context.Context, toolcrib.Call) (toolcrib.Result, error) {
		order = append(order, "execute")
		return toolcrib.Result{}, nil
	}
	_, _, err := h.Call(t.Context(), Request{
		ID: "c1", Ref: "add", Args: json.RawMessage(`{"title":"x"}`),
		Waiting: func() func() { order = append(order, "stop"); return func() { order = append(order, "resume") } },
	})
	if want := []string{"granted", "stop", "approve", "resume", "execute"}; err != nil || !cmp.Equal(order, want) {
		t.Errorf("%v, %v; want %v", order, err, want)
	}
}

// TestRefusals: whoever says no, it is said, and nothing runs.
func TestRefusals(t *testing.T) {
	asked := 0
	for name, tt := range map[string]struct {
		change func(*Options)
		kind   toolcrib.Kind
		says   string
	}{
		"policy": {func(o *Options) {
			o.Decide = func(*toolcrib.Tool, toolcrib.Scope) (bool, string) { return false, "global deny shop__*" }
		}, toolcrib.KindBlocked, "global deny shop__*"},
		"policy that changes its mind": {func(o *Options) {
			o.Decide = func(*toolcrib.Tool, toolcrib.Scope) (bool, string) { asked++; return asked == 1, "changed" }
		}, toolcrib.KindBlocked, "changed"},
		"policy that changes its mind while a person is asked": {func(o *Options) {
			denied := false
			o.Decide = func(*toolcrib.Tool, toolcrib.Scope) (bool, string) { return !denied, "changed" }
			o.Approve = func(context.Context, Approval) error { denied = true; return nil }
		}, toolcrib.KindBlocked, "changed"},
		"a hook": {func(o *Options) {
			o.Before = func(context.Context, *toolcrib.Call) ([]toolcrib.Question, error) {
				return nil, toolcrib.NewError(toolcrib.KindBlocked, "not on Fridays", "")
			}
		}, toolcrib.KindBlocked, "not on Fridays"},
		"a hook that fails": {func(o *Options) {
			o.Before = func(context.Context, *toolcrib.Call) ([]toolcrib.Question, error) {
				return nil, errors.New("secret detail")
			}
		}, toolcrib.KindBlocked, "did not run"},
		"a hook that panics": {func(o *Options) {
			o.Before = func(context.Context, *toolcrib.Call) ([]toolcrib.Question, error) { panic("secret detail") }
		}, toolcrib.KindInternal, "did not run"},
		"a hook that rewrites badly": {func(o *Options) {
			o.Before = func(_ context.Context, c *toolcrib.Call) ([]toolcrib.Question, error) {
				c.Args = json.RawMessage(`{"x":1}`)
				return nil, nil
			}
		}, toolcrib.KindInput, "title"},
		"a hook that rewrites to no object": {func(o *Options) {
			o.Before = func(_ context.Context, c *toolcrib.Call) ([]toolcrib.Question, error) {
				c.Args = json.RawMessage(`[1]`)
				return nil, nil
			}
		}, toolcrib.KindBlocked, "did not run"},
		"a hook that wants a person, and there is none": {func(o *Options) {
			o.Before = func(context.Context, *toolcrib.Call) ([]toolcrib.Question, error) {
				return []toolcrib.Question{{Rule: "hooks.careful"}}, nil
			}
		}, toolcrib.KindBlocked, "nobody to ask"},
		"approval": {func(o *Options) {
			o.Approve = func(context.Context, Approval) error {
				return toolcrib.NewError(toolcrib.KindBlocked, "nobody said yes", "")
			}
		}, toolcrib.KindBlocked, "nobody said yes"},
		"approval that panics": {func(o *Options) {
			o.Approve = func(context.Context, Approval) error { panic("secret detail") }
		}, toolcrib.KindInternal, "did not run"},
		"an audit record that can't be written": {func(o *Options) {
			o.Audit = func(context.Context, toolcrib.Call) error { return errors.New("secret detail: disk full") }
		}, toolcrib.KindUnavailable, "audit record"},
		"no executor": {func(o *Options) { delete(o.Executors, toolcrib.SourcePlugin) }, toolcrib.KindUnavailable, "search again"},
	} {
		h := build(t, tt.change)
		_, result, err := h.run(t, "add", `{"title":"x"}`)
		if toolcrib.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v; want kind %s and %q", name, err, tt.kind, tt.says)
		}
		if len(h.executor.got) != 0 || result.Content != nil {
			t.Errorf("%s: it ran all the same", name)
		}
	}
	h := build(t, func(o *Options) {
		o.After = func(context.Context, toolcrib.Call, *toolcrib.Result) error { return errors.New("x") }
	})
	if _, _, err := h.run(t, "add", `{"title":"x"}`); toolcrib.KindOf(err) != toolcrib.KindBlocked || !strings.Contains(err.Error(), "did run") {
		t.Errorf("a hook after the call that fails: %v", err)
	}
}

// TestHiddenIsLogged: the caller learns nothing, the operator's log the rule.
func TestHiddenIsLogged(t *testing.T) {
	var log bytes.Buffer
	h := build(t, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		o.Decide = func(*toolcrib.Tool, toolcrib.Scope) (bool, string) { return false, "global deny hidden" }
	})
	_, _, err := h.run(t, "mcp:forge:hidden", `{}`)
	if !errors.Is(err, catalog.ErrUnknown) || strings.Contains(err.Error(), "deny") {
		t.Errorf("the caller is told %v", err)
	}
	if !strings.Contains(log.String(), "global deny hidden") {
		t.Errorf("the log doesn't have the rule: %s", log.String())
	}
}

func TestOwnersGoFirst(t *testing.T) {
	own := &executor{}
	h := build(t, func(o *Options) { o.Owners = map[Owner]Executor{{toolcrib.SourceMCP, "forge"}: own} })
	if _, _, err := h.run(t, "free", `{}`); err != nil || len(own.got) != 1 || len(h.executor.got) != 0 {
		t.Errorf("%v: the owner's executor ran %d times", err, len(own.got))
	}
}

func TestSchemaCache(t *testing.T) {
	c := newSchemaCache(2)
	first, err := c.get(strict)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := c.get(strict); again != first {
		t.Error("a schema is compiled twice")
	}
	for _, s := range []string{`{"const":1}`, `{"const":2}`, `{"const":3}`, `{"const":4}`, `{"const":5}`, `{"type":"nonsense"}`} {
		_, _ = c.get(json.RawMessage(s))
	}
	if n := len(c.new) + len(c.old); n > 4 {
		t.Errorf("%d schemas are held, want at most 4", n)
	}
	if _, err := c.get(json.RawMessage(`{"type":"nonsense"}`)); err == nil {
		t.Error("a bad schema is good the second time")
	}
}

func BenchmarkCall(b *testing.B) {
	h := build(b)
	for b.Loop() {
		if _, _, err := h.run(b, "plugin:shop:add", `{"title":"x"}`); err != nil {
			b.Fatal(err)
		}
	}
}
