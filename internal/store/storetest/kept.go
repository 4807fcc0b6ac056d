package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/store"
)

func pins(t *testing.T, s Store) {
	x := s.Pins()
	a := store.Pin{Server: "a", Tool: "x", Hash: "1", State: "known", Seen: noon}
	b := store.Pin{Server: "a", Tool: "y", Hash: "2", State: "known", Seen: noon}
	c := store.Pin{Server: "b", Tool: "x", Hash: "3", State: "known"}
	for _, pin := range []store.Pin{c, b, a} {
		ok(t, x.PutPin(t.Context(), pin))
	}
	a.Hash, a.State, a.Seen = "4", "changed", noon.Add(time.Hour)
	ok(t, x.PutPin(t.Context(), a))
	if diff := cmp.Diff([]store.Pin{a, b, c}, must[[]store.Pin](t)(x.Pins(t.Context(), ""))); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]store.Pin{a, b}, must[[]store.Pin](t)(x.Pins(t.Context(), "a"))); diff != "" {
		t.Errorf("of one server (-want +got):\n%s", diff)
	}
	if !must[bool](t)(x.DeletePin(t.Context(), "a", "x")) || must[bool](t)(x.DeletePin(t.Context(), "a", "x")) {
		t.Error("one is deleted once")
	}
	if !must[bool](t)(x.DeletePin(t.Context(), "a", "")) {
		t.Error("all of a server weren't deleted")
	}
	if diff := cmp.Diff([]store.Pin{c}, must[[]store.Pin](t)(x.Pins(t.Context(), ""))); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func results(t *testing.T, s Store) {
	x := s.Results()
	whole := store.Result{ID: "r1", Session: "s1", Reader: "laptop", Bytes: []byte("a\x00b"), Expires: noon.Add(time.Hour)}
	ok(t, x.PutResult(t.Context(), whole))
	ok(t, x.PutResult(t.Context(), store.Result{ID: "r2", Session: "s1", Reader: "laptop", Expires: noon.Add(2 * time.Hour)}))
	ok(t, x.PutResult(t.Context(), store.Result{ID: "r3", Session: "s2", Reader: "", Bytes: []byte("z"), Expires: noon.Add(2 * time.Hour)}))
	there := func(id, reader string, now time.Time) bool {
		t.Helper()
		_, found, err := x.Result(t.Context(), id, reader, now)
		ok(t, err)
		return found
	}
	got, found, err := x.Result(t.Context(), "r1", "laptop", noon)
	if diff := cmp.Diff(whole, got); diff != "" || !found || err != nil {
		t.Errorf("found %v, %v (-want +got):\n%s", found, err, diff)
	}
	if there("r1", "phone", noon) || there("r1", "", noon) || there("r9", "laptop", noon) || there("r1", "laptop", noon.Add(time.Hour)) {
		t.Error("it was shown to another, or after its time")
	}
	if n := must[int](t)(x.Expire(t.Context(), noon.Add(time.Hour))); n != 1 || !there("r2", "laptop", noon) {
		t.Errorf("%d expired", n)
	}
	ok(t, x.EndSession(t.Context(), "s1"))
	if there("r2", "laptop", noon) || !there("r3", "", noon) {
		t.Error("the end of a session takes its own results, and no others")
	}
}
