package approval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib"
)

// ErrSettled is wrapped by the error of an answer that came too late.
var ErrSettled = errors.New("the question is settled")

// Resolve answers a question. by names who does. The error says why an answer
// doesn't count: of KindNotFound for a question that there isn't, of KindInput
// for a decision that is not offered, and wrapping ErrSettled for one that was
// answered before or whose time has passed.
func (b *Broker) Resolve(ctx context.Context, id string, d toolcrib.Decision, by string) error {
	b.mu.Lock()
	w := b.pending[id]
	b.mu.Unlock()
	if w == nil {
		return b.missed(ctx, id)
	}
	return w.resolve(ctx, d, by)
}

// missed says why nothing waits under an id.
func (b *Broker) missed(ctx context.Context, id string) error {
	s, err := b.store(ctx)
	if err != nil {
		return err
	}
	r, ok, err := s.Question(ctx, id)
	switch {
	case err != nil:
		return err
	case !ok:
		return unknown(id)
	case r.Settled == nil:
		return toolcrib.NewError(toolcrib.KindUnavailable, "another process asks that, and only its own client can answer", "serve the tools with toolcrib serve, so that they wait here")
	}
	return late(r.Settled)
}

func unknown(id string) error {
	return toolcrib.NewError(toolcrib.KindNotFound, "no approval has the id "+Clean(id, maxShownID), "toolcrib approvals list shows those that wait")
}

// late is the error of an answer to a question that is settled.
func late(s *Settlement) error {
	how := string(s.Decision) + " by " + s.By
	if s.Reason != "" {
		how += ", " + s.Reason
	}
	return toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("it is settled already (%s, %s): the first answer counts", how, s.At.Format(time.RFC3339)), "").WithCause(ErrSettled)
}

// resolve takes an answer, if it is the first.
func (w *waiting) resolve(ctx context.Context, d toolcrib.Decision, by string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.broker.now()
	switch {
	case w.end != nil:
		return late(w.end)
	case !now.Before(w.question.Expires):
		return toolcrib.NewError(toolcrib.KindInput, "its time has passed: an answer does not count any more", "").WithCause(ErrSettled)
	case !slices.Contains(w.question.Decisions, d):
		return toolcrib.NewError(toolcrib.KindInput, "the decision "+Clean(fmt.Sprintf("%q", string(d)), maxShownID)+" is not offered", "answer with one of "+fmt.Sprint(w.question.Decisions))
	}
	end := Settlement{Decision: d, By: by, At: now}
	ok, err := w.store.Settle(ctx, w.question.ID, end, w.grants(end))
	if err != nil {
		return err // and the question waits on
	}
	if !ok { // it is settled in the store: another process took this one for dead
		end.Decision, end.By, end.Reason = toolcrib.Deny, byGateway, "the store has it as settled"
		w.settled(&end)
		return late(&end)
	}
	w.settled(&end)
	return nil
}

// grants are what an answer leaves behind.
func (w *waiting) grants(s Settlement) []Grant {
	if s.Decision != toolcrib.AllowAlways {
		return nil
	}
	grants := make([]Grant, len(w.keys))
	for i, k := range w.keys {
		grants[i] = Grant{ID: w.broker.opt.ID(), Key: k, By: s.By, Created: s.At}
	}
	return grants
}

// deny ends the question with a no, whether or not that can be written down.
func (w *waiting) deny(by, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end != nil {
		return
	}
	end := Settlement{Decision: toolcrib.Deny, By: by, Reason: reason, At: w.broker.now()}
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if _, err := w.store.Settle(ctx, w.question.ID, end, nil); err != nil {
		w.broker.opt.Logger.Warn("a denied approval could not be written down", "tool", w.question.Tool, "error", err)
	}
	w.settled(&end)
}

// settled wakes who waits; the lock is held.
func (w *waiting) settled(s *Settlement) {
	w.end = s
	w.broker.mu.Lock()
	delete(w.broker.pending, w.question.ID)
	w.broker.mu.Unlock()
	w.broker.tell(Change{Kind: Settled, Question: w.question, Settlement: s})
	close(w.done)
}
