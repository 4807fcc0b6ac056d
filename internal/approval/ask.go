package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Channel is a way to ask somebody beside the operators.
type Channel struct {
	// By names who answers there.
	By  string
	Ask toolcrib.Ask
}

// Request is one call that wants approval.
type Request struct {
	Call toolcrib.Call
	// Wanted must all be answered with a yes.
	Wanted []Wanted
	// Channels are asked beside the operators, all at once.
	Channels []Channel
	// Waiting is told of each question that is really waited for, and what it
	// returns when that has ended; nil for nobody.
	Waiting func(toolcrib.Question) (resume func())
}

// Ask returns nil when the call may run, and waits for as long as that takes.
// Grants are looked at first. Otherwise the error says who or what refused, and
// that the call did not run; it is of KindBlocked, of KindCanceled when ctx
// ended, or of KindUnavailable when the store can't be used.
func (b *Broker) Ask(ctx context.Context, r Request) error {
	if len(r.Wanted) == 0 {
		return nil
	}
	store, err := b.store(ctx)
	if err != nil {
		return unkept(err)
	}
	hash, err := HashArgs(r.Call.Args)
	if err != nil {
		return err
	}
	var open []asking
	for _, w := range r.Wanted {
		a := asking{b.bounded(w.Question, r.Call), []Key{keyOf(r.Call, w, hash)}}
		g, ok, err := store.UseGrant(ctx, a.keys[0], b.now())
		switch {
		case err != nil:
			return unkept(err)
		case ok:
			b.tell(Change{Kind: Granted, Question: b.stamped(a.question), Settlement: &Settlement{
				Decision: toolcrib.AllowAlways, By: g.By, Reason: "granted before: " + g.ID, At: b.now(),
			}})
		default:
			open = append(open, a)
		}
	}
	for _, a := range join(open) {
		if err := b.ask(ctx, store, r, a); err != nil {
			return err
		}
	}
	return nil
}

func keyOf(c toolcrib.Call, w Wanted, hash string) Key {
	k := Key{Agent: cmp.Or(c.Scope.Agent, toolcrib.DefaultAgent), Tool: c.Tool.ID, Rule: w.rule()}
	if w.Question.BindArgs {
		k.ArgsHash = hash
	}
	return k
}

// waiting is one question that waits.
type waiting struct {
	broker   *Broker
	store    Store
	question toolcrib.Question
	keys     []Key
	done     chan struct{} // closed when it is settled

	mu  sync.Mutex  // held while it is being settled
	end *Settlement // nil while it waits
}

// ask puts one question to everybody who can answer.
func (b *Broker) ask(ctx context.Context, store Store, r Request, a asking) error {
	w := &waiting{broker: b, store: store, question: b.stamped(a.question), keys: a.keys, done: make(chan struct{})}
	if len(r.Channels) == 0 && !b.opt.Operators() {
		return b.refuse(ctx, w, nobody)
	}
	if refused, err := w.begin(ctx); refused != "" {
		return b.refuse(ctx, w, refused)
	} else if err != nil {
		return unkept(err)
	}
	defer b.leave(w)
	if r.Waiting != nil {
		defer r.Waiting(w.question)()
	}
	return w.wait(ctx, r.Channels)
}

// begin writes the question down and lets it be answered.
func (w *waiting) begin(ctx context.Context) (refused string, err error) {
	w.mu.Lock() // an answer waits until it is written down
	defer w.mu.Unlock()
	if refused = w.broker.enter(w); refused != "" {
		return refused, nil
	}
	if err = w.store.PutQuestion(ctx, w.broker.record(w.question, nil)); err != nil {
		w.end = &Settlement{Decision: toolcrib.Deny, By: byGateway, Reason: "it could not be written down", At: w.broker.now()}
		w.broker.leave(w)
		return "", err
	}
	w.broker.tell(Change{Kind: Asked, Question: w.question})
	return "", nil
}

// enter takes a place among those that wait, or says why there is none.
func (b *Broker) enter(w *waiting) (refused string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return "the gateway is shutting down"
	case len(b.pending) >= b.opt.MaxPending:
		return fmt.Sprintf("%d questions wait already, which is the most", len(b.pending))
	}
	b.pending[w.question.ID] = w
	return ""
}

