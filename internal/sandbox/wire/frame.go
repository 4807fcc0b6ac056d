// Package wire owns the frames that a sandbox's parent and child exchange:
// four bytes of length, one byte of kind, and JSON. It knows the shape of each
// message, and nothing of what the two sides do with it.
package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

// Kind is the first byte after the length.
type Kind byte

// The kinds: run and answer go to the child, the others come from it.
const (
	KindRun     Kind = 'r'
	KindAnswer  Kind = 'a'
	KindReady   Kind = 'R'
	KindCall    Kind = 'c'
	KindLog     Kind = 'l'
	KindDone    Kind = 'd'
	KindFailure Kind = 'f'
)

func (k Kind) known() bool {
	switch k {
	case KindRun, KindAnswer, KindReady, KindCall, KindLog, KindDone, KindFailure:
		return true
	}
	return false
}

// MaxFrame bounds every frame, in bytes of kind and payload: above the answers
// that a script may get (see MaxAnswer).
const MaxFrame = 80 << 20

// MaxAnswer is the largest answer to a call, in bytes of JSON.
const MaxAnswer = 64 << 20

// header is the length and the kind.
const header = 5

// ErrProtocol is the cause of every error that means that the other side did
// not keep to the protocol.
var ErrProtocol = errors.New("protocol violated")

// Frame is one message, not yet read.
type Frame struct {
	Kind    Kind
	Payload json.RawMessage
}

// Decode reads the payload into message; what doesn't fit violates the protocol.
func (f Frame) Decode(message any) error {
	if err := json.Unmarshal(f.Payload, message); err != nil {
		return fmt.Errorf("%w: frame %q: %w", ErrProtocol, f.Kind, err)
	}
	return nil
}

// Reader reads frames.
type Reader struct {
	r   io.Reader
	max atomic.Int64
}

// NewReader reads frames of at most max bytes, MaxFrame if max is zero or more than that.
func NewReader(r io.Reader, max int) *Reader {
	reader := &Reader{r: r}
	reader.SetMax(max)
	return reader
}

// SetMax changes the bound for the frames to come; it may be called while Read waits.
func (r *Reader) SetMax(max int) {
	if max <= 0 || max > MaxFrame {
		max = MaxFrame
	}
	r.max.Store(int64(max))
}

// Read waits for the next frame. io.EOF means that the other side closed
// between two frames.
func (r *Reader) Read() (Frame, error) {
	var head [header]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: cut in a frame's head", ErrProtocol)
		}
		return Frame{}, err
	}
	n, kind := int(binary.BigEndian.Uint32(head[:4])), Kind(head[4])
	switch {
	case !kind.known():
		return Frame{}, fmt.Errorf("%w: unknown kind %q", ErrProtocol, byte(kind))
	case n < 1 || int64(n) > r.max.Load():
		return Frame{}, fmt.Errorf("%w: a frame of %d bytes, at most %d", ErrProtocol, n, r.max.Load())
	}
	payload := make([]byte, n-1)
	if _, err := io.ReadFull(r.r, payload); err != nil {
		return Frame{}, fmt.Errorf("%w: cut in a frame: %w", ErrProtocol, err)
	}
	return Frame{Kind: kind, Payload: payload}, nil
}

// Writer writes frames; it may be used from many goroutines.
type Writer struct {
	mu sync.Mutex
	w  io.Writer
}

// NewWriter writes frames to w, each with one Write.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write sends one message.
func (w *Writer) Write(kind Kind, message any) error {
	var payload bytes.Buffer
	e := json.NewEncoder(&payload)
	e.SetEscapeHTML(false) // a value must cross as it was written: it ends in a model's context
	if err := e.Encode(message); err != nil {
		return fmt.Errorf("frame %q: %w", kind, err)
	}
	return w.WriteRaw(kind, bytes.TrimSuffix(payload.Bytes(), []byte("\n")))
}

// WriteRaw sends a payload that is JSON already.
func (w *Writer) WriteRaw(kind Kind, payload []byte) error {
	if len(payload)+1 > MaxFrame {
		return fmt.Errorf("frame %q has %d bytes, at most %d", kind, len(payload)+1, MaxFrame)
	}
	frame := make([]byte, header, header+len(payload))
	binary.BigEndian.PutUint32(frame, uint32(len(payload)+1))
	frame[4] = byte(kind)
	frame = append(frame, payload...)
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.w.Write(frame)
	return err
}
