package memory

import (
	"bytes"
	"context"
	"time"

	"github.com/toolcrib/toolcrib/internal/store"
)

type results struct {
	guarded
	all map[string]store.Result
}

// PutResult implements store.Results.
func (x *results) PutResult(_ context.Context, r store.Result) error {
	r.Bytes = append([]byte{}, r.Bytes...)
	defer x.lock()()
	x.all[r.ID] = r
	return nil
}

// Result implements store.Results.
func (x *results) Result(_ context.Context, id, reader string, now time.Time) (store.Result, bool, error) {
	defer x.lock()()
	r, ok := x.all[id]
	if !ok || r.Reader != reader || !r.Expires.After(now) {
		return store.Result{}, false, nil
	}
	r.Bytes = bytes.Clone(r.Bytes)
	return r, true, nil
}

// EndSession implements store.Results.
func (x *results) EndSession(_ context.Context, session string) error {
	x.forget(func(r store.Result) bool { return r.Session == session })
	return nil
}

// Expire implements store.Results.
func (x *results) Expire(_ context.Context, now time.Time) (int, error) {
	return x.forget(func(r store.Result) bool { return !r.Expires.After(now) }), nil
}

func (x *results) forget(gone func(store.Result) bool) int {
	defer x.lock()()
	had := len(x.all)
	for id, r := range x.all {
		if gone(r) {
			delete(x.all, id)
		}
	}
	return had - len(x.all)
}
