package store

import (
	"context"
	"time"
)

// Result is a result that was kept for reading on.
type Result struct {
	// ID can't be guessed.
	ID string
	// Session is whose it is, and Reader who may read it.
	Session string
	Reader  string
	Bytes   []byte
	// Dropped is how many bytes after the end were too many to keep.
	Dropped int
	Expires time.Time
}

// ResultCost is what a result counts in ResultBounds.Total beside its bytes.
const ResultCost = 512

// ResultBounds is how much may be kept. What goes first is what expires first.
type ResultBounds struct {
	Now time.Time
	// PerSession is how many results of Session may be kept.
	Session    string
	PerSession int
	// Total bounds the bytes of all, each with ResultCost.
	Total int
}

// Results keeps results. It is safe for concurrent use.
type Results interface {
	// PutResult keeps a result in place of one with the same id.
	PutResult(ctx context.Context, r Result) error
	// Result returns one that is its reader's and has not expired by now; ok is
	// false for every other.
	Result(ctx context.Context, id, reader string, now time.Time) (r Result, ok bool, err error)
	// EndSession forgets all of a session.
	EndSession(ctx context.Context, session string) error
	// TrimResults forgets what has expired by now, and what is beyond the bounds.
	TrimResults(ctx context.Context, b ResultBounds) error
	// Expire forgets what has expired by now, and returns how many.
	Expire(ctx context.Context, now time.Time) (int, error)
}
