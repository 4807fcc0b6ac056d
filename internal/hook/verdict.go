package hook

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Effect is what a run of a hook did.
type Effect string

// The effects.
const (
	Allowed   Effect = "allowed"   // it let the call, or the result, be
	Rewrote   Effect = "rewrote"   // it gave other arguments
	Asked     Effect = "asked"     // it wants a person asked
	Blocked   Effect = "blocked"   // it refused the call
	Redacted  Effect = "redacted"  // it gave another result
	Withheld  Effect = "withheld"  // it refused to show the result
	Failed    Effect = "failed"    // it gave no clear answer, which is a no
	Abandoned Effect = "abandoned" // the caller went away while it ran
)

// Run is one run of a hook that decided something.
type Run struct {
	Hook   string
	Event  Event
	Call   toolcrib.Call
	Effect Effect
	// Reason is the hook's own, or why it failed; clean and short.
	Reason string
	Took   time.Duration
}

// refusal is the error of an outcome that stops a call, nil for one that doesn't.
func (r *Runner) refusal(ctx context.Context, h *hook, o outcome) error {
	happened, hint := "it did not run", "don't try again unless the operator changes the hook"
	if h.Event == After {
		happened, hint = "the tool did run, but its result is withheld", "don't repeat the call for its effect"
	}
	switch {
	case o.fault != "" && ctx.Err() != nil:
		return toolcrib.NewError(toolcrib.KindCanceled, fmt.Sprintf("the caller went away while hook %s ran; %s", h.Name, happened), "").WithCause(ctx.Err())
	case o.fault != "":
		return toolcrib.NewError(toolcrib.KindBlocked, fmt.Sprintf("blocked: hook %s failed: %s; %s", h.Name, o.fault, happened), "the operator must see to the hook")
	case o.decision == Block:
		why := cmp.Or(r.told(o), "it gave no reason")
		return toolcrib.NewError(toolcrib.KindBlocked, fmt.Sprintf("blocked by hook %s: %s", h.Name, why), happened+"; "+hint)
	}
	return nil
}

// effect sums an outcome up.
func (h *hook) effect(o outcome, err error) Effect {
	switch {
	case toolcrib.KindOf(err) == toolcrib.KindCanceled:
		return Abandoned
	case o.fault != "":
		return Failed
	case o.decision == Block && h.Event == After:
		return Withheld
	case o.decision == Block:
		return Blocked
	case o.decision == Ask:
		return Asked
	case o.args != nil:
		return Rewrote
	case o.result != nil:
		return Redacted
	}
	return Allowed
}

// decided records a run, unless it let everything be.
func (r *Runner) decided(h *hook, call *toolcrib.Call, o outcome, err error) {
	effect := h.effect(o, err)
	if effect == Failed {
		r.logger.Error("a hook failed, which is a no", "hook", h.Name, "tool", call.Tool.ID, "call", call.ID, "why", o.fault,
			"ms", o.took.Milliseconds(), "detail", cut(r.clean(o.detail), maxLogged))
	}
	if effect == Allowed {
		return
	}
	r.record(Run{Hook: h.Name, Event: h.Event, Call: *call, Effect: effect, Reason: r.told(o), Took: o.took})
}

// sameJSON reports whether two texts differ in white space around them at most.
func sameJSON(a, b []byte) bool { return bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b)) }
