package memory

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib/internal/store"
)

type results struct {
	guarded
	all   map[string]store.Result
	order map[string]int // when each was put
	puts  int
}

// PutResult implements store.Results.
func (x *results) PutResult(_ context.Context, r store.Result) error {
	r.Bytes = append([]byte{}, r.Bytes...)
	defer x.lock()()
	x.puts++
	x.all[r.ID], x.order[r.ID] = r, x.puts
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

// TrimResults implements store.Results.
func (x *results) TrimResults(_ context.Context, b store.ResultBounds) error {
	defer x.lock()()
	newest := slices.SortedFunc(maps.Values(x.all), func(a, b store.Result) int {
		return cmp.Or(b.Expires.Compare(a.Expires), cmp.Compare(x.order[b.ID], x.order[a.ID]))
	})
	mine, total := 0, 0
	for _, r := range newest {
		if r.Session == b.Session {
			mine++
		}
		gone := !r.Expires.After(b.Now) || r.Session == b.Session && mine > b.PerSession
		if !gone {
			total += len(r.Bytes) + store.ResultCost
		}
		if gone || total > b.Total {
			delete(x.all, r.ID)
			delete(x.order, r.ID)
		}
	}
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
			delete(x.order, id)
		}
	}
	return had - len(x.all)
}
