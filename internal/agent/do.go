package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
)

// errTime is the cause when the time of a run is over.
var errTime = errors.New("the time of the run is over")

// doing is a turn while it is being done.
type doing struct {
	*Turn
	Work
	writer  model.Writer
	steps   []model.Step // since the caller's last message
	usage   model.Usage  // of this turn
	free    bool         // the model has done its duty to call a tool
	ran     bool         // tools ran in this turn
	begun   bool
	header  http.Header // of the provider
	start   time.Time
	stopped string

	mu sync.Mutex // for Observe
}

// Do does the turn, and writes the answer to the sink. An error before the answer was
// begun (Outcome.Begun) is the caller's to be told by model.Dialect.Error; later ones
// have been written into the stream. A context that ends, as it does when the
// caller hangs up, ends the asking and the tools.
func (t *Turn) Do(ctx context.Context, w Work) (Outcome, error) {
	w.Budgets = w.Budgets.filled()
	d := &doing{Turn: t, Work: w, writer: t.prompt.Writer(), start: t.agent.opt.Now()}
	if w.Budgets.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, max(time.Millisecond, w.Budgets.Time-t.run.Active), errTime)
		defer cancel()
	}
	handed, err := d.all(ctx)
	if err != nil {
		err = d.fail(ctx, err)
	}
	return Outcome{Steps: d.run.Steps, Usage: d.run.Usage, Handed: handed, Stopped: d.stopped, Begun: d.begun}, err
}

// all does the turn to its end and returns how many calls were handed to the caller.
func (d *doing) all(ctx context.Context) (int, error) {
	if err := d.leave(ctx); err != nil {
		return 0, err
	}
	if d.segment >= 0 {
		next, err := d.resume(ctx)
		if err != nil || next > 0 {
			return d.hand(next, err)
		}
	}
	for {
		waiting, over, err := d.step(ctx)
		switch {
		case err != nil:
			return 0, err
		case over:
			return 0, d.end(model.Final{Stopped: d.stopped != "", Notice: notice(d.stopped, d.Budgets)})
		case len(waiting) > 0:
			return d.handOut(ctx, waiting)
		}
	}
}

// step asks the model once and runs what it calls. It returns the calls that
// want something of the caller, or that the run is over.
func (d *doing) step(ctx context.Context) (waiting []Waiting, over bool, err error) {
	if d.stopped = d.budget(); d.stopped != "" {
		return nil, true, nil
	}
	said, err := d.ask(ctx)
	if err != nil {
		return nil, false, err
	}
	d.run.Steps++
	d.run.Usage, d.usage = d.run.Usage.Add(said.Usage), d.usage.Add(said.Usage)
	d.observe(Event{Kind: EventSaid, Step: d.run.Steps, Said: said})
	if len(said.Calls) == 0 || said.Cut || d.info.Bare != "" {
		return nil, true, d.write(d.writer.StepEnd(said, false))
	}
	if d.stopped = d.budget(); d.stopped != "" {
		return nil, true, d.write(d.writer.StepEnd(said, false))
	}
	waiting = d.runCalls(ctx, said)
	if err := gone(ctx); err != nil {
		return nil, false, err
	}
	return waiting, false, d.write(d.writer.StepEnd(said, len(waiting) == 0))
}

// gone is the error of a turn whose caller is gone or whose time is over.
func gone(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return toolcrib.NewError(toolcrib.KindCanceled, "the caller went away", "").WithCause(context.Cause(ctx))
}

// runCalls runs the calls of a step beside each other.
func (d *doing) runCalls(ctx context.Context, said model.Said) []Waiting {
	answers := make([]Answer, len(said.Calls))
	inParallel(len(said.Calls), func(i int) {
		c := said.Calls[i]
		if c.Kind != "" && c.Kind != model.Function {
			answers[i] = Own(c.Name, c.Args) // of a kind that only the caller knows
			return
		}
		answers[i] = d.answering(c, func() Answer { return d.Toolbox.Call(ctx, c) })
	})
	step := model.Step{Said: said.Raw, Results: make([]model.Result, len(answers))}
	var waiting []Waiting
	for i, a := range answers {
		c := said.Calls[i]
		step.Results[i] = model.Result{CallID: c.ID, Text: a.Text, IsError: a.IsError}
		if len(a.Wants) == 0 {
			d.ran = true
			d.free = d.free || !a.Lookup
			continue
		}
		step.Results[i].Text = noAnswer
		waiting = append(waiting, Waiting{
			Step: len(d.steps), Result: i,
			Call: c, State: a.State, Own: a.Own, Wants: wanted(a.Wants),
		})
	}
	d.steps = append(d.steps, step)
	return waiting
}

