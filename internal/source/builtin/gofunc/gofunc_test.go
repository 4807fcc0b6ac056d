package gofunc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/sourcetest"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func open(t *testing.T, o Options) *Source {
	t.Helper()
	if o.Logger == nil {
		o.Logger = quiet()
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func execute(t *testing.T, s *Source, id, args string) (toolcrib.Result, error) {
	t.Helper()
	return s.Execute(t.Context(), toolcrib.Call{ID: "c1", Tool: toolcrib.Tool{ID: id}, Args: json.RawMessage(args)})
}

func answer(text string) Handler {
	return func(context.Context, toolcrib.Call) (toolcrib.Result, error) {
		return toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(text)}}, nil
	}
}

func named(owner, name, text string) Tool {
	return Tool{Tool: toolcrib.Tool{Owner: owner, Name: name, Description: text}, Handler: answer(text)}
}

type addInput struct {
	A    int      `json:"a" jsonschema:"the first number"`
	B    int      `json:"b" jsonschema:"the second number"`
	Note string   `json:"note,omitempty"`
	Tags []string `json:"tags,omitempty"`
}

type addOutput struct {
	Sum int `json:"sum"`
}

func add(_ context.Context, in addInput) (addOutput, error) {
	if in.Note == "fail" {
		return addOutput{}, errors.New("the abacus is broken")
	}
	return addOutput{in.A + in.B}, nil
}

func TestFuncDescribesItself(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Tools: []Tool{Func("add", "Add two numbers.", add, Titled("Add"), ReadOnly(), Idempotent(), Destructive(false), OpenWorld(false), DirectOnly(), Sequential(), OwnerOnly())}})
	got := s.Listings(t.Context(), toolcrib.Scope{})[0].Tools[0]
	want := toolcrib.Tool{
		ID: "plugin:app:add", Source: toolcrib.SourcePlugin, Owner: "app", Name: "add", Label: "Add", Description: "Add two numbers.",
		Parameters:    json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer","description":"the first number"},"b":{"type":"integer","description":"the second number"},"note":{"type":"string"},"tags":{"type":["null","array"],"items":{"type":"string"}}},"required":["a","b"],"additionalProperties":false}`),
		OutputSchema:  json.RawMessage(`{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false}`),
		Annotations:   toolcrib.Annotations{ReadOnly: new(true), Idempotent: new(true), Destructive: new(false), OpenWorld: new(false)},
		CatalogMode:   toolcrib.CatalogDirectOnly,
		ExecutionMode: toolcrib.ExecutionSequential,
		OwnerOnly:     true,
	}
	if diff := cmp.Diff(want, got, cmp.Transformer("json", func(r json.RawMessage) string { return string(r) })); diff != "" {
		t.Errorf("tool (-want +got):\n%s", diff)
	}
}

func TestFuncAnswers(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Tools: []Tool{
		Func("add", "d", add),
		Func("none", "d", func(context.Context, struct{}) ([]string, error) { return nil, nil }),
		Func("any", "d", func(context.Context, map[string]int) (any, error) { return map[string]string{"a": "<b>"}, nil }),
		Func("raw", "d", func(context.Context, struct{}) (toolcrib.Result, error) {
			return toolcrib.Result{IsError: true}, nil
		}),
		Func("kind", "d", func(context.Context, struct{}) (int, error) {
			return 0, fmt.Errorf("wrapped: %w", toolcrib.NewError(toolcrib.KindLimit, "too many", ""))
		}),
		Func("bad", "d", func(context.Context, struct{}) (any, error) { return make(chan int), nil }),
		FuncCall("who", "d", func(_ context.Context, c toolcrib.Call, _ struct{}) (string, error) { return c.ID, nil }),
	}})
	for _, c := range []struct {
		name, args, want string
		failed           bool
		kind             toolcrib.Kind
	}{
		{"add", `{"a":2,"b":40}`, `{"sum":42}`, false, ""},
		{"add", ``, `{"sum":0}`, false, ""},
		{"add", `{"note":"fail"}`, "the abacus is broken", true, ""},
		{"add", `{"a":"2"}`, `argument "a" of plugin:app:add can't be a string`, false, toolcrib.KindInput},
		{"add", `[`, "not a JSON object", false, toolcrib.KindInput},
		{"none", `{}`, `[]`, false, ""},
		{"any", `{}`, `{"a":"<b>"}`, false, ""},
		{"raw", `{}`, ``, true, ""},
		{"kind", `{}`, "too many", false, toolcrib.KindLimit},
		{"bad", `{}`, "did run", false, toolcrib.KindOutput},
		{"who", `{}`, `"c1"`, false, ""},
	} {
		r, err := execute(t, s, "plugin:app:"+c.name, c.args)
		got := ""
		if len(r.Content) > 0 {
			got = r.Content[0].Text
		}
		if err != nil {
			got = err.Error()
		}
		if toolcrib.KindOf(err) != c.kind || r.IsError != c.failed || !strings.Contains(got, c.want) {
			t.Errorf("%s %s = %q, isError %v, kind %q", c.name, c.args, got, r.IsError, toolcrib.KindOf(err))
		}
		if err == nil && !r.IsError && string(r.Details) != got {
			t.Errorf("%s: details %s, content %s", c.name, r.Details, got)
		}
	}
}