// leave gives the place back.
func (b *Broker) leave(w *waiting) {
	b.mu.Lock()
	delete(b.pending, w.question.ID)
	b.mu.Unlock()
	b.tidy(w.store)
}

// record is a question as it is kept.
func (b *Broker) record(q toolcrib.Question, end *Settlement) Record {
	if !b.opt.KeepArgs() {
		q.Args = nil
	}
	return Record{Question: q, Holder: b.opt.Holder, Settled: end}
}

// tidy forgets the oldest questions after each so many.
func (b *Broker) tidy(store Store) {
	b.mu.Lock()
	b.asked++
	due := b.asked%pruneEvery == 0
	b.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if _, err := store.PruneQuestions(ctx, KeepQuestions); err != nil {
		b.opt.Logger.Warn("old approvals could not be deleted", "error", err)
	}
}

// What ends a question that nobody answers.
const (
	nobody = "there is nobody to ask"
	gone   = "the caller went away"
)

// refuse denies a question that was never put to anybody.
func (b *Broker) refuse(ctx context.Context, w *waiting, reason string) error {
	end := &Settlement{Decision: toolcrib.Deny, By: byGateway, Reason: reason, At: b.now()}
	defer b.tidy(w.store)
	if err := w.store.PutQuestion(ctx, b.record(w.question, end)); err != nil {
		b.opt.Logger.Warn("a refused approval could not be written down", "tool", w.question.Tool, "error", err)
	}
	b.tell(Change{Kind: Settled, Question: w.question, Settlement: end})
	return w.verdict(end)
}

// wait waits for the first answer. It doesn't wait for channels that go on after it.
func (w *waiting) wait(ctx context.Context, channels []Channel) error {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, len(channels))
	for _, c := range channels {
		go func() { failed <- w.put(asking, c) }()
	}
	timer := time.NewTimer(w.question.Timeout)
	defer timer.Stop()
	open := len(channels)
	for {
		select {
		case <-w.done:
			return w.verdict(w.end)
		case err := <-failed:
			if open--; err != nil && open == 0 && !w.broker.opt.Operators() {
				w.deny(byGateway, nobody)
			}
		case <-timer.C:
			w.deny(byGateway, "nobody answered within "+w.question.Timeout.String())
		case <-ctx.Done():
			w.deny(byGateway, gone)
		}
	}
}

// put asks at one channel. An error means that nobody could be asked there.
func (w *waiting) put(ctx context.Context, c Channel) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.broker.opt.Logger.Error("asking for an approval panicked", "at", c.By, "panic", fmt.Sprint(p))
			err = errors.New("it panicked")
		}
	}()
	d, err := c.Ask(ctx, w.question)
	if err != nil {
		if ctx.Err() == nil {
			w.broker.opt.Logger.Info("an approval could not be asked for there", "at", c.By, "tool", w.question.Tool, "error", err)
		}
		return err
	}
	if err := w.resolve(context.WithoutCancel(ctx), d, c.By); err != nil && !errors.Is(err, ErrSettled) {
		w.deny(c.By, "the answer there does not count: "+err.Error())
	}
	return nil
}

// verdict is what a settlement means for the call.
func (w *waiting) verdict(s *Settlement) error {
	if s.Decision.Allows() {
		return nil
	}
	kind, said := toolcrib.KindBlocked, "blocked: "+cmp.Or(w.question.Rule, "a rule")+" wants a person's approval, and "
	hint := "don't try again unless the operator agrees"
	switch {
	case s.Reason == gone && s.By == byGateway:
		kind, said, hint = toolcrib.KindCanceled, gone+" while it waited for an approval", ""
	case s.Reason == nobody && s.By == byGateway:
		said += nobody
		hint = "the operator can answer with toolcrib approvals while toolcrib serve runs; don't try again before that"
	case s.Reason != "":
		said += s.Reason
	default:
		said += s.By + " denied it"
	}
	return toolcrib.NewError(kind, said+"; it did not run", hint)
}

// unkept is the error of a store that can't be used.
func unkept(err error) error {
	return toolcrib.NewError(toolcrib.KindUnavailable, "it did not run: it wants an approval, and the store of approvals can't be used", "this is for the operator to mend: toolcrib status and the log say what is wrong with the store").WithCause(err)
}