// answering runs a call under observation.
func (d *doing) answering(c model.Call, run func() Answer) Answer {
	d.observe(Event{Kind: EventCall, Step: d.run.Steps, Call: c})
	start := d.agent.opt.Now()
	a := run()
	d.observe(Event{Kind: EventResult, Step: d.run.Steps, Call: c, Answer: a, Took: d.agent.opt.Now().Sub(start)})
	return a
}

func (d *doing) observe(e Event) {
	if d.Observe != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.Observe(e)
	}
}

// handOut keeps the run and asks the caller for what is wanted. Another request
// may have gone on with the run meanwhile; both ways are kept.
func (d *doing) handOut(ctx context.Context, waiting []Waiting) (int, error) {
	release, err := d.agent.hold(ctx, d.run.ID)
	if err != nil {
		return 0, err
	}
	defer release()
	if d.segment >= 0 {
		r, err := d.reload(ctx, d.run.ID, d.segment)
		if err != nil {
			return 0, err
		}
		d.run.Segments = r.Segments
	}
	d.run.Segments = append(d.run.Segments, Segment{Steps: d.steps})
	last := len(d.run.Segments) - 1
	for i := range waiting {
		waiting[i].Segment = last
	}
	d.run.Segments[last].Waiting = d.assign(waiting)
	d.account()
	return d.hand(last, d.save(ctx, &d.run))
}

// account adds the time of this turn to that of the run, before the run is kept.
func (d *doing) account() { d.run.Active += d.agent.opt.Now().Sub(d.start) }

// hand writes the calls of a segment to the caller.
func (d *doing) hand(segment int, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	var calls []model.Call
	for _, w := range d.run.Segments[segment].Waiting {
		for _, want := range w.Wants {
			if !want.Here {
				continue
			}
			c := model.Call{ID: want.ID, Name: want.Name, Args: want.Args}
			if w.Own && want.Name == w.Call.Name && want.Args == w.Call.Args {
				c.Kind, c.Raw = w.Call.Kind, w.Call.Raw
			}
			calls = append(calls, c)
			d.observe(Event{Kind: EventHand, Step: d.run.Steps, Call: c})
		}
	}
	return len(calls), d.end(model.Final{Calls: calls})
}

func (d *doing) end(f model.Final) error {
	f.Usage = d.usage
	return d.write(d.writer.End(f))
}

// budget names the budget that is used up.
func (d *doing) budget() string {
	b := d.Budgets
	switch {
	case b.Steps > 0 && d.run.Steps >= b.Steps:
		return "steps"
	case b.Tokens > 0 && d.run.Usage.Total() >= b.Tokens:
		return "tokens"
	case b.Time > 0 && d.run.Active+d.agent.opt.Now().Sub(d.start) >= b.Time:
		return "time"
	}
	return ""
}

// notice is what the caller reads of a budget that is used up.
func notice(stopped string, b Budgets) string {
	switch stopped {
	case "steps":
		return fmt.Sprintf("[Stopped before the work was done: the run has used its %d steps.]", b.Steps)
	case "tokens":
		return fmt.Sprintf("[Stopped before the work was done: the run has used its %d tokens.]", b.Tokens)
	case "time":
		return fmt.Sprintf("[Stopped before the work was done: the run has used its %v.]", b.Time)
	}
	return ""
}

// fail reports an error in a stream that has begun. Where the time was over it
// is no error: the answer ends with a notice.
func (d *doing) fail(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errTime) {
		d.stopped = "time"
		return d.end(model.Final{Stopped: true, Notice: notice("time", d.Budgets)})
	}
	if d.begun {
		_ = d.write(d.writer.Fail(err)) // the caller may be gone, which is the error then
		return err
	}
	var refusal *model.Refusal
	if errors.As(err, &refusal) && d.ran {
		once := *refusal
		once.Header = once.Header.Clone()
		if once.Header == nil {
			once.Header = map[string][]string{}
		}
		once.Header.Set("X-Should-Retry", "false") // tools would run again
		return &once
	}
	return err
}

// write sends a piece of the answer.
func (d *doing) write(piece []byte) error {
	if len(piece) == 0 {
		return nil
	}
	if !d.begun {
		d.begun = true
		if err := d.Sink.Begin(d.info.Stream, d.header); err != nil {
			return lost(err)
		}
	}
	if _, err := d.Sink.Write(piece); err != nil {
		return lost(err)
	}
	return nil
}

func lost(err error) error {
	return toolcrib.NewError(toolcrib.KindCanceled, "the caller went away", "").WithCause(err)
}
