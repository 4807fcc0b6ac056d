package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/store"
)

func pins(t *testing.T, s Store) {
	x := s.Pins()
	a := store.Pin{Server: "a", Tool: "x", Hash: "1", Form: []byte("one"), State: "known", Seen: noon}
	b := store.Pin{Server: "a", Tool: "y", Waiting: []byte("two"), Flags: []byte(`[]`), Seen: noon}
	c := store.Pin{Server: "b", Tool: "x", Hash: "3", Form: []byte("three"), State: "known", Rejected: "2"}
	first := must[int64](t)(x.PinsMark(t.Context()))
	ok(t, x.AddPins(t.Context(), []store.Pin{c, b, a}))
	other := a
	other.Hash, other.Form = "9", []byte("nine")
	ok(t, x.AddPins(t.Context(), []store.Pin{other})) // there is one
	equal := func(what, server string, want ...store.Pin) {
		t.Helper()
		if diff := cmp.Diff(want, must[[]store.Pin](t)(x.Pins(t.Context(), server))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	equal("all", "", a, b, c)
	equal("of one server", "a", a, b)

	noted := a
	noted.Hash, noted.Rejected, noted.Waiting, noted.Flags, noted.Seen = "9", "9", []byte("new"), []byte(`[1]`), noon.Add(time.Hour)
	ok(t, x.NotePins(t.Context(), []store.Pin{noted, {Server: "nobody", Tool: "x"}}))
	a.Waiting, a.Flags, a.Seen = noted.Waiting, noted.Flags, noted.Seen
	equal("noted", "", a, b, c)

	a.Hash, a.Form, a.Waiting, a.State, a.Rejected = "4", []byte("new"), nil, "approved", "1"
	ok(t, x.PutPins(t.Context(), []store.Pin{a}))
	equal("put", "", a, b, c)

	mark := must[int64](t)(x.PinsMark(t.Context()))
	if mark == first || mark != must[int64](t)(x.PinsMark(t.Context())) {
		t.Errorf("the mark was %d and is %d", first, mark)
	}
	if !must[bool](t)(x.DeletePin(t.Context(), "a", "x")) || must[bool](t)(x.DeletePin(t.Context(), "a", "x")) {
		t.Error("one is deleted once")
	}
	if mark == must[int64](t)(x.PinsMark(t.Context())) {
		t.Error("the mark doesn't tell of a deletion")
	}
	if !must[bool](t)(x.DeletePin(t.Context(), "a", "")) {
		t.Error("all of a server weren't deleted")
	}
	equal("left", "", c)
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