func TestOnlyPromisedShapesAreListed(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Tools: []Tool{
		Func("any", "d", func(context.Context, struct{}) (any, error) { return 1, nil }),
		Func("raw", "d", func(context.Context, struct{}) (toolcrib.Result, error) { return toolcrib.Result{}, nil }),
		Func("own", "d", func(context.Context, struct{}) (int, error) { return 1, nil },
			InputSchema(json.RawMessage(`{"type":"object"}`)), OutputSchema(json.RawMessage(`{"type":"number"}`))),
	}})
	for _, tool := range s.Listings(t.Context(), toolcrib.Scope{})[0].Tools {
		want := map[string]string{"any": "", "raw": "", "own": `{"type":"number"}`}[tool.Name]
		if string(tool.OutputSchema) != want {
			t.Errorf("%s: output schema %s", tool.Name, tool.OutputSchema)
		}
	}
}

func TestWhatCantBeOfferedIsRefusedByName(t *testing.T) {
	t.Parallel()
	good := named("o", "good", "g")
	for want, tool := range map[string]Tool{
		"no handler":             {Tool: toolcrib.Tool{Owner: "o", Name: "t"}},
		"no name":                {Tool: toolcrib.Tool{Owner: "o"}, Handler: answer("")},
		"can't be an owner":      {Tool: toolcrib.Tool{Owner: "a:b", Name: "t"}, Handler: answer("")},
		"not \"mcp\"":            {Tool: toolcrib.Tool{Source: toolcrib.SourceMCP, Owner: "o", Name: "t"}, Handler: answer("")},
		"input schema":           {Tool: toolcrib.Tool{Name: "t", Parameters: json.RawMessage(`[]`)}, Handler: answer("")},
		"output schema":          {Tool: toolcrib.Tool{Name: "t", OutputSchema: json.RawMessage(`{`)}, Handler: answer("")},
		"_meta":                  {Tool: toolcrib.Tool{Name: "t", Meta: json.RawMessage(`1`)}, Handler: answer("")},
		"want a struct or a map": Func("t", "d", func(context.Context, int) (int, error) { return 0, nil }),
		"no schema can be made":  Func("t", "d", func(context.Context, struct{ C chan int }) (int, error) { return 0, nil }),
	} {
		_, err := New(Options{Tools: []Tool{good, tool}})
		if toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
		s := open(t, Options{})
		if err := s.Add(good, tool); err == nil || len(s.Listings(t.Context(), toolcrib.Scope{})) != 0 {
			t.Errorf("%s: Add took some of the tools, err %v", want, err)
		}
	}
}

func TestAddAndRemoveMakeNewListings(t *testing.T) {
	t.Parallel()
	var changed []string
	var log bytes.Buffer
	s := open(t, Options{
		Tools:    []Tool{named("b", "one", "1"), named("a", "one", "1")},
		OnChange: func(source toolcrib.Source, owner string) { changed = append(changed, string(source)+":"+owner) },
		Logger:   slog.New(slog.NewTextHandler(&log, nil)),
	})
	first := s.Listings(t.Context(), toolcrib.Scope{})
	if len(changed) != 0 || first[0].Owner != "a" || first[1].Owner != "b" {
		t.Fatalf("changed %v, listings %v", changed, first)
	}
	if err := s.Add(named("b", "another", "2")); err != nil {
		t.Fatal(err)
	}
	second := s.Listings(t.Context(), toolcrib.Scope{})
	if len(first[1].Tools) != 1 || len(second[1].Tools) != 2 || second[1].Tools[0].Name != "another" {
		t.Errorf("before %v, after %v", first[1].Tools, second[1].Tools)
	}
	if first[0].Fingerprint != second[0].Fingerprint || first[1].Fingerprint == second[1].Fingerprint {
		t.Error("exactly the fingerprint of b must change")
	}
	if err := s.Add(named("b", "another", "2")); err != nil { // no change to the listing
		t.Fatal(err)
	}
	if err := s.Add(named("b", "another", "3")); err != nil {
		t.Fatal(err)
	}
	if got, err := execute(t, s, "plugin:b:another", ""); err != nil || got.Content[0].Text != "3" || !strings.Contains(log.String(), "plugin:b:another") {
		t.Errorf("the later one must win with a warning: %v, %v, log %s", got, err, &log)
	}
	if n := s.Remove("plugin:b:another", "plugin:a:one", "plugin:a:none"); n != 2 {
		t.Errorf("removed %d", n)
	}
	if diff := cmp.Diff(first[1:], s.Listings(t.Context(), toolcrib.Scope{})); diff != "" {
		t.Errorf("after removal (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"plugin:b", "plugin:b", "plugin:a", "plugin:b"}, changed); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if _, err := execute(t, s, "plugin:a:one", ""); toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("a removed tool: %v", err)
	}
}

func TestAPanicIsToldByNameOnly(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	for _, mode := range []toolcrib.ExecutionMode{toolcrib.ExecutionParallel, toolcrib.ExecutionSequential} {
		s := open(t, Options{
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Tools: []Tool{{
				Tool:    toolcrib.Tool{Name: "boom", ExecutionMode: mode},
				Handler: func(context.Context, toolcrib.Call) (toolcrib.Result, error) { panic("password=hunter2") },
			}},
		})
		_, err := execute(t, s, "plugin:app:boom", "")
		if toolcrib.KindOf(err) != toolcrib.KindInternal || !strings.Contains(err.Error(), "plugin:app:boom") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("err = %v", err)
		}
	}
	if n := strings.Count(log.String(), "a tool panicked"); n != 2 || !strings.Contains(log.String(), "hunter2") {
		t.Errorf("log: %s", &log)
	}
}

