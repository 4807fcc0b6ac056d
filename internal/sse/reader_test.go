package sse

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func all(r *Reader) ([]Event, error) {
	var events []Event
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

func TestEventsAreCutFromAStream(t *testing.T) {
	stream := "\xef\xbb\xbf: hello\n\ndata: one\n\n" + "event: two\r\ndata:x\r\ndata: y\r\nid: 7\r\nretry: 1\r\n\r\n" +
		"event: lost\n\n" + "data\rdata\r\rdata: \n\n" + "data: last"
	want := []Event{{Data: []byte("one")}, {Name: "two", Data: []byte("x\ny")}, {Data: []byte("\n")}, {Data: nil}, {Data: []byte("last")}}
	for _, in := range []io.Reader{strings.NewReader(stream), iotest.OneByteReader(strings.NewReader(stream))} {
		got, err := all(NewReader(in, 100))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b []byte) bool { return string(a) == string(b) })); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAnEventIsBounded(t *testing.T) {
	for _, stream := range []string{"data: " + strings.Repeat("x", 100), strings.Repeat("data: xxxxxxxx\n", 10)} {
		if _, err := all(NewReader(strings.NewReader(stream), 90)); !errors.Is(err, ErrTooLong) {
			t.Errorf("%.30s: %v", stream, err)
		}
	}
	if got, err := all(NewReader(strings.NewReader(strings.Repeat("data: xxxxxxxx\n\n", 100)), 90)); err != nil || len(got) != 100 {
		t.Errorf("%d short events: %v", len(got), err)
	}
	long := strings.Repeat("y", 1<<20)
	if got, err := all(NewReader(strings.NewReader("data: "+long+"\n\n"), 2<<20)); err != nil || len(got) != 1 || string(got[0].Data) != long {
		t.Errorf("a line of 1 MiB: %d events, %v", len(got), err)
	}
}

// However a stream is split on its way, it holds the same events; and what is
// read can be written and read again.
func FuzzReader(f *testing.F) {
	f.Add("data: a\n\nevent: b\r\ndata: c\r\r\n")
	f.Add("\xef\xbb\xbfdata:x\n:\n\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		a, errA := all(NewReader(strings.NewReader(stream), 200))
		b, errB := all(NewReader(iotest.OneByteReader(strings.NewReader(stream)), 200))
		if diff := cmp.Diff(a, b); diff != "" || (errA == nil) != (errB == nil) {
			t.Fatalf("%v, %v: %s", errA, errB, diff)
		}
		var out []byte
		for _, e := range a {
			if strings.ContainsAny(string(e.Data)+e.Name, "\r") {
				return
			}
			out = Append(out, e)
		}
		again, err := all(NewReader(strings.NewReader(string(out)), 1000))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, again, cmp.Comparer(func(x, y []byte) bool { return string(x) == string(y) })); diff != "" {
			t.Fatal(diff)
		}
	})
}
