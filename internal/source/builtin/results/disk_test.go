package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/store"
	"github.com/toolcrib/toolcrib/internal/store/memory"
)

// stored is a Results over a store; a client is known again by its name.
func stored(t *testing.T, s Store, o Options) (*Results, *clock) {
	t.Helper()
	o.Store, o.Identity = s, func(s toolcrib.Scope) string { return s.Client }
	return open(t, o)
}

// at is a scope of the client that is known as x.
func at(session string) toolcrib.Scope {
	return toolcrib.Scope{Session: session, Caller: "ann", Client: "x"}
}

func idOf(id string) string { return fmt.Sprintf(`{"id":%q}`, id) }

func TestOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	s := memory.New().Results()
	first, _ := stored(t, s, Options{OneBytes: 10})
	id := first.Keep(at("s1"), []byte("what was kept"))
	first.Leave()
	first.EndSession("s1") // with the process

	second, _ := stored(t, s, Options{})
	for what, other := range map[string]toolcrib.Scope{
		"another client":        {Session: "s2", Caller: "ann", Client: "y"},
		"one nobody knows":      {Session: "s2", Caller: "ann"},
		"another caller":        {Session: "s2", Caller: "bob", Client: "x"},
		"another agent":         {Session: "s2", Caller: "ann", Client: "x", Agent: "coder"},
		"nobody, with its name": {Session: "s1"},
	} {
		if !gone(t, second, other, id) {
			t.Errorf("%s can read it", what)
		}
	}
	if p := read(t, second, at("s2"), idOf(id)); p.Text != "what was k" || p.Dropped != 3 {
		t.Errorf("read %+v", p)
	}
	if !gone(t, second, at("s3"), id) {
		t.Error("two sessions that live have it")
	}
	second.EndSession("s2") // by itself
	if !gone(t, second, at("s3"), id) {
		t.Error("it has outlived the session that took it over")
	}
	third, _ := stored(t, s, Options{})
	if !gone(t, third, at("s4"), id) {
		t.Error("it is in the store still")
	}
}

func TestGoesFromTheStore(t *testing.T) {
	t.Parallel()
	s := memory.New().Results()
	later := func() *Results { r, _ := stored(t, s, Options{}); return r }
	first, _ := stored(t, s, Options{PerSession: 2, TTL: time.Hour})
	ended := first.Keep(at("ended"), []byte("x"))
	first.EndSession("ended")
	if !gone(t, later(), at("n"), ended) {
		t.Error("a session that ended has left something")
	}
	private := first.Keep(toolcrib.Scope{Session: "s0"}, []byte("x"))
	if _, ok, _ := s.Result(t.Context(), private, "", time.Time{}); ok {
		t.Error("a result was written for nobody")
	}
	var ids []string
	for i := range 3 {
		ids = append(ids, first.Keep(at("s1"), fmt.Append(nil, i)))
	}
	if !gone(t, first, at("s1"), ids[0]) || !gone(t, later(), at("n"), ids[0]) || gone(t, later(), at("n"), ids[1]) {
		t.Error("the store keeps to other bounds than the memory")
	}
	second, c := stored(t, s, Options{})
	if p := read(t, second, at("n"), idOf(ids[2])); p.Text != "2" {
		t.Errorf("read %+v", p)
	}
	c.pass(30 * time.Minute)
	young := second.Keep(at("n"), []byte("young"))
	c.pass(30 * time.Minute)
	if !gone(t, second, at("n"), ids[2]) || gone(t, second, at("n"), young) {
		t.Error("a result lives for its hour, also where it was taken over")
	}
}

// What was dropped from memory for want of room is still only its session's.
func TestStoreTellsSessionsApart(t *testing.T) {
	t.Parallel()
	s := memory.New().Results()
	r, _ := stored(t, s, Options{TotalBytes: 2000})
	id := r.Keep(at("s1"), make([]byte, 100))
	r.shelf.drop("s1")
	if !gone(t, r, at("s2"), id) {
		t.Error("another session that lives can read it")
	}
	if gone(t, r, at("s1"), id) {
		t.Error("its own can't")
	}
}

// broken is a store that fails while it is told to.
type broken struct {
	store.Results
	err error
	n   int
}

func (b *broken) PutResult(ctx context.Context, r store.Result) error {
	if b.n++; b.err != nil {
		return b.err
	}
	return b.Results.PutResult(ctx, r)
}

func TestBrokenStore(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := &broken{Results: memory.New().Results(), err: errors.New("the disk is full")}
	r, c := stored(t, s, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	var id string
	for range 3 {
		id = r.Keep(at("s1"), []byte("text"))
		if p := read(t, r, at("s1"), idOf(id)); p.Text != "text" {
			t.Errorf("read %+v", p)
		}
	}
	if n := strings.Count(log.String(), "the disk is full"); n != 1 || s.n != 1 {
		t.Errorf("it was tried %d times and told %d times:\n%s", s.n, n, &log)
	}
	s.err = nil
	c.pass(storePause)
	id = r.Keep(at("s1"), []byte("text"))
	if !strings.Contains(log.String(), "in the store again") {
		t.Errorf("log:\n%s", &log)
	}
	r.Leave()
	next, _ := stored(t, s, Options{})
	if p := read(t, next, at("s2"), idOf(id)); p.Text != "text" {
		t.Errorf("read %+v", p)
	}
}
