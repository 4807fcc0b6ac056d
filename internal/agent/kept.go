package agent

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib/internal/model"
)

// Run is what is kept of a run while the caller has something to do, and
// afterwards as long as its history may come back. It is plain data, and is
// written and read as JSON.
type Run struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	// Caller is who may go on with it.
	Caller string `json:"caller"`
	// Steps, Usage and Active are what it took so far, of its budgets; Active
	// doesn't count the caller's time.
	Steps  int           `json:"steps"`
	Usage  model.Usage   `json:"usage"`
	Active time.Duration `json:"active"`
	// Segments are what happened, cut where the caller was asked to run
	// something. They are only ever added.
	Segments []Segment `json:"segments"`
}

// Segment is what happened up to one answer that asked the caller to run something.
type Segment struct {
	// Steps came since the answer before, or the caller's request.
	Steps []model.Step `json:"steps,omitempty"`
	// Waiting are the calls that want something, of these steps or earlier ones.
	Waiting []Waiting `json:"waiting"`
	// Done says that the caller has answered, or has gone on without.
	Done bool `json:"done,omitempty"`
	// Next is the segment that followed without asking the model; 0 for none.
	Next int `json:"next,omitempty"`
}

// Waiting is one call of the model that wants something of the caller.
type Waiting struct {
	// Segment, Step and Result say where its result belongs.
	Segment int `json:"segment"`
	Step    int `json:"step"`
	Result  int `json:"result"`

	Call  model.Call      `json:"call"`
	State json.RawMessage `json:"state,omitempty"`
	Own   bool            `json:"own,omitempty"`
	Wants []Wanted        `json:"wants"`
}

// Wanted is a want and what has become of it.
type Wanted struct {
	Want
	// ID is the one under which the caller was asked; "" before it was.
	ID string `json:"id,omitempty"`
	// Here says that it was asked with the segment that holds it.
	Here bool `json:"here,omitempty"`
	// Delivered is what it said; nil before it did.
	Delivered *Delivered `json:"delivered,omitempty"`
}

// IDs are the ids under which the caller was asked to run something, in the form of model.Fold.
func (r *Run) IDs() []string {
	var ids []string
	for _, s := range r.Segments {
		ids = append(ids, s.ids()...)
	}
	return ids
}

func (s *Segment) ids() []string {
	var ids []string
	for _, w := range s.Waiting {
		for _, want := range w.Wants {
			if want.Here {
				ids = append(ids, model.Fold(want.ID))
			}
		}
	}
	return ids
}

// segmentOf finds the segment that asked under an id, -1 for none.
func (r *Run) segmentOf(id string) int {
	return slices.IndexFunc(r.Segments, func(s Segment) bool { return slices.Contains(s.ids(), id) })
}

// settle notes the result of a call.
func (r *Run) settle(w Waiting, result model.Result) {
	result.CallID = w.Call.ID
	r.Segments[w.Segment].Steps[w.Step].Results[w.Result] = result
}

// Store keeps runs. It is safe for concurrent use.
type Store interface {
	// Find returns the run that asked under an id, which is in the form of model.Fold.
	Find(ctx context.Context, id string) (Run, bool, error)
	// Save keeps a run in the place of what was kept of it.
	Save(ctx context.Context, r Run) error
}
