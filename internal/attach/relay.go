package attach

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"
)

// Defaults of Relay.
const (
	DefaultPatience = 10 * time.Second
	DefaultDrain    = 2 * time.Second
	DefaultRest     = 30 * time.Second
)

// Bounds of what a gateway may take.
const (
	greeting   = 10 * time.Second // to answer the handshake when it is repeated
	lastWords  = time.Second      // to end after it has stopped reading
	firstPause = 50 * time.Millisecond
	longPause  = 2 * time.Second
)

// Reason says why a connection is wanted.
type Reason struct {
	// Err is what ended the last connection, or why the last attempt failed; nil
	// for the first attempt of all.
	Err error
	// Attempt counts the attempts since the last connection that was of use, from 0.
	Attempt int
}

// Relay joins one client to whatever gateway Connect finds. In, Out and Connect
// are required.
type Relay struct {
	In  io.Reader
	Out io.Writer
	// Connect finds a gateway. An error of the first attempt ends Run; later it
	// is called again after a pause that grows from 50 ms to 2 s. A connection
	// may also be Temporary.
	Connect func(context.Context, Reason) (io.ReadWriteCloser, error)
	// Patience is how long a request waits for a gateway before it is answered
	// with an error of kind "unavailable"; then the following are at once. 0
	// means DefaultPatience.
	Patience time.Duration
	// Drain is how long requests may go on after In has ended; 0 means DefaultDrain.
	Drain time.Duration
	// Rest is how long no tool must have been called before a Temporary connection
	// that was used is given up; 0 means DefaultRest.
	Rest time.Duration
	// Logger may be nil.
	Logger *slog.Logger
}

// Run relays until In ends, Out breaks or ctx is done. Nothing but protocol is
// written to Out. The end of In is no error; ctx's end is ctx.Err(). A read of In
// and a write to Out that are going on when Run returns do so until somebody
// closes the two.
func (r Relay) Run(ctx context.Context) error {
	if r.In == nil || r.Out == nil || r.Connect == nil {
		return errors.New("attach: Relay.In, Out and Connect are required")
	}
	if r.Patience == 0 {
		r.Patience = DefaultPatience
	}
	if r.Drain == 0 {
		r.Drain = DefaultDrain
	}
	if r.Rest == 0 {
		r.Rest = DefaultRest
	}
	if r.Logger == nil {
		r.Logger = slog.New(slog.DiscardHandler)
	}
	s := newSession(ctx, r)
	defer s.out.shut()
	defer s.end(nil)
	err := s.ended()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(s.ctx), errDone):
		return nil
	case context.Cause(s.ctx) != nil:
		return context.Cause(s.ctx)
	}
	return err
}

// ended runs the session to its end, which comes also when the client doesn't read.
func (s *session) ended() error {
	done := make(chan error, 1)
	go func() { done <- s.run() }()
	select {
	case err := <-done:
		return err
	case <-s.ctx.Done():
	}
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return nil
	}
}

// errDone ends a session whose client has.
var errDone = errors.New("attach: the input has ended")

// run serves one gateway after the other.
func (s *session) run() error {
	why := Reason{}
	for reading := false; s.ctx.Err() == nil; reading = true {
		up, err := s.connect(why)
		if err != nil {
			return err
		}
		if !reading {
			go s.listen()
		}
		err = s.hear(up)
		s.lose(up, err)
		why.Err, why.Attempt = err, why.Attempt+1
		if up.heard {
			why.Attempt = 0
		}
	}
	return nil
}

// connect finds the next gateway and introduces the client to it. It fails when
// the first attempt does, and when the session has ended.
func (s *session) connect(why Reason) (*upstream, error) {
	outage := time.AfterFunc(s.o.Patience, s.giveUp)
	defer outage.Stop()
	for {
		if why.Attempt > 0 && !s.pause(why.Attempt) {
			return nil, context.Cause(s.ctx)
		}
		up, err := s.try(why)
		if err == nil {
			outage.Stop()
			s.resume(up)
			return up, nil
		}
		if s.ctx.Err() != nil {
			return nil, context.Cause(s.ctx)
		}
		if why.Err == nil {
			return nil, err
		}
		s.o.Logger.Debug("no gateway yet", "attempt", why.Attempt, "error", err)
		s.blame(err)
		why.Err = err
		why.Attempt++
	}
}

// pause waits before another attempt; false when the session has ended.
func (s *session) pause(attempt int) bool {
	timer := time.NewTimer(min(firstPause<<min(attempt-1, 10), longPause))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

func (s *session) try(why Reason) (*upstream, error) {
	conn, err := s.o.Connect(s.ctx, why)
	if err != nil {
		return nil, err
	}
	up := newUpstream(conn)
	up.forget = context.AfterFunc(s.ctx, func() { conn.Close() })
	if err := s.greet(up); err != nil {
		up.forget()
		conn.Close()
		return nil, err
	}
	return up, nil
}

// hear passes on what a gateway says, until it has ended. It returns why.
func (s *session) hear(up *upstream) error {
	for {
		line, err := up.lines.next()
		if err != nil {
			return err
		}
		up.heard = true
		s.fromGateway(line)
	}
}
