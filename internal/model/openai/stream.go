package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/sse"
)

// stream is an answer that is being read.
type stream struct {
	provider *Provider
	ctx      context.Context
	cancel   context.CancelCauseFunc
	response *http.Response
	idle     *time.Timer
	events   *sse.Reader
	done     bool // the last event was there
}

// lastEvent is the data of the event that ends a stream.
const lastEvent = "[DONE]"

// lingering is how long an answer that has said its last word may take to end,
// so that its connection can be used again.
const lingering = 250 * time.Millisecond

// Read reads the body, and notes that something came.
func (s *stream) Read(b []byte) (int, error) {
	n, err := s.response.Body.Read(b)
	if n > 0 {
		s.idle.Reset(s.provider.opt.IdleTimeout)
	}
	return n, err
}

func (s *stream) Header() http.Header { return telling(s.response.Header) }

// Next returns the next event.
func (s *stream) Next() (model.Event, error) {
	if s.done {
		return model.Event{}, io.EOF
	}
	e, err := s.events.Next()
	if s.done = err == nil && string(bytes.TrimSpace(e.Data)) == lastEvent; s.done {
		return model.Event{}, io.EOF
	}
	if err != nil && !errors.Is(err, io.EOF) || err != nil && s.ctx.Err() != nil {
		return model.Event{}, s.provider.failed(s.ctx, err)
	}
	return model.Event(e), err
}

// Close ends the answer, also in the middle. A connection whose answer was read
// to its end is used again.
func (s *stream) Close() error {
	if s.done && s.ctx.Err() == nil {
		s.idle.Reset(lingering)
		go s.linger()
		return nil
	}
	return s.end()
}

// linger reads what is left after the last event: the end of the body.
func (s *stream) linger() {
	_, _ = io.CopyN(io.Discard, s.response.Body, 4<<10) // its end is the error that is hoped for
	_ = s.end()
}

func (s *stream) end() error {
	s.idle.Stop()
	err := s.response.Body.Close()
	s.cancel(nil)
	return err
}

// unstreamed is an answer that came whole.
type unstreamed struct {
	whole model.Whole
	done  bool
}

func (u *unstreamed) Header() http.Header { return u.whole.Header }

func (u *unstreamed) Next() (model.Event, error) {
	if u.done {
		return model.Event{}, io.EOF
	}
	u.done = true
	return model.Event{Data: u.whole.Body}, nil
}

func (u *unstreamed) Close() error { return nil }
