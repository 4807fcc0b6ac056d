package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/invoke"
	"github.com/toolcrib/toolcrib/internal/source/builtin/demo"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// workbench is the demo catalog and the tools that bodies are measured with.
type workbench struct {
	catalog *catalog.Catalog
	caller  caller
}

func newWorkbench() (*workbench, error) {
	services, err := demo.New(demo.Options{})
	if err != nil {
		return nil, err
	}
	own, err := gofunc.New(gofunc.Options{Tools: []gofunc.Tool{waiting(), orders()}})
	if err != nil {
		return nil, err
	}
	v, err := invoke.New(invoke.Options{
		Decide:    func(*toolcrib.Tool, toolcrib.Scope) (bool, string) { return true, "" },
		Executors: map[toolcrib.Source]invoke.Executor{toolcrib.SourcePlugin: services},
		Owners:    map[invoke.Owner]invoke.Executor{{Source: toolcrib.SourcePlugin, Owner: owner}: own},
	})
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	listings := append(services.Listings(ctx, toolcrib.Scope{}), own.Listings(ctx, toolcrib.Scope{})...)
	c := catalog.Plan(listings, func(*toolcrib.Tool) bool { return true })
	return &workbench{c, caller{v.Bind(c)}}, nil
}

// surface is what a model would see, over a runtime.
func (w *workbench) surface(r toolsearch.Runner) (*toolsearch.Surface, error) {
	return toolsearch.Open(toolsearch.Options{Mode: toolsearch.ModeCode, Catalog: w.catalog, Caller: w.caller, Runner: r})
}

// caller runs tools for a surface.
type caller struct{ bound *invoke.Bound }

// Call implements toolsearch.Caller.
func (c caller) Call(ctx context.Context, r toolsearch.Request) (toolcrib.Tool, toolcrib.Result, error) {
	return c.bound.Call(ctx, invoke.Request(r))
}

// owner is that of the tools below.
const owner = "bench"

// waiting is a tool that takes 50 ms.
func waiting() gofunc.Tool {
	type number struct {
		N int `json:"n"`
	}
	return gofunc.Func("wait", "Answer the number after 50 ms.", func(ctx context.Context, in number) (number, error) {
		timer := time.NewTimer(50 * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
			return in, nil
		case <-ctx.Done():
			return in, ctx.Err()
		}
	}, gofunc.OwnedBy(toolcrib.SourcePlugin, owner))
}

// orders is a tool that answers 5 MB of JSON.
func orders() gofunc.Tool {
	const size = 5 << 20
	var b bytes.Buffer
	b.WriteString(`{"orders":[`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"ORD-%06d","customer":"customer %d","city":"city %d","paid":%t,"total":%d,"note":"left at the door"}`, i, i%977, i%20, i%3 > 0, i*7919%500)
	}
	b.WriteString(`]}`)
	details := json.RawMessage(b.Bytes())
	return gofunc.Tool{
		Tool: toolcrib.Tool{
			Source: toolcrib.SourcePlugin, Owner: owner, Name: "orders", Description: "List all orders.",
			Parameters: json.RawMessage(`{"type":"object","properties":{}}`),
		},
		Handler: func(context.Context, toolcrib.Call) (toolcrib.Result, error) {
			return toolcrib.Result{Details: details}, nil
		},
	}
}
