package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib/internal/approval"
)

// approvals keeps lists, in the order in which things came.
type approvals struct {
	guarded
	grants    []approval.Grant
	questions []approval.Record
}

// UseGrant implements approval.Store.
func (x *approvals) UseGrant(_ context.Context, k approval.Key, now time.Time) (approval.Grant, bool, error) {
	defer x.lock()()
	for i := range x.grants {
		if g := &x.grants[i]; g.Key == k {
			g.Uses++
			g.LastUsed = now
			return *g, true, nil
		}
	}
	return approval.Grant{}, false, nil
}

// Grants implements approval.Store.
func (x *approvals) Grants(context.Context) ([]approval.Grant, error) {
	defer x.lock()()
	all := slices.Clone(x.grants)
	slices.SortStableFunc(all, func(a, b approval.Grant) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// DeleteGrant implements approval.Store.
func (x *approvals) DeleteGrant(_ context.Context, id string) (bool, error) {
	defer x.lock()()
	had := len(x.grants)
	x.grants = slices.DeleteFunc(x.grants, func(g approval.Grant) bool { return g.ID == id })
	return len(x.grants) < had, nil
}

// PutQuestion implements approval.Store.
func (x *approvals) PutQuestion(_ context.Context, r approval.Record) error {
	defer x.lock()()
	x.questions = append(x.questions, r)
	return nil
}

// Settle implements approval.Store.
func (x *approvals) Settle(_ context.Context, id string, s approval.Settlement, grants []approval.Grant) (bool, error) {
	defer x.lock()()
	at := slices.IndexFunc(x.questions, func(r approval.Record) bool { return r.Question.ID == id })
	if at < 0 || x.questions[at].Settled != nil {
		return false, nil
	}
	x.questions[at].Settled = &s
	for _, g := range grants {
		if !slices.ContainsFunc(x.grants, func(had approval.Grant) bool { return had.Key == g.Key }) {
			x.grants = append(x.grants, g)
		}
	}
	return true, nil
}

// Question implements approval.Store.
func (x *approvals) Question(_ context.Context, id string) (approval.Record, bool, error) {
	defer x.lock()()
	at := slices.IndexFunc(x.questions, func(r approval.Record) bool { return r.Question.ID == id })
	if at < 0 {
		return approval.Record{}, false, nil
	}
	return x.questions[at], true, nil
}

// Waiting implements approval.Store.
func (x *approvals) Waiting(context.Context) ([]approval.Record, error) {
	defer x.lock()()
	var open []approval.Record
	for _, r := range x.questions {
		if r.Settled == nil {
			open = append(open, r)
		}
	}
	slices.SortStableFunc(open, func(a, b approval.Record) int {
		return cmp.Or(a.Question.Asked.Compare(b.Question.Asked), cmp.Compare(a.Question.ID, b.Question.ID))
	})
	return open, nil
}

// History implements approval.Store.
func (x *approvals) History(_ context.Context, limit int) ([]approval.Record, error) {
	defer x.lock()()
	settled := x.settled()
	return settled[:min(limit, len(settled))], nil
}

// settled are those that are settled, the newest first.
func (x *approvals) settled() []approval.Record {
	var settled []approval.Record
	for _, r := range x.questions {
		if r.Settled != nil {
			settled = append(settled, r)
		}
	}
	slices.SortStableFunc(settled, func(a, b approval.Record) int {
		return -cmp.Or(a.Settled.At.Compare(b.Settled.At), a.Question.Asked.Compare(b.Question.Asked), cmp.Compare(a.Question.ID, b.Question.ID))
	})
	return settled
}

// PruneQuestions implements approval.Store.
func (x *approvals) PruneQuestions(_ context.Context, keep int) (int, error) {
	defer x.lock()()
	settled := x.settled()
	if len(settled) <= keep {
		return 0, nil
	}
	old := map[string]bool{}
	for _, r := range settled[keep:] {
		old[r.Question.ID] = true
	}
	x.questions = slices.DeleteFunc(x.questions, func(r approval.Record) bool { return old[r.Question.ID] })
	return len(old), nil
}
