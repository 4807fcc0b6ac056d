package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFramesCross(t *testing.T) {
	var pipe bytes.Buffer
	w := NewWriter(&pipe)
	sent := []Call{
		{N: 1, Function: "a.b", Args: json.RawMessage(`[1,"ü\u2028"]`)},
		{N: 2, Function: "", Args: json.RawMessage(`[]`)},
	}
	for _, call := range sent {
		if err := w.Write(KindCall, call); err != nil {
			t.Fatal(err)
		}
	}
	r := NewReader(&pipe, 0)
	for _, want := range sent {
		frame, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		var got Call
		if err := frame.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if got.N != want.N || got.Function != want.Function || !sameJSON(t, got.Args, want.Args) {
			t.Errorf("read %+v, want %+v", got, want)
		}
	}
	if _, err := r.Read(); err != io.EOF {
		t.Errorf("after the last frame: %v, want io.EOF", err)
	}
}

func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		t.Fatalf("%s or %s is not JSON", a, b)
	}
	return cmp.Equal(x, y)
}

func TestBadFramesViolateTheProtocol(t *testing.T) {
	tests := []struct{ name, bytes, says string }{
		{"unknown kind", "\x00\x00\x00\x03X{}", "unknown kind"},
		{"no kind", "\x00\x00\x00\x00l", "0 bytes"},
		{"too long", "\x7f\x00\x00\x00l", "at most 100"},
		{"one byte too long", "\x00\x00\x00\x65l", "at most 100"},
		{"cut head", "\x00\x00", "head"},
		{"cut payload", "\x00\x00\x00\x09l{}", "cut"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := NewReader(strings.NewReader(test.bytes), 100).Read()
			if !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want a violation that says %q", err, test.says)
			}
		})
	}
	if err := (Frame{Kind: KindLog, Payload: []byte("[1")}).Decode(&Log{}); !errors.Is(err, ErrProtocol) {
		t.Errorf("bad JSON gives %v, want a violation", err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x03l{}"))
	f.Add([]byte("\x00\x00\x00\x09l{}"))
	f.Add([]byte("\xff\xff\xff\xffl"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data), 1000)
		var again bytes.Buffer
		w := NewWriter(&again)
		for {
			frame, err := r.Read()
			if err != nil {
				if err != io.EOF && !errors.Is(err, ErrProtocol) {
					t.Errorf("unexpected error %v", err)
				}
				break
			}
			if len(frame.Payload) > 999 {
				t.Fatalf("a payload of %d bytes passed", len(frame.Payload))
			}
			if err := w.WriteRaw(frame.Kind, frame.Payload); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.HasPrefix(data, again.Bytes()) {
			t.Errorf("what was read is not what was there: %q of %q", again.Bytes(), data)
		}
	})
}

func TestValuesCrossAsTheyWereWritten(t *testing.T) {
	var pipe bytes.Buffer
	value := `{"text":"a<b>&c"}`
	if err := NewWriter(&pipe).Write(KindDone, map[string]json.RawMessage{"value": json.RawMessage(value)}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(pipe.String(), value) {
		t.Errorf("%s crossed as %q", value, pipe.String())
	}
}

func TestRehearse(t *testing.T) {
	if err := Rehearse(); err != nil {
		t.Error(err)
	}
}
