package approval

import (
	"context"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Key is what a grant is for.
type Key struct {
	Agent string `json:"agent"`
	Tool  string `json:"tool"`
	// Rule is what asked, named by what it says and not by its place in a list.
	Rule string `json:"rule"`
	// ArgsHash binds it to arguments; empty for all.
	ArgsHash string `json:"argsHash,omitempty"`
}

// Grant is an answer "always".
type Grant struct {
	ID string `json:"id"`
	Key
	// By is who gave it.
	By      string    `json:"by"`
	Created time.Time `json:"created"`
	// LastUsed is zero while it wasn't used.
	LastUsed time.Time `json:"lastUsed,omitzero"`
	Uses     int       `json:"uses"`
}

// Settlement is how a question ended.
type Settlement struct {
	Decision toolcrib.Decision `json:"decision"`
	// By is who answered, or what ended it.
	By string `json:"by"`
	// Reason says more where nobody answered.
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// Record is a question as it is kept.
type Record struct {
	Question toolcrib.Question `json:"question"`
	// Holder names the process that asks.
	Holder string `json:"holder,omitempty"`
	// Settled is nil while the question waits.
	Settled *Settlement `json:"settled,omitempty"`
}

// Store keeps grants and questions. It is safe for concurrent use, by several
// processes too where it lies on a disk. What a method returned nil for outlives
// the process. Errors are *toolcrib.Error and say what to do.
type Store interface {
	// UseGrant counts one use of the grant of a key; ok is false when there is none.
	UseGrant(ctx context.Context, k Key, now time.Time) (g Grant, ok bool, err error)
	// Grants returns all grants, the oldest first.
	Grants(ctx context.Context) ([]Grant, error)
	// DeleteGrant forgets one, and reports whether there was one.
	DeleteGrant(ctx context.Context, id string) (bool, error)

	// PutQuestion keeps a new question: one that begins to wait, or one with a
	// Settled that ended before it could.
	PutQuestion(ctx context.Context, r Record) error
	// Settle ends a question and keeps the grants that come of it, all or nothing.
	// ok is false, and nothing is kept, when no such question waits. A grant whose
	// key has one already is left out.
	Settle(ctx context.Context, id string, s Settlement, grants []Grant) (ok bool, err error)
	// Question returns one; ok is false when there is none.
	Question(ctx context.Context, id string) (r Record, ok bool, err error)
	// Waiting returns the questions of all processes that wait, the oldest first.
	Waiting(ctx context.Context) ([]Record, error)
	// History returns at most limit settled questions, the newest first.
	History(ctx context.Context, limit int) ([]Record, error)
	// PruneQuestions forgets the oldest of the settled questions that are more
	// than keep, and returns how many.
	PruneQuestions(ctx context.Context, keep int) (int, error)
}
