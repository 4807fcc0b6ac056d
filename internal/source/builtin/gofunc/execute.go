package gofunc

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/toolcrib/toolcrib"
)

type outcome struct {
	result toolcrib.Result
	err    error
}

// Execute runs the handler of call.Tool.ID.
//
// When ctx ends first, Execute returns KindCanceled or KindTimeout at once and
// what the handler answers later is dropped. A sequential tool is the
// exception: Execute waits for its handler, so that no second call of it can
// start while the first still works. A tool that is not there is KindNotFound;
// a panic is KindInternal, with its cause in the log alone.
func (s *Source) Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	tool, ok := s.now.Load().byID[call.Tool.ID]
	if !ok {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindNotFound,
			fmt.Sprintf("there is no tool %q", call.Tool.ID), "it may have been removed since it was listed: search again")
	}
	if err := ctx.Err(); err != nil {
		return toolcrib.Result{}, ended(tool.ID, err, "before it started")
	}
	if tool.ExecutionMode == toolcrib.ExecutionSequential {
		o := s.run(ctx, tool, call)
		return o.result, o.err
	}
	done := make(chan outcome, 1)
	go func() { done <- s.run(ctx, tool, call) }()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return toolcrib.Result{}, ended(tool.ID, ctx.Err(), "while it ran; its effect may have happened")
	}
}

// run calls the handler and turns what it did into words fit for a caller.
func (s *Source) run(ctx context.Context, tool Tool, call toolcrib.Call) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			s.logger.Error("a tool panicked", "tool", tool.ID, "call", call.ID, "panic", p, "stack", string(debug.Stack()))
			o = outcome{err: toolcrib.NewError(toolcrib.KindInternal,
				fmt.Sprintf("%s broke down while it ran; its effect may have happened", tool.ID),
				"the log has the cause").WithCause(fmt.Errorf("panic: %v", p))}
		}
	}()
	result, err := tool.Handler(ctx, call)
	if err != nil {
		return outcome{err: publicError(ctx, tool.ID, err)}
	}
	return outcome{result: result}
}

func publicError(ctx context.Context, id string, err error) error {
	if known := (*toolcrib.Error)(nil); errors.As(err, &known) {
		return known
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return ended(id, err, "while it ran; its effect may have happened")
	}
	return toolcrib.NewError(toolcrib.KindTool, fmt.Sprintf("%s failed: %v", id, err), "").WithCause(err)
}

// ended words the end of a context.
func ended(id string, err error, when string) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return toolcrib.NewError(toolcrib.KindTimeout, fmt.Sprintf("the time for %s ran out %s", id, when), "").WithCause(err)
	}
	return toolcrib.NewError(toolcrib.KindCanceled, fmt.Sprintf("the call of %s was cancelled %s", id, when), "").WithCause(err)
}
