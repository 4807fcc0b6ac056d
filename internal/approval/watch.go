package approval

import (
	"context"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// ChangeKind says what happened.
type ChangeKind string

// The kinds.
const (
	// Asked: a question waits.
	Asked ChangeKind = "asked"
	// Settled: it was answered, or ended otherwise.
	Settled ChangeKind = "settled"
	// Granted: a grant answered it before anybody was asked.
	Granted ChangeKind = "granted"
)

// Change is one thing that happened to a question.
type Change struct {
	Kind     ChangeKind
	Question toolcrib.Question
	// Settlement is nil of one that was asked.
	Settlement *Settlement
}

// Pending returns the questions that wait in this process, the oldest first.
func (b *Broker) Pending() []toolcrib.Question {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.list()
}

func (b *Broker) list() []toolcrib.Question {
	list := make([]toolcrib.Question, 0, len(b.pending))
	for _, w := range b.pending {
		list = append(list, w.question)
	}
	slices.SortFunc(list, func(p, q toolcrib.Question) int {
		if c := p.Asked.Compare(q.Asked); c != 0 {
			return c
		}
		return compare(p.ID, q.ID)
	})
	return list
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// maxBehind is how many changes a watcher may be behind.
const maxBehind = 4096

type watcher struct{ changes chan Change }

// Watch returns the questions that wait now and what happens to questions from
// now on, until ctx ends. The channel is closed then, and also when its reader
// falls too far behind: watch again.
func (b *Broker) Watch(ctx context.Context) ([]toolcrib.Question, <-chan Change) {
	w := &watcher{make(chan Change, maxBehind)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		close(w.changes)
		return nil, w.changes
	}
	b.watchers[w] = struct{}{}
	context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.drop(w)
	})
	return b.list(), w.changes
}

// drop ends a watcher; the lock is held.
func (b *Broker) drop(w *watcher) {
	if _, ok := b.watchers[w]; ok {
		delete(b.watchers, w)
		close(w.changes)
	}
}

// tell tells the record and all watchers.
func (b *Broker) tell(c Change) {
	b.opt.Record(c)
	b.mu.Lock()
	defer b.mu.Unlock()
	for w := range b.watchers {
		select {
		case w.changes <- c:
		default:
			b.drop(w)
		}
	}
}
