package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	loop "github.com/toolcrib/toolcrib/internal/agent"
	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// toolbox is what one run of a model may use: the surface of its session, with the
// caller's own tools in it.
type toolbox struct {
	gateway *Gateway
	surface *toolsearch.Surface
	scope   toolcrib.Scope
	tools   []model.Tool
	callers map[string]bool // the shown names of the caller's tools
}

// newToolbox makes the tools that the model is offered. A tool of the caller that
// the model has to call is shown whatever the mode.
func newToolbox(g *Gateway, s *toolsearch.Surface, scope toolcrib.Scope, info model.Info) *toolbox {
	b := &toolbox{gateway: g, surface: s, scope: scope, callers: map[string]bool{}}
	raw := map[string]model.Tool{}
	for _, t := range info.Tools {
		raw[toolcrib.MakeID(toolcrib.SourceClient, "", t.Name)] = t
	}
	for _, v := range s.Tools() {
		t := model.Tool{Name: v.Name, Description: v.Description, Parameters: v.InputSchema}
		if theirs, ok := raw[v.ID]; ok {
			b.callers[v.Name] = true
			if theirs.Name == v.Name {
				t = theirs
			}
		}
		b.tools = append(b.tools, t)
	}
	for _, name := range slices.Concat([]string{info.Choice}, info.Allowed) {
		theirs, ok := raw[toolcrib.MakeID(toolcrib.SourceClient, "", name)]
		if ok && !b.callers[name] && !slices.ContainsFunc(b.tools, func(t model.Tool) bool { return t.Name == name }) {
			b.tools, b.callers[name] = append(b.tools, theirs), true
		}
	}
	return b
}

// Tools implements loop.Toolbox.
func (b *toolbox) Tools() []model.Tool { return b.tools }

// Call implements loop.Toolbox.
func (b *toolbox) Call(ctx context.Context, c model.Call) loop.Answer {
	args := strings.TrimSpace(c.Args)
	if args == "" {
		args = "{}"
	}
	if !json.Valid([]byte(args)) {
		return loop.Answer{IsError: true, Text: failureText(toolcrib.NewError(toolcrib.KindInput, "the arguments are no JSON", "write one JSON object"))}
	}
	// The call outlives the request when the caller has to run something for it.
	inner, end := context.WithTimeout(context.WithoutCancel(ctx), callerTime)
	h := b.gateway.handoffs.begin(newID(), b.callers[c.Name], end)
	go func() {
		request := toolsearch.CallRequest{Name: c.Name, Args: json.RawMessage(args), CallID: h.id, Scope: b.scope}
		if h.own { // also one that the mode keeps behind the controls
			h.done <- b.handOver(inner, request)
			return
		}
		h.done <- b.surface.Call(inner, request)
	}()
	return b.await(ctx, h, c)
}

// handOver takes a call of a tool of the caller's along the one way, at whose end
// it is handed over.
func (b *toolbox) handOver(ctx context.Context, r toolsearch.CallRequest) toolsearch.Reply {
	ref := toolcrib.MakeID(toolcrib.SourceClient, "", r.Name)
	for _, v := range b.surface.Tools() {
		if v.Name == r.Name && v.ID != "" {
			ref = v.ID
		}
	}
	_, _, err := b.surface.Run(ctx, toolsearch.Request{ID: r.CallID, Ref: ref, Args: r.Args, Scope: r.Scope})
	if err != nil {
		return toolsearch.Reply{Text: failureText(err), IsError: true}
	}
	return toolsearch.Reply{Text: "handed to the caller"}
}

// Resume implements loop.Toolbox.
func (b *toolbox) Resume(ctx context.Context, r loop.Resumption) loop.Answer {
	h := b.waiting(r.State)
	if h == nil {
		return loop.Answer{IsError: true, Text: failureText(toolcrib.NewError(toolcrib.KindUnavailable,
			"the gateway was started anew, or the answer came too late: the call has ended", "what it ran before may have had its effect"))}
	}
	for _, d := range r.Results {
		h.deliver(d)
	}
	return b.await(ctx, h, r.Call)
}

// Abandon implements loop.Abandoner.
func (b *toolbox) Abandon(_ context.Context, _ model.Call, state json.RawMessage) {
	if h := b.waiting(state); h != nil {
		b.gateway.handoffs.drop(h)
	}
}

// handoffState is what a run keeps of a call that waits.
type handoffState struct {
	Handoff string `json:"handoff"`
}

func (b *toolbox) waiting(state json.RawMessage) *handoff {
	var s handoffState
	if json.Unmarshal(state, &s) != nil || s.Handoff == "" {
		return nil
	}
	return b.gateway.handoffs.of(s.Handoff)
}

// await waits until the call has ended or wants something of the caller.
func (b *toolbox) await(ctx context.Context, h *handoff, c model.Call) loop.Answer {
	reply, wants, err := h.wait(ctx)
	switch {
	case err != nil:
		b.gateway.handoffs.drop(h)
		return loop.Answer{IsError: true, Text: failureText(toolcrib.NewError(toolcrib.KindCanceled, "the call was cancelled", "its effect may have happened"))}
	case h.own && len(wants) > 0:
		b.gateway.handoffs.drop(h)
		return loop.Own(wants[0].Name, wants[0].Args)
	case len(wants) > 0:
		state, err := json.Marshal(handoffState{h.id})
		if err != nil {
			state = nil // an id can always be written
		}
		return loop.Answer{Wants: wants, State: state}
	}
	b.gateway.handoffs.drop(h)
	return loop.Answer{Text: replyText(reply), IsError: reply.IsError, Lookup: lookup(c.Name)}
}

// lookup reports whether a control only finds out about tools.
func lookup(name string) bool {
	return name == toolsearch.SearchControl || name == toolsearch.DescribeControl
}

// replyText is a reply as text alone, all that a tool's message may hold.
func replyText(r toolsearch.Reply) string {
	parts := []string{}
	if r.Text != "" {
		parts = append(parts, r.Text)
	}
	for _, b := range r.Blocks {
		if b.Type == "text" {
			parts = append(parts, b.Text)
			continue
		}
		parts = append(parts, fmt.Sprintf("[a block of type %q, which can't be shown here]", b.Type))
	}
	if len(parts) == 0 && len(r.Structured) > 0 {
		parts = append(parts, string(r.Structured))
	}
	return strings.Join(parts, "\n")
}

// failureText is an error in the form of the controls.
func failureText(err error) string {
	return toolsearch.Failure(err).Text
}
