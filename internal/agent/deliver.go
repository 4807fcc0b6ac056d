package agent

import (
	"context"
	"slices"
	"sync"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
)

// noAnswer is what the model is told of a call that the caller has left.
const noAnswer = "The program that was to run a part of this sent no result. It may or may not have run."

// leave closes the calls that the caller has left.
func (d *doing) leave(ctx context.Context) error {
	if d.left < 0 {
		return nil
	}
	release, err := d.agent.hold(ctx, d.leftRun)
	if err != nil {
		return err
	}
	defer release()
	r, err := d.reload(ctx, d.leftRun, d.left)
	if err != nil || r.Segments[d.left].Done {
		return err
	}
	seg := &r.Segments[d.left]
	for _, w := range seg.Waiting {
		if a, ok := d.Toolbox.(Abandoner); ok && !w.Own {
			a.Abandon(ctx, w.Call, w.State)
		}
	}
	seg.Done = true
	return d.save(ctx, r)
}

// reload reads a run again once it is held.
func (d *doing) reload(ctx context.Context, run string, segment int) (*Run, error) {
	r := d.found[run]
	now, ok, err := d.agent.opt.Store.Find(ctx, r.Segments[segment].ids()[0])
	if err == nil && ok && now.ID == run {
		*r = now
	}
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindUnavailable, "the runs that are kept can't be read", "").WithCause(err)
	}
	return r, nil
}

// save keeps a run, also when the caller is gone: what ran, ran.
func (d *doing) save(ctx context.Context, r *Run) error {
	if err := d.agent.opt.Store.Save(context.WithoutCancel(ctx), *r); err != nil {
		return toolcrib.NewError(toolcrib.KindUnavailable, "the run can't be kept, so that it can't go on", "try again").WithCause(err)
	}
	return nil
}

// resume hands the caller's results to the calls that wanted them. It returns
// the segment that asks the caller for more, 0 for none.
func (d *doing) resume(ctx context.Context) (next int, err error) {
	release, err := d.agent.hold(ctx, d.run.ID)
	if err != nil {
		return 0, err
	}
	defer release()
	r, err := d.reload(ctx, d.run.ID, d.segment)
	if err != nil {
		return 0, err
	}
	d.run = *r
	seg := &d.run.Segments[d.segment]
	if seg.Done {
		return seg.Next, nil
	}
	rest := d.deliver(ctx, seg)
	seg.Done = true
	if len(rest) > 0 {
		seg.Next = len(d.run.Segments)
		d.run.Segments = append(d.run.Segments, Segment{Waiting: d.assign(rest)})
		next = len(d.run.Segments) - 1
		d.account()
	}
	*r = d.run
	return next, d.save(ctx, &d.run)
}

// deliver gives each call what the caller said to its wants, and returns those
// that want more.
func (d *doing) deliver(ctx context.Context, seg *Segment) (rest []Waiting) {
	answered := d.answers()
	var ready []Waiting
	for _, w := range seg.Waiting {
		w.Wants = slices.Clone(w.Wants)
		complete := true
		for i := range w.Wants {
			want := &w.Wants[i]
			if want.Here {
				want.Delivered = delivered(want, answered)
			}
			want.Here = false
			complete = complete && want.ID != ""
		}
		switch {
		case !complete:
			rest = append(rest, w)
		case !w.Own:
			ready = append(ready, w)
		}
	}
	answers := make([]Answer, len(ready))
	inParallel(len(ready), func(i int) { answers[i] = d.goOnWith(ctx, ready[i]) })
	for i, w := range ready {
		if a := answers[i]; len(a.Wants) > 0 {
			w.State, w.Wants = a.State, wanted(a.Wants)
			rest = append(rest, w)
		} else {
			d.free = d.free || !a.Lookup
			d.run.settle(w, model.Result{Text: a.Text, IsError: a.IsError})
		}
	}
	return rest
}

func delivered(want *Wanted, answered map[string]model.Answered) *Delivered {
	a, ok := answered[model.Fold(want.ID)]
	return &Delivered{Key: want.Key, Text: a.Text, Raw: a.Raw, Missing: !ok}
}

func wanted(wants []Want) []Wanted {
	all := make([]Wanted, 0, len(wants))
	for _, w := range wants {
		all = append(all, Wanted{Want: w})
	}
	return all
}

func (d *doing) goOnWith(ctx context.Context, w Waiting) Answer {
	r := Resumption{Call: w.Call, State: w.State}
	for _, want := range w.Wants {
		r.Results = append(r.Results, *want.Delivered)
	}
	return d.answering(w.Call, func() Answer { return d.Toolbox.Resume(ctx, r) })
}

// assign gives ids to what the caller is asked for now: all that is wanted, or
// one if the caller takes one call at a time.
func (d *doing) assign(waiting []Waiting) []Waiting {
	for i := range waiting {
		for j := range waiting[i].Wants {
			if want := &waiting[i].Wants[j]; want.ID == "" {
				want.ID, want.Here = model.NewID(), true
				if waiting[i].Own {
					d.run.settle(waiting[i], model.Result{Theirs: want.ID})
				}
				if d.info.Serial {
					return waiting
				}
			}
		}
	}
	return waiting
}

// inParallel runs f for 0 to n-1, some at a time.
func inParallel(n int, f func(i int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, maxParallel)
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			f(i)
		})
	}
	group.Wait()
}
