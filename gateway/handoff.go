package gateway

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	loop "github.com/toolcrib/toolcrib/internal/agent"
	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// callerTime is how long a call waits for the caller to run a tool of its own.
const callerTime = time.Hour

// handoffs are the calls of models that are on their way, by their ids. One of them
// may want the caller to run something, also in the middle of a body of code: it
// stays where it is until the caller has answered.
type handoffs struct {
	mu   sync.Mutex
	open map[string]*handoff
}

// handoff is one call of a model.
type handoff struct {
	id   string
	own  bool // it is itself a call of a tool of the caller's
	done chan toolsearch.Reply
	asks chan loop.Want
	end  context.CancelFunc

	mu      sync.Mutex
	answers map[string]chan loop.Delivered
}

// begin enters a call.
func (x *handoffs) begin(id string, own bool, end context.CancelFunc) *handoff {
	h := &handoff{id: id, own: own, done: make(chan toolsearch.Reply, 1), asks: make(chan loop.Want, 128), end: end, answers: map[string]chan loop.Delivered{}}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open == nil {
		x.open = map[string]*handoff{}
	}
	x.open[id] = h
	return h
}

// of finds the call that a nested id belongs to.
func (x *handoffs) of(callID string) *handoff {
	root, _, _ := strings.Cut(callID, ":")
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open[root]
}

// drop ends a call.
func (x *handoffs) drop(h *handoff) {
	x.mu.Lock()
	delete(x.open, h.id)
	x.mu.Unlock()
	h.end()
}

// close ends all of them.
func (x *handoffs) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, h := range x.open {
		h.end()
	}
	x.open = nil
}

// ask wants the caller to run a tool, and returns what it says.
func (h *handoff) ask(ctx context.Context, w loop.Want) (loop.Delivered, error) {
	answer := make(chan loop.Delivered, 1)
	h.mu.Lock()
	h.answers[w.Key] = answer
	h.mu.Unlock()
	defer sandbox.Waiting(ctx)() // a body's clock stands still meanwhile
	select {
	case h.asks <- w:
	case <-ctx.Done():
		return loop.Delivered{}, ctx.Err()
	}
	select {
	case d := <-answer:
		return d, nil
	case <-ctx.Done():
		return loop.Delivered{}, ctx.Err()
	}
}

// deliver hands on what the caller says; nobody waits for it twice.
func (h *handoff) deliver(d loop.Delivered) {
	h.mu.Lock()
	answer := h.answers[d.Key]
	delete(h.answers, d.Key)
	h.mu.Unlock()
	if answer != nil {
		answer <- d
	}
}

// together is how long wants of one call are collected, so that the caller runs
// those of a body that come side by side at once.
const together = 10 * time.Millisecond

// wait waits until the call has ended or wants something.
func (h *handoff) wait(ctx context.Context) (reply toolsearch.Reply, wants []loop.Want, err error) {
	select {
	case reply = <-h.done:
		return reply, nil, nil
	case w := <-h.asks:
		wants = append(wants, w)
	case <-ctx.Done():
		return reply, nil, ctx.Err()
	}
	collected := time.NewTimer(together)
	defer collected.Stop()
	for {
		select {
		case w := <-h.asks:
			wants = append(wants, w)
		case <-collected.C:
			return reply, wants, nil
		}
	}
}

// callers runs the tools that the caller of a model sent along: the caller does.
type callers struct{ *Gateway }

// Execute implements invoke.Executor.
func (c callers) Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	h := c.handoffs.of(call.ID)
	if h == nil {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindUnavailable, "the program that has "+call.Tool.Name+" doesn't wait for calls any more", "it must ask again")
	}
	want := loop.Want{Key: call.ID, Name: call.Tool.Name, Args: string(call.Args)}
	if h.own { // what the caller says goes to the model as it is
		h.asks <- want
		return toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("handed to the caller")}}, nil
	}
	d, err := h.ask(ctx, want)
	if err != nil {
		return toolcrib.Result{}, err
	}
	if d.Missing {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindTool, "the program that was to run it sent no result", "its effect may have happened")
	}
	return delivered(d.Text), nil
}

// delivered is what the caller says as a result. A JSON object or list is its
// structured value too.
func delivered(text string) toolcrib.Result {
	r := toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(text)}}
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		if json.Valid([]byte(trimmed)) {
			r.Details = json.RawMessage(trimmed)
		}
	}
	return r
}
