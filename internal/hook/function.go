package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// function runs a Go hook. One that ignores the end of its time goes on alone,
// keeps its turn, and nobody looks at what it returns.
func (r *Runner) function(ctx context.Context, h *hook, call *toolcrib.Call, result *toolcrib.Result) outcome {
	mine := Call{ID: call.ID, Tool: call.Tool, Args: slices.Clone(call.Args), Scope: call.Scope}
	var shown *toolcrib.Result
	if result != nil {
		own := copied(*result)
		shown = &own
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() { <-h.slots }()
		done <- r.guarded(ctx, h, mine, shown)
	}()
	select {
	case o := <-done:
		if ctx.Err() == nil {
			return o
		}
	case <-ctx.Done():
	}
	return outcome{fault: h.slow()}
}

// guarded calls the function and turns a panic into a fault.
func (r *Runner) guarded(ctx context.Context, h *hook, call Call, result *toolcrib.Result) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = outcome{fault: "it crashed", detail: fmt.Sprintf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	if h.Event == After {
		given := copied(*result)
		if err := h.AfterFunc(ctx, call, result); err != nil {
			return functionFault(err)
		}
		if err := checkResult(result); err != nil {
			return outcome{fault: err.Error()}
		}
		if reflect.DeepEqual(given, *result) {
			result = nil
		}
		return outcome{answer: answer{decision: Allow, result: result}}
	}
	given := slices.Clone(call.Args)
	v, err := h.BeforeFunc(ctx, &call)
	if err != nil {
		return functionFault(err)
	}
	a := answer{decision: Allow, reason: v.Reason, approval: v.Approval}
	switch v.Decision {
	case Block, Ask:
		a.decision = v.Decision
	case "", Allow:
	default:
		return outcome{fault: fmt.Sprintf("its decision %q is none of allow, block and ask", cut(string(v.Decision), maxKey))}
	}
	if !sameJSON(given, call.Args) {
		a.args = json.RawMessage(slices.Clone(call.Args))
		err = checkArgs(a.args)
	}
	if err == nil {
		err = v.Approval.check()
	}
	if err != nil {
		return outcome{fault: err.Error()}
	}
	return outcome{answer: a}
}

// copied is a result whose texts may be changed in place.
func copied(r toolcrib.Result) toolcrib.Result {
	r.Content, r.Details = slices.Clone(r.Content), slices.Clone(r.Details)
	for i := range r.Content {
		r.Content[i].Raw = slices.Clone(r.Content[i].Raw)
	}
	return r
}

// functionFault is the fault of a function that returned an error. Its text is
// for the log: it may hold anything.
func functionFault(err error) outcome {
	return outcome{fault: "it returned an error", detail: err.Error()}
}
