package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

// fakeStore keeps what it is given; hold makes each Append wait.
type fakeStore struct {
	Store
	mu      sync.Mutex
	batches [][]Event
	err     error
	hold    chan struct{}
}

func (f *fakeStore) Append(ctx context.Context, events []Event) error {
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	f.batches = append(f.batches, events)
	return nil
}

func (f *fakeStore) ids() (ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.batches {
		for _, e := range b {
			ids = append(ids, e.CallID)
		}
	}
	return ids
}

func newLog(t *testing.T, f *fakeStore, o Options) *Log {
	t.Helper()
	if o.Store == nil {
		o.Store = func(context.Context) (Store, error) { return f, nil }
	}
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLogWritesInOrder(t *testing.T) {
	f := &fakeStore{}
	l := newLog(t, f, Options{})
	l.Record(Event{CallID: "a"})
	l.Defer(func() Event { return Event{CallID: "b", Time: time.Unix(1, 0)} })
	if err := l.Write(t.Context(), Event{CallID: "c"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, f.ids()); diff != "" {
		t.Errorf("when Write has returned (-want +got):\n%s", diff)
	}
	l.Record(Event{CallID: "d"})
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.Record(Event{CallID: "e"})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, f.ids()); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
	if f.batches[0][0].Time.IsZero() {
		t.Error("an event has no time")
	}
	l.Record(Event{})
	if err := l.Write(t.Context(), Event{}); toolcrib.KindOf(err) != toolcrib.KindUnavailable || l.Dropped() != 1 {
		t.Errorf("after the end: %v, %d dropped", err, l.Dropped())
	}
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
}

// A store that hangs never makes Record wait: what has no room is dropped, counted
// and told once.
func TestLogNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{hold: make(chan struct{})}
		var told bytes.Buffer
		l := newLog(t, f, Options{Queue: 10, Logger: slog.New(slog.NewTextHandler(&told, nil))})
		l.Record(Event{CallID: "first"})
		time.Sleep(time.Second)
		synctest.Wait() // the writer holds it
		for range 25 {
			l.Record(Event{CallID: "more"})
		}
		if l.Dropped() != 15 {
			t.Errorf("%d dropped, want 15", l.Dropped())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Write(ctx, Event{CallID: "audit"}); toolcrib.KindOf(err) != toolcrib.KindCanceled {
			t.Errorf("a Write whose caller goes away: %v", err)
		}
		close(f.hold)
		if err := l.Write(t.Context(), Event{CallID: "last"}); err != nil {
			t.Error(err)
		}
		l.Close()
		if got := f.ids(); len(got) != 12 || got[11] != "last" {
			t.Errorf("written: %v", got)
		}
		if n := strings.Count(told.String(), "could not be kept"); n != 1 || !strings.Contains(told.String(), "events=15") {
			t.Errorf("told %d times:\n%s", n, told.String())
		}
	})
}

// What nobody waits for is written soon, and many in one go.
func TestLogGathers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{}
		l := newLog(t, f, Options{})
		for range 10 {
			l.Record(Event{CallID: "a"})
			time.Sleep(10 * time.Millisecond)
		}
		if n := len(f.ids()); n != 0 {
			t.Errorf("%d are written at once", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(f.batches) != 1 || len(f.ids()) != 10 {
			t.Errorf("%d events in %d batches", len(f.ids()), len(f.batches))
		}
		for range maxBatch + 1 {
			l.Record(Event{CallID: "b"})
		}
		synctest.Wait()
		if len(f.batches) != 2 || len(f.batches[1]) != maxBatch {
			t.Errorf("%d batches", len(f.batches))
		}
		l.Close()
	})
}

// A store that hangs longer than a writing may take fails the audit record.
func TestLogGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeStore{hold: make(chan struct{})}
		l := newLog(t, f, Options{})
		err := l.Write(t.Context(), Event{})
		if toolcrib.KindOf(err) != toolcrib.KindTimeout {
			t.Errorf("%v", err)
		}
		l.Close()
	})
}

func TestLogTellsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := toolcrib.NewError(toolcrib.KindUnavailable, "the disk is full", "")
		var told bytes.Buffer
		f := &fakeStore{err: broken}
		l := newLog(t, f, Options{Logger: slog.New(slog.NewTextHandler(&told, nil))})
		for range 5 {
			if err := l.Write(t.Context(), Event{}); !errors.Is(err, error(broken)) {
				t.Errorf("%v", err)
			}
			l.Record(Event{})
		}
		l.Flush(t.Context())
		synctest.Wait()
		if l.Failure() != "the disk is full" || l.Dropped() != 5 {
			t.Errorf("failure %q, %d dropped", l.Failure(), l.Dropped())
		}
		if n := strings.Count(told.String(), "can't be written"); n != 1 {
			t.Errorf("told %d times in a moment:\n%s", n, &told)
		}
		time.Sleep(2 * time.Minute)
		l.Write(t.Context(), Event{})
		synctest.Wait()
		if n := strings.Count(told.String(), "can't be written"); n != 2 {
			t.Errorf("told %d times after a while:\n%s", n, &told)
		}
		f.mu.Lock()
		f.err = nil
		f.mu.Unlock()
		if err := l.Write(t.Context(), Event{}); err != nil || l.Failure() != "" {
			t.Errorf("when it works again: %v, %q", err, l.Failure())
		}
		l.Close()
	})
}

func TestLogOutlivesPanics(t *testing.T) {
	f := &fakeStore{}
	l := newLog(t, f, Options{})
	l.Defer(func() Event { panic("no") })
	if err := l.Write(t.Context(), Event{CallID: "a"}); err != nil || l.Dropped() != 1 {
		t.Errorf("%v, %d dropped", err, l.Dropped())
	}
	l.Close()
}

// What is taken out follows the configuration, and holds for every event.
func TestLogRedacts(t *testing.T) {
	f := &fakeStore{}
	l := newLog(t, f, Options{Args: true})
	e := Event{Query: "log in with password=hunter2xyz", Args: json.RawMessage(`{"password":"hunter2xyz","acct":"4711-0815"}`)}
	write := func() string {
		if err := l.Write(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(f.batches[len(f.batches)-1])
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if got := write(); strings.Contains(got, "hunter2") || !strings.Contains(got, "4711") {
		t.Error(got)
	}
	r, err := NewRedactor(RedactorOptions{Extra: []string{"acct"}})
	if err != nil {
		t.Fatal(err)
	}
	l.Use(r, true)
	if got := write(); strings.Contains(got, "4711") {
		t.Error(got)
	}
	l.Use(r, false)
	if got := write(); strings.Contains(got, "args") {
		t.Error(got)
	}
	l.Close()
}
