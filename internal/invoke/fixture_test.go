package invoke

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// executor is a source that does what it is told.
type executor struct {
	do  func(context.Context, toolcrib.Call) (toolcrib.Result, error)
	mu  sync.Mutex
	got []toolcrib.Call
}

func (e *executor) Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	e.mu.Lock()
	e.got = append(e.got, call)
	do := e.do
	e.mu.Unlock()
	if do == nil {
		return toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("ok")}}, nil
	}
	return do(ctx, call)
}

type recorder struct {
	mu     sync.Mutex
	events []toolcrib.Event
}

func (r *recorder) Record(e toolcrib.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

var strict = json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"count":{"type":"integer"}},"required":["title"],"additionalProperties":false}`)

func tool(source toolcrib.Source, owner, name string, change ...func(*toolcrib.Tool)) toolcrib.Tool {
	t := toolcrib.Tool{ID: toolcrib.MakeID(source, owner, name), Source: source, Owner: owner, Name: name, Parameters: strict}
	for _, f := range change {
		f(&t)
	}
	return t
}

func output(schema string) func(*toolcrib.Tool) {
	return func(t *toolcrib.Tool) { t.OutputSchema = json.RawMessage(schema) }
}

func sequential(t *toolcrib.Tool) { t.ExecutionMode = toolcrib.ExecutionSequential }

func listed(tools ...toolcrib.Tool) toolcrib.Listing {
	return toolcrib.Listing{Source: tools[0].Source, Owner: tools[0].Owner, State: toolcrib.StateReady, Known: true, Tools: tools}
}

// shop is a catalog with trusted and untrusted tools; "hidden" is denied.
func shop() *catalog.Catalog {
	return catalog.Plan([]toolcrib.Listing{
		listed(
			tool(toolcrib.SourcePlugin, "shop", "add"),
			tool(toolcrib.SourcePlugin, "shop", "count", output(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)),
			tool(toolcrib.SourcePlugin, "shop", "bad_output", output(`{"type":"nonsense"}`)),
			tool(toolcrib.SourcePlugin, "shop", "bad_input", func(t *toolcrib.Tool) { t.Parameters = json.RawMessage(`{"type":"nonsense"}`) }),
			tool(toolcrib.SourcePlugin, "shop", "alone", sequential),
		),
		listed(
			tool(toolcrib.SourceMCP, "forge", "create", output(`{"type":"string"}`)),
			tool(toolcrib.SourceMCP, "forge", "free", func(t *toolcrib.Tool) { t.Parameters = nil }),
			tool(toolcrib.SourceMCP, "forge", "open", func(t *toolcrib.Tool) { t.Parameters = json.RawMessage(`{"type":"object"}`) }),
			tool(toolcrib.SourceMCP, "forge", "hidden"),
		),
		listed(tool(toolcrib.SourceMCP, "vouched", "create", func(t *toolcrib.Tool) { t.Trusted = true })),
		{Source: toolcrib.SourceMCP, Owner: "mail", State: toolcrib.StateDown, Reason: "exit status 1", Known: true, Tools: []toolcrib.Tool{tool(toolcrib.SourceMCP, "mail", "send")}},
	}, func(t *toolcrib.Tool) bool { return t.Name != "hidden" })
}

// house is an invoker with everything that it works with.
type house struct {
	*Bound
	executor *executor
	recorder *recorder
}

func build(t testing.TB, change ...func(*Options)) house {
	t.Helper()
	h := house{executor: &executor{}, recorder: &recorder{}}
	opt := Options{
		Decide:    func(*toolcrib.Tool, toolcrib.Scope) (bool, string) { return true, "" },
		Executors: map[toolcrib.Source]Executor{toolcrib.SourcePlugin: h.executor, toolcrib.SourceMCP: h.executor},
		Recorder:  h.recorder,
	}
	for _, f := range change {
		f(&opt)
	}
	v, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	h.Bound = v.Bind(shop())
	return h
}

func (h house) run(t testing.TB, ref, args string) (toolcrib.Tool, toolcrib.Result, error) {
	t.Helper()
	return h.Call(t.Context(), Request{ID: "c1", Ref: ref, Args: json.RawMessage(args), Scope: toolcrib.Scope{Session: "s1"}})
}
