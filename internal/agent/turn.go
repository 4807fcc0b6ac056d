package agent

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
)

// Who is calling.
type Who struct {
	// Caller is whose runs these are: what another caller began is not found.
	Caller string
	// Session is the one that the caller names; "" leaves it to its history.
	Session string
}

// Turn is one request of a caller, which begins a run or goes on with one.
type Turn struct {
	agent   *Agent
	prompt  model.Prompt
	info    model.Info
	run     Run
	segment int // that goes on; -1 when the run begins
	left    int // that the caller has left, in found[leftRun]; -1 for none
	leftRun string
	session string
	found   map[string]*Run // whose traces are in the history
}

// Begin finds the run that a request goes on with, or begins one.
//
// A request goes on with a run when its history ends in results of calls that
// the run asked for, whatever the caller added after them. If it ends without
// any of those results, because the user said something else, the calls count
// as left, and a new run begins. A result that comes again changes nothing: what was
// delivered first counts, and the model is asked again.
func (a *Agent) Begin(ctx context.Context, who Who, p model.Prompt) (*Turn, error) {
	t := &Turn{agent: a, prompt: p, info: p.Info(), segment: -1, left: -1, found: map[string]*Run{}}
	byID := map[string]*Run{}
	for _, id := range t.info.CallIDs {
		r, err := t.find(ctx, who.Caller, model.Fold(id), byID)
		if err != nil {
			return nil, err
		}
		if r != nil {
			t.session = r.Session
		}
	}
	answered := t.answers()
	for _, id := range slices.Backward(t.info.OpenCallIDs) {
		if r := byID[model.Fold(id)]; r != nil {
			t.goOn(*r, r.segmentOf(model.Fold(id)), answered)
			break
		}
	}
	if who.Session != "" {
		t.session = who.Session
	}
	if t.session == "" {
		t.session = "s" + strings.ToLower(rand.Text())
	}
	if t.segment < 0 {
		t.run = Run{ID: "r" + strings.ToLower(rand.Text()), Session: t.session, Caller: who.Caller}
	}
	return t, nil
}

// find finds the run of an id of ours. Each run is read once.
func (t *Turn) find(ctx context.Context, caller, id string, byID map[string]*Run) (*Run, error) {
	if r, known := byID[id]; known || !model.IsOurs(id) {
		return r, nil
	}
	r, ok, err := t.agent.opt.Store.Find(ctx, id)
	if err != nil {
		return nil, toolcrib.NewError(toolcrib.KindUnavailable, "the runs that are kept can't be read", "").WithCause(err)
	}
	if !ok || r.Caller != caller {
		byID[id] = nil
		return nil, nil
	}
	t.found[r.ID] = &r
	for _, each := range r.IDs() {
		byID[each] = &r
	}
	return &r, nil
}

// answers are the results in the history by their ids; the first of each counts.
func (t *Turn) answers() map[string]model.Answered {
	all := map[string]model.Answered{}
	for _, a := range slices.Backward(t.info.Answered) {
		all[model.Fold(a.ID)] = a
	}
	return all
}

// goOn goes on with a segment, or leaves it when none of its calls is answered.
func (t *Turn) goOn(r Run, segment int, answered map[string]model.Answered) {
	for _, id := range r.Segments[segment].ids() {
		if _, ok := answered[id]; ok {
			t.run, t.segment = r, segment
			return
		}
	}
	t.left, t.leftRun = segment, r.ID
}

// Session is the session of the request: the one that the caller names, else
// that of the runs in its history, else a new one.
func (t *Turn) Session() string { return t.session }

// Run is the id of the run.
func (t *Turn) Run() string { return t.run.ID }

// Resumed reports whether the run was begun by an earlier request.
func (t *Turn) Resumed() bool { return t.segment >= 0 }

// past says what truly happened where the history has the ids of runs.
func (t *Turn) past() []model.Past {
	var all []model.Past
	for _, id := range slices.Sorted(maps.Keys(t.found)) {
		for _, s := range t.found[id].Segments {
			all = append(all, model.Past{IDs: s.ids(), Steps: s.Steps})
		}
	}
	return all
}
