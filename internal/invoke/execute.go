package invoke

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/toolcrib/toolcrib"
)

// execute waits for the call's turn and lets its source run it.
func (c *run) execute(ctx context.Context) error {
	executor := c.executor()
	if executor == nil {
		return toolcrib.NewError(toolcrib.KindUnavailable, fmt.Sprintf("nothing here runs tools of %s %s any more", c.tool.Source, c.tool.Owner), "search again: the catalog has changed")
	}
	limit := c.timeout()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	leave, err := c.invoker.lanes.enter(ctx, c.call.Scope, c.tool.ExecutionMode == toolcrib.ExecutionSequential)
	if err != nil {
		return c.ended(err, limit)
	}
	c.ran = true
	done := make(chan outcome, 1)
	call := c.call
	send, stop := relayed(call.Progress)
	defer stop()
	call.Progress = send
	go func() {
		defer leave() // a tool that ignores its deadline keeps its turn until it really ends
		done <- c.guarded(ctx, executor, call)
	}()
	select {
	case o := <-done:
		return c.accept(ctx, o, limit)
	case <-ctx.Done():
	}
	select {
	case o := <-done: // it ended at the same moment
		return c.accept(ctx, o, limit)
	default:
		return c.ended(ctx.Err(), limit)
	}
}

// outcome is what an executor returned.
type outcome struct {
	result toolcrib.Result
	err    error
}

// guarded runs the executor and turns a panic into an error.
func (c *run) guarded(ctx context.Context, e Executor, call toolcrib.Call) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			c.invoker.opt.Logger.Error("a tool panicked", "tool", call.Tool.ID, "call", call.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			o = outcome{err: toolcrib.NewError(toolcrib.KindInternal, "the tool crashed while it ran", "its effect may have happened; the log has the details").
				WithCause(fmt.Errorf("panic: %v", p))}
		}
	}()
	result, err := e.Execute(ctx, call)
	return outcome{result, err}
}

// accept takes over what the executor returned.
func (c *run) accept(ctx context.Context, o outcome, limit time.Duration) error {
	if o.err != nil {
		if ctx.Err() != nil && errors.Is(o.err, ctx.Err()) {
			return c.ended(ctx.Err(), limit)
		}
		return o.err
	}
	if size := sizeOf(o.result); !c.tool.TrustsOutput() && size > c.invoker.opt.MaxResult {
		return toolcrib.NewError(toolcrib.KindLimit, fmt.Sprintf("the tool did run, but its result of %d bytes is over the limit of %d", size, c.invoker.opt.MaxResult),
			"ask it for less")
	}
	c.result = o.result
	return c.normalise()
}

// normalise makes every result one that can be written as JSON: content is a
// list, also when empty, and a value that is null is none.
func (c *run) normalise() error {
	r := &c.result
	if r.Content == nil {
		r.Content = []toolcrib.Content{}
	}
	if string(r.Details) == "null" {
		r.Details = nil
	}
	if len(r.Details) > 0 && !json.Valid(r.Details) {
		return broken("its structured value is not JSON")
	}
	for i, b := range r.Content {
		if b.Raw != nil && !json.Valid(b.Raw) {
			return broken(fmt.Sprintf("block %d of its result is not JSON", i+1))
		}
	}
	return nil
}

// ended explains a context that ended before the tool did.
func (c *run) ended(err error, limit time.Duration) error {
	if !c.ran {
		if errors.Is(err, context.DeadlineExceeded) {
			return toolcrib.NewError(toolcrib.KindTimeout, fmt.Sprintf("it did not run: it waited %s for other calls of this session", limit), "try again when they have ended").WithCause(err)
		}
		return toolcrib.NewError(toolcrib.KindCanceled, "it did not run: the caller went away while it waited for its turn", "").WithCause(err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return toolcrib.NewError(toolcrib.KindTimeout, fmt.Sprintf("no answer within %s", limit), "its effect may have happened: check before you repeat the call").WithCause(err)
	}
	return toolcrib.NewError(toolcrib.KindCanceled, "the caller went away while it ran", "its effect may have happened").WithCause(err)
}

func (c *run) executor() Executor {
	if e := c.invoker.opt.Owners[Owner{c.tool.Source, c.tool.Owner}]; e != nil {
		return e
	}
	return c.invoker.opt.Executors[c.tool.Source]
}

func (c *run) timeout() time.Duration {
	if f := c.invoker.opt.TimeoutFor; f != nil {
		if d := f(c.tool); d > 0 {
			return d
		}
	}
	return cmp.Or(c.invoker.opt.Timeout, DefaultTimeout)
}

// sizeOf counts the bytes that a result holds.
func sizeOf(r toolcrib.Result) int {
	n := len(r.Details)
	for _, b := range r.Content {
		n += max(len(b.Text), len(b.Raw))
	}
	return n
}
