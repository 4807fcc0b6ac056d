package gateway

import (
	"encoding/json"
	"maps"
	"net/http"
	"sync"
	"time"
)

// ActivityHeader asks for what tools do as comments within a stream: lines that
// begin with ": toolcrib " and hold one JSON object each.
const ActivityHeader = "X-Toolcrib-Activity"

// keepAlive is how often a stream says something while tools run.
const keepAlive = 15 * time.Second

// sink writes the answer of a turn to an HTTP response.
type sink struct {
	w        http.ResponseWriter
	flush    *http.ResponseController
	header   http.Header // to be sent with the answer
	activity bool

	mu       sync.Mutex
	begun    bool
	streamed bool
	ended    chan struct{}
	waiting  []byte // comments before the stream begins
}

func newSink(w http.ResponseWriter) *sink {
	return &sink{w: w, flush: http.NewResponseController(w), header: http.Header{}, ended: make(chan struct{})}
}

// Begin implements loop.Sink.
func (s *sink) Begin(streamed bool, h http.Header) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.w.Header()
	maps.Copy(out, h)
	maps.Copy(out, s.header)
	out.Set("Content-Type", "application/json")
	if streamed {
		out.Set("Content-Type", "text/event-stream; charset=utf-8")
		out.Set("X-Accel-Buffering", "no")
	}
	out.Set("Cache-Control", "no-cache")
	out.Del("Content-Length")
	s.w.WriteHeader(http.StatusOK)
	s.begun, s.streamed = true, streamed
	if streamed {
		go s.alive()
		if len(s.waiting) > 0 {
			_, err := s.w.Write(s.waiting)
			s.waiting = nil
			return err
		}
	}
	return nil
}

// Write implements loop.Sink.
func (s *sink) Write(piece []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.w.Write(piece)
	if err == nil && s.streamed {
		_ = s.flush.Flush() // a response that can't is sent at its end
	}
	return n, err
}

// alive keeps the connection from looking dead.
func (s *sink) alive() {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-tick.C:
			s.comment([]byte(": working\n\n"))
		}
	}
}

// talkNote is one thing that tools do.
type talkNote struct {
	Call   string `json:"call"`
	Args   string `json:"args,omitempty"`
	Ms     int64  `json:"ms,omitempty"`
	Done   bool   `json:"done,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

// note tells who asked for it what tools do.
func (s *sink) note(n talkNote) {
	if !s.activity {
		return
	}
	if data, err := json.Marshal(n); err == nil {
		s.comment([]byte(": toolcrib " + string(data) + "\n\n"))
	}
}

// comment writes what is no event.
func (s *sink) comment(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ended:
		return
	default:
	}
	switch {
	case !s.begun:
		s.waiting = append(s.waiting, text...)
	case s.streamed:
		if _, err := s.w.Write(text); err == nil {
			_ = s.flush.Flush()
		}
	}
}

// close ends the comments.
func (s *sink) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.ended)
}
