package hook

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
)

// DefaultParallel is how many runs of one hook go on at a time; more wait for a turn.
const DefaultParallel = 16

// Options is what a Runner is made of.
type Options struct {
	Hooks []Hook
	// Host runs them. It outlives the Runner.
	Host *Host
	// Matcher compiles the patterns of one hook; it is required as soon as a hook
	// has patterns. The list is that of hooks.NAME.match.
	Matcher func(name string, patterns []string) (func(*toolcrib.Tool) bool, error)
	// Redact takes secrets out of a text; nil for none.
	Redact func(string) string
	// Record is told of each run that decided something; nil for nobody.
	Record func(Run)
	// Parallel bounds the runs of one hook that go on at a time, DefaultParallel if 0.
	Parallel int
	// Logger gets what a model isn't told; nil discards it.
	Logger *slog.Logger
}

// Runner runs hooks around calls. It is immutable and safe for concurrent use. A
// nil Runner has no hooks.
type Runner struct {
	before, after []*hook
	host          *Host
	redact        func(string) string
	record        func(Run)
	logger        *slog.Logger
}

// hook is a Hook that is ready to run.
type hook struct {
	Hook
	matches func(*toolcrib.Tool) bool
	slots   chan struct{}
}

// New checks the hooks and orders them. Its errors are of KindConfig.
func New(o Options) (*Runner, error) {
	r := &Runner{host: o.Host, redact: o.Redact, record: o.Record, logger: o.Logger}
	if r.redact == nil {
		r.redact = func(s string) string { return s }
	}
	if r.record == nil {
		r.record = func(Run) {}
	}
	if r.logger == nil {
		r.logger = slog.New(slog.DiscardHandler)
	}
	if o.Host == nil {
		return nil, toolcrib.NewError(toolcrib.KindInternal, "hook: Options.Host is missing", "")
	}
	for _, h := range o.Hooks {
		made, err := prepare(h, o)
		if err != nil {
			return nil, err
		}
		if h.Event == Before {
			r.before = append(r.before, made)
		} else {
			r.after = append(r.after, made)
		}
	}
	for _, list := range [][]*hook{r.before, r.after} {
		slices.SortStableFunc(list, func(a, b *hook) int {
			return cmp.Or(cmp.Compare(b.Priority, a.Priority), strings.Compare(a.Name, b.Name))
		})
	}
	return r, nil
}

// validName reports whether s is the name of a hook: one word, or for a hook of a
// plugin two, PLUGIN/NAME.
func validName(s string) bool {
	first, second, of := strings.Cut(s, "/")
	return toolcrib.ValidOwner(first) && (!of || toolcrib.ValidOwner(second))
}

// prepare checks one hook.
func prepare(h Hook, o Options) (*hook, error) {
	bad := func(what, hint string) error {
		return toolcrib.NewError(toolcrib.KindConfig, "hooks."+h.Name+" "+what, hint)
	}
	kinds := 0
	for _, is := range []bool{h.Command != "", h.URL != "", h.BeforeFunc != nil || h.AfterFunc != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case !validName(h.Name):
		return nil, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("%q is no name of a hook", cut(h.Name, maxKey)), "a name is a letter or digit, then at most 63 letters, digits, _, . or -")
	case !slices.Contains(Events(), h.Event):
		return nil, bad(fmt.Sprintf("has no event %q", h.Event), "it is before_tool_call or after_tool_call")
	case kinds != 1:
		return nil, bad("must have one of a command, a url and a function", "keep the one that is meant")
	case h.BeforeFunc != nil && h.Event != Before, h.AfterFunc != nil && h.Event != After:
		return nil, bad("has a function for the other event", "")
	case countOf(o.Hooks, h) > 1:
		return nil, bad("is there twice", "rename one")
	case len(h.Match) > 0 && o.Matcher == nil:
		return nil, toolcrib.NewError(toolcrib.KindInternal, "hook: Options.Matcher is missing", "")
	}
	h.Timeout = cmp.Or(h.Timeout, DefaultTimeout)
	made := &hook{Hook: h, matches: func(*toolcrib.Tool) bool { return true }, slots: make(chan struct{}, cmp.Or(o.Parallel, DefaultParallel))}
	if len(h.Match) > 0 {
		var err error
		if made.matches, err = o.Matcher(h.Name, h.Match); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// countOf counts the hooks with the name and event of h.
func countOf(all []Hook, h Hook) (n int) {
	for i := range all {
		if all[i].Name == h.Name && all[i].Event == h.Event {
			n++
		}
	}
	return n
}

// Before runs the hooks before a call, one after another. They may rewrite its
// arguments. It returns what persons are to be asked, or the error that blocks
// the call.
func (r *Runner) Before(ctx context.Context, call *toolcrib.Call) ([]toolcrib.Question, error) {
	if r == nil {
		return nil, nil
	}
	var asks []toolcrib.Question
	for _, h := range r.before {
		if !h.matches(&call.Tool) {
			continue
		}
		o := r.run(ctx, h, call, nil)
		if err := r.refusal(ctx, h, o); err != nil {
			r.decided(h, call, o, err)
			return nil, err
		}
		if o.args != nil {
			call.Args = o.args
		}
		if o.decision == Ask {
			asks = append(asks, r.question(h, call, o.answer))
		}
		r.decided(h, call, o, nil)
	}
	return asks, nil
}

// After runs the hooks after a call, one after another. They may change its
// result. An error withholds it.
func (r *Runner) After(ctx context.Context, call toolcrib.Call, result *toolcrib.Result) error {
	if r == nil {
		return nil
	}
	for _, h := range r.after {
		if !h.matches(&call.Tool) {
			continue
		}
		o := r.run(ctx, h, &call, result)
		err := r.refusal(ctx, h, o)
		r.decided(h, &call, o, err)
		if err != nil {
			return err
		}
		if o.result != nil {
			*result = *o.result
		}
	}
	return nil
}

// outcome is what one run of a hook came to.
type outcome struct {
	answer
	// fault says in words for anybody why there is no answer; detail is for the log.
	fault, detail string
	took          time.Duration
	trace         trace
}

// trace is what went back and forth, for a trial.
type trace struct {
	sent, answer []byte
	stderr       string
	exit         *int
	status       int
}

// run lets a hook judge a call, within its time.
func (r *Runner) run(ctx context.Context, h *hook, call *toolcrib.Call, result *toolcrib.Result) (o outcome) {
	start := time.Now()
	defer func() { o.took = time.Since(start) }()
	leave, err := r.host.enter()
	if err != nil {
		return outcome{fault: err.Error()}
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	defer context.AfterFunc(r.host.ctx, cancel)()
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return outcome{fault: fmt.Sprintf("it had no turn within %s: too many calls wait for it", h.Timeout)}
	}
	if h.BeforeFunc != nil || h.AfterFunc != nil {
		return r.function(ctx, h, call, result) // which gives the turn back when the function ends
	}
	defer func() { <-h.slots }()
	sent, err := payload(h, call, result)
	if err != nil {
		return outcome{fault: "the call can't be written as JSON", detail: err.Error()}
	}
	if h.URL != "" {
		o = r.host.post(ctx, h, sent)
	} else {
		o = r.host.command(ctx, h, sent)
	}
	if o.fault != "" && r.host.ctx.Err() != nil {
		o.fault = errClosed.Error()
	}
	if o.args != nil && sameJSON(o.args, call.Args) {
		o.args = nil
	}
	o.trace.sent = sent
	return o
}

// slow is the fault of a hook whose time ran out.
func (h *hook) slow() string { return fmt.Sprintf("it gave no answer within %s", h.Timeout) }
