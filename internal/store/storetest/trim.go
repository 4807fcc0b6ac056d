package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/store"
)

func resultsBounded(t *testing.T, s Store) {
	x := s.Results()
	ids := []string{"a1", "a2", "a3", "b1", "b2", "late"}
	left := func() (out []string) {
		t.Helper()
		for _, id := range ids {
			r, found, err := x.Result(t.Context(), id, "me", noon)
			if ok(t, err); found && r.Dropped == 7 {
				out = append(out, id)
			}
		}
		return out
	}
	put := func(id string, size int, expires time.Duration) {
		t.Helper()
		ok(t, x.PutResult(t.Context(), store.Result{ID: id, Session: id[:1], Reader: "me", Bytes: make([]byte, size), Dropped: 7, Expires: noon.Add(expires)}))
	}
	put("late", 1, 30*time.Minute) // put first
	for _, id := range ids[:5] {
		put(id, 1000, time.Hour)
	}
	each := 1000 + store.ResultCost
	for _, c := range []struct {
		what   string
		bounds store.ResultBounds
		gone   []string
	}{
		{"all fits", store.ResultBounds{Now: noon, Session: "a", PerSession: 3, Total: 5*each + 1 + store.ResultCost}, nil},
		{"a session's oldest", store.ResultBounds{Now: noon, Session: "a", PerSession: 2, Total: 100 * each}, []string{"a1"}},
		{"the first to expire", store.ResultBounds{Now: noon, Session: "b", PerSession: 9, Total: 4 * each}, []string{"late"}},
		{"the oldest of all", store.ResultBounds{Now: noon, Session: "b", PerSession: 9, Total: 2 * each}, []string{"a2", "a3"}},
		{"what has expired", store.ResultBounds{Now: noon.Add(time.Hour), Session: "c", PerSession: 9, Total: 9 * each}, []string{"b1", "b2"}},
	} {
		ok(t, x.TrimResults(t.Context(), c.bounds))
		ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(c.gone, id) })
		if diff := cmp.Diff(ids, left(), cmp.Transformer("empty", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}
