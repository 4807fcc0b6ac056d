package approval

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Bounds of a Broker.
const (
	// MaxPending is how many questions may wait at once.
	MaxPending = 10_000
	// KeepQuestions is how many settled questions are remembered.
	KeepQuestions = 10_000
	// DefaultHistory and MaxHistory bound what one look into the history returns.
	DefaultHistory = 50
	MaxHistory     = 1000
	// pruneEvery is after how many questions the oldest are forgotten.
	pruneEvery = 500
	// storeTime bounds one writing that nobody waits for.
	storeTime = 10 * time.Second
)

// Options is what a Broker needs. Store and Holder are required.
type Options struct {
	// Store gives the store, and may open it first.
	Store func(context.Context) (Store, error)
	// Holder names this process in the store; no other process ever had the name.
	Holder string
	// Alive reports whether the process of a name still runs. Nil: none does.
	Alive func(holder string) bool
	// Operators reports whether an operator can answer at all, through Resolve.
	// Nil: none can.
	Operators func() bool
	// Text and Args take secrets out of what is shown and kept; nil takes none.
	Text func(string) string
	Args func(json.RawMessage) json.RawMessage
	// KeepArgs reports whether the arguments of questions are kept in the store.
	// Nil: they are. While a question waits, it has them in any case.
	KeepArgs func() bool
	// Record is told of all that happens, and must not block. Nil for nobody.
	Record func(Change)
	// MaxPending is how many questions may wait at once, MaxPending if 0.
	MaxPending int
	// ID makes the ids of questions and grants, which nobody can guess; rand.Text if nil.
	ID func() string
	// Now is the clock, time.Now if nil.
	Now func() time.Time
	// Logger gets what nobody is told; nil discards it.
	Logger *slog.Logger
}

// Broker puts questions to people. It is safe for concurrent use.
type Broker struct {
	opt Options

	mu       sync.Mutex
	pending  map[string]*waiting
	watchers map[*watcher]struct{}
	asked    int  // since the start
	swept    bool // questions of dead processes are settled
	closed   bool
}

// New checks the options and returns a Broker.
func New(o Options) (*Broker, error) {
	if o.Store == nil || o.Holder == "" {
		return nil, toolcrib.NewError(toolcrib.KindInternal, "approval: Options.Store or Options.Holder is missing", "")
	}
	b := &Broker{opt: o.withDefaults(), pending: map[string]*waiting{}, watchers: map[*watcher]struct{}{}}
	return b, nil
}

func (o Options) withDefaults() Options {
	if o.Alive == nil {
		o.Alive = func(string) bool { return false }
	}
	if o.Operators == nil {
		o.Operators = func() bool { return false }
	}
	if o.Text == nil {
		o.Text = func(s string) string { return s }
	}
	if o.Args == nil {
		o.Args = func(a json.RawMessage) json.RawMessage { return a }
	}
	if o.KeepArgs == nil {
		o.KeepArgs = func() bool { return true }
	}
	if o.Record == nil {
		o.Record = func(Change) {}
	}
	if o.MaxPending == 0 {
		o.MaxPending = MaxPending
	}
	if o.ID == nil {
		o.ID = rand.Text
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Close denies all that waits, and whatever is asked from now on.
func (b *Broker) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.Interrupt()
}

// Interrupt denies all that waits and ends those who watch.
func (b *Broker) Interrupt() {
	b.mu.Lock()
	var rest []*waiting
	for _, w := range b.pending {
		rest = append(rest, w)
	}
	b.mu.Unlock()
	for _, w := range rest {
		w.deny(byGateway, "the gateway was shut down")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for w := range b.watchers {
		b.drop(w)
	}
}

// now is the time as it is kept.
func (b *Broker) now() time.Time { return b.opt.Now().UTC().Truncate(time.Microsecond) }

// byGateway is who settles what nobody answers.
const byGateway = "toolcrib"

// store returns the store. The first time it settles the questions of processes
// that no longer run, and those whose time has passed.
func (b *Broker) store(ctx context.Context) (Store, error) {
	s, err := b.opt.Store(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	swept := b.swept
	b.swept = true
	b.mu.Unlock()
	if swept {
		return s, nil
	}
	if err := b.sweep(ctx, s); err != nil {
		b.mu.Lock()
		b.swept = false
		b.mu.Unlock()
		return nil, err
	}
	return s, nil
}

// Recover settles what former processes left waiting, as denied. It is done
// anyway before the store is used for the first time.
func (b *Broker) Recover(ctx context.Context) error {
	s, err := b.store(ctx)
	if err != nil {
		return err
	}
	return b.sweep(ctx, s)
}

// grace is how long after its time a question of another process counts as
// waiting: that process settles it itself.
const grace = 10 * time.Second

// sweep settles what nobody waits for any more.
func (b *Broker) sweep(ctx context.Context, s Store) error {
	left, err := s.Waiting(ctx)
	if err != nil {
		return err
	}
	now := b.now()
	for _, r := range left {
		if r.Holder == b.opt.Holder || b.opt.Alive(r.Holder) && now.Before(r.Question.Expires.Add(grace)) {
			continue
		}
		end := Settlement{Decision: toolcrib.Deny, By: byGateway, Reason: "the gateway was restarted", At: now}
		ok, err := s.Settle(ctx, r.Question.ID, end, nil)
		if err != nil {
			return err
		}
		if ok {
			b.tell(Change{Kind: Settled, Question: r.Question, Settlement: &end})
		}
	}
	_, err = s.PruneQuestions(ctx, KeepQuestions)
	return err
}

// Find returns a question that waits or has been settled; KindNotFound says that
// there is none of that id.
func (b *Broker) Find(ctx context.Context, id string) (Record, error) {
	s, err := b.store(ctx)
	if err != nil {
		return Record{}, err
	}
	r, ok, err := s.Question(ctx, id)
	if err == nil && !ok {
		err = unknown(id)
	}
	return r, err
}

// Grants returns all grants, the oldest first.
func (b *Broker) Grants(ctx context.Context) ([]Grant, error) {
	s, err := b.store(ctx)
	if err != nil {
		return nil, err
	}
	return s.Grants(ctx)
}

// Revoke takes a grant back: the next call asks again. KindNotFound says that
// there is none of that id.
func (b *Broker) Revoke(ctx context.Context, id string) error {
	s, err := b.store(ctx)
	if err != nil {
		return err
	}
	had, err := s.DeleteGrant(ctx, id)
	if err != nil || had {
		return err
	}
	return toolcrib.NewError(toolcrib.KindNotFound, "there is no grant "+Clean(id, maxShownID), "toolcrib approvals grants lists them")
}

// maxShownID bounds a foreign id in a message, in characters.
const maxShownID = 40

// History returns at most limit settled questions, the newest first; 0 means
// DefaultHistory, and MaxHistory is the most.
func (b *Broker) History(ctx context.Context, limit int) ([]Record, error) {
	s, err := b.store(ctx)
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = DefaultHistory
	}
	return s.History(ctx, min(limit, MaxHistory))
}
