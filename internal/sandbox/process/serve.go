package process

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

// serve answers one call, when one of the places is free.
func (r *run) serve(m wire.Call) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-r.ctx.Done():
		return
	}
	if !r.begin(m.N) {
		return
	}
	value, err := r.ask(m)
	if err == nil {
		value, err = checked(value)
	}
	if !r.record(m.N, err) {
		return
	}
	// A child that takes no answers any more is ended by its clock.
	if err != nil {
		_ = r.child.in.Write(wire.KindAnswer, wire.Answer{N: m.N, Error: answerError(err)})
		return
	}
	_ = r.child.in.WriteRaw(wire.KindAnswer, answerFrame(m.N, value))
}

// begin marks a call as started, unless the run is over: what was not started
// then never acts.
func (r *run) begin(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return false
	}
	r.calls[n-1].Started = time.Now()
	return true
}

// ask calls the host. Waits that it leaves open end with the call.
func (r *run) ask(m wire.Call) (value json.RawMessage, err error) {
	var mu sync.Mutex
	var open []func()
	ctx := sandbox.WithClock(sandbox.WithNumber(r.ctx, m.N), func() func() {
		resume := r.clock.pause()
		mu.Lock()
		defer mu.Unlock()
		open = append(open, resume)
		return resume
	})
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s panicked: %v", m.Function, p)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, resume := range open {
			resume()
		}
	}()
	return r.host(ctx, m.Function, m.Args)
}

func checked(value json.RawMessage) (json.RawMessage, error) {
	switch {
	case len(value) == 0:
		return json.RawMessage("null"), nil
	case len(value) > wire.MaxAnswer:
		return nil, &sandbox.HostError{Kind: sandbox.KindLimit, Message: fmt.Sprintf("the answer has %d bytes, at most %d: ask for less", len(value), wire.MaxAnswer)}
	case !json.Valid(value):
		return nil, errors.New("the answer is not JSON")
	}
	return value, nil
}

func answerError(err error) *wire.AnswerError {
	if e, ok := errors.AsType[*sandbox.HostError](err); ok {
		data := e.Data
		if len(data) > 0 && !json.Valid(data) {
			data = nil
		}
		return &wire.AnswerError{Kind: cmp.Or(e.Kind, sandbox.KindInternal), Message: e.Message, Data: data}
	}
	return &wire.AnswerError{Kind: sandbox.KindInternal, Message: err.Error()}
}

// record keeps how a call ended, and reports whether the script still waits.
func (r *run) record(n int, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	call := &r.calls[n-1]
	call.Elapsed = time.Since(call.Started)
	call.OK = err == nil
	if err != nil {
		said := answerError(err)
		call.Kind, call.Error = said.Kind, said.Message
		r.kinds[said.Kind] = true
	}
	r.inFlight--
	return !r.over
}
