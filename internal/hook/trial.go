package hook

import (
	"context"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Trial is what one run of one hook for a made-up call came to. Nothing in it but
// Reason was made clean.
type Trial struct {
	// Matches is false when the hook would not run for this tool.
	Matches bool
	// Sent is what it was told, Answer and Stderr what it said; both are bounded.
	Sent, Answer []byte
	Stderr       string
	// Exit is the exit code of a program that ended by itself, and Status that of a
	// webhook that answered.
	Exit   *int
	Status int
	Took   time.Duration
	Effect Effect
	Reason string
	// Call has the arguments as they would be, and Result the result; nil before a call.
	Call     toolcrib.Call
	Result   *toolcrib.Result
	Question *toolcrib.Question
	// Err is the error that would end the call; nil for none.
	Err error
}

// Try runs one hook for a call, whether or not it matches the tool, and records
// nothing. It reports false when there is no such hook.
func (r *Runner) Try(ctx context.Context, name string, event Event, call toolcrib.Call, result *toolcrib.Result) (Trial, bool) {
	list := r.before
	if event == After {
		list = r.after
	}
	for _, h := range list {
		if h.Name == name {
			return r.try(ctx, h, call, result), true
		}
	}
	return Trial{}, false
}

func (r *Runner) try(ctx context.Context, h *hook, call toolcrib.Call, result *toolcrib.Result) Trial {
	o := r.run(ctx, h, &call, result)
	err := r.refusal(ctx, h, o)
	t := Trial{
		Matches: h.matches(&call.Tool), Sent: o.trace.sent, Answer: o.trace.answer, Stderr: o.trace.stderr, Exit: o.trace.exit, Status: o.trace.status,
		Took: o.took, Effect: h.effect(o, err), Reason: r.told(o), Err: err, Call: call, Result: result,
	}
	if err != nil {
		return t
	}
	if o.args != nil {
		t.Call.Args = o.args
	}
	if o.result != nil {
		t.Result = o.result
	}
	if o.decision == Ask {
		q := r.question(h, &t.Call, o.answer)
		t.Question = &q
	}
	return t
}