func TestAHandlersErrors(t *testing.T) {
	t.Parallel()
	plain := errors.New("no paper")
	s := open(t, Options{Tools: []Tool{
		{Tool: toolcrib.Tool{Name: "plain"}, Handler: func(context.Context, toolcrib.Call) (toolcrib.Result, error) { return toolcrib.Result{}, plain }},
		{Tool: toolcrib.Tool{Name: "known"}, Handler: func(context.Context, toolcrib.Call) (toolcrib.Result, error) {
			return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindBlocked, "not today", "")
		}},
	}})
	if _, err := execute(t, s, "plugin:app:plain", ""); toolcrib.KindOf(err) != toolcrib.KindTool || !errors.Is(err, plain) || err.Error() != "plugin:app:plain failed: no paper" {
		t.Errorf("err = %v", err)
	}
	if _, err := execute(t, s, "plugin:app:known", ""); toolcrib.KindOf(err) != toolcrib.KindBlocked || err.Error() != "not today" {
		t.Errorf("err = %v", err)
	}
}

// A caller is not kept waiting by a handler that ignores its context, unless the
// tool is sequential.
func TestTheContextIsRespected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		deaf := func(context.Context, toolcrib.Call) (toolcrib.Result, error) {
			time.Sleep(time.Hour)
			return toolcrib.Result{}, nil
		}
		polite := func(ctx context.Context, _ toolcrib.Call) (toolcrib.Result, error) {
			<-ctx.Done()
			return toolcrib.Result{}, fmt.Errorf("giving up: %w", ctx.Err())
		}
		s := open(t, Options{Tools: []Tool{
			{Tool: toolcrib.Tool{Name: "deaf"}, Handler: deaf},
			{Tool: toolcrib.Tool{Name: "alone", ExecutionMode: toolcrib.ExecutionSequential}, Handler: deaf},
			{Tool: toolcrib.Tool{Name: "polite", ExecutionMode: toolcrib.ExecutionSequential}, Handler: polite},
		}})
		for _, c := range []struct {
			name  string
			kind  toolcrib.Kind
			after time.Duration
		}{
			{"deaf", toolcrib.KindTimeout, time.Second},
			{"alone", "", time.Hour},
			{"polite", toolcrib.KindTimeout, time.Second},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			start := time.Now()
			_, err := s.Execute(ctx, toolcrib.Call{Tool: toolcrib.Tool{ID: "plugin:app:" + c.name}})
			cancel()
			if toolcrib.KindOf(err) != c.kind || time.Since(start) != c.after {
				t.Errorf("%s: %v after %v", c.name, err, time.Since(start))
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Execute(ctx, toolcrib.Call{Tool: toolcrib.Tool{ID: "plugin:app:deaf"}}); toolcrib.KindOf(err) != toolcrib.KindCanceled || !strings.Contains(err.Error(), "before it started") {
			t.Errorf("err = %v", err)
		}
	})
}

func TestChangesAndCallsAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Tools: []Tool{named("o", "stays", "s")}})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 50 {
				tool := named("o", fmt.Sprint(w), fmt.Sprint(i))
				if err := s.Add(tool); err != nil {
					t.Error(err)
				}
				if _, err := execute(t, s, "plugin:o:stays", ""); err != nil {
					t.Error(err)
				}
				_ = s.Listings(t.Context(), toolcrib.Scope{})
				if n := s.Remove("plugin:o:" + fmt.Sprint(w)); n != 1 {
					t.Errorf("removed %d", n)
				}
			}
		})
	}
	wg.Wait()
	if l := s.Listings(t.Context(), toolcrib.Scope{}); len(l) != 1 || len(l[0].Tools) != 1 {
		t.Errorf("left: %v", l)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, func(t *testing.T) sourcetest.Source {
		return open(t, Options{Tools: []Tool{
			Func("add", "d", add), named("b", "x", "d"), named("b", "a", "d"),
			Func("read", "d", add, OwnedBy(toolcrib.SourceCore, "numbers")),
		}})
	})
}
