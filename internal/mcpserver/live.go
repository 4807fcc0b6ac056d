package mcpserver

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// comment is what a stream of server-sent events says when there is nothing to
// say; readers skip it.
var comment = []byte(": still here\n\n")

// liveWriter is the response of a request that may take long. Once it has begun
// it breaks every silence: programs and proxies between give up on a connection
// that is silent for long, some before the first byte. The SDK writes each event
// in one piece.
type liveWriter struct {
	http.ResponseWriter
	// opened is told when the SDK has opened a stream, which it does by flushing.
	opened func()
	// look is shown what the SDK writes.
	look func([]byte)

	mu      sync.Mutex
	silence time.Duration
	timer   *time.Timer // nil until it has begun
	told    bool
	ended   bool
}

// begin is called when the header is complete: by what the SDK writes, or by
// whoever knows that it waits for a result.
func (l *liveWriter) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake()
}

// wake starts a silence anew; the caller holds mu.
func (l *liveWriter) wake() {
	switch {
	case l.ended:
	case l.timer == nil:
		l.timer = time.AfterFunc(l.silence, l.say)
	default:
		l.timer.Reset(l.silence)
	}
}

// say writes a comment.
func (l *liveWriter) say() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	if _, err := l.ResponseWriter.Write(comment); err != nil {
		return // the client has gone, which the SDK learns by itself
	}
	_ = http.NewResponseController(l.ResponseWriter).Flush() // the next one may do
	l.wake()
}

// end ends it; nothing is written by itself afterwards.
func (l *liveWriter) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.timer != nil {
		l.timer.Stop()
	}
}

// Unwrap serves http.ResponseController.
func (l *liveWriter) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// WriteHeader sends the header. A response that isn't 200 is no stream.
func (l *liveWriter) WriteHeader(status int) {
	if status != http.StatusOK {
		l.end()
	}
	l.ResponseWriter.WriteHeader(status)
}

// Write writes one event.
func (l *liveWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.ResponseWriter.Write(b)
	l.look(b)
	l.wake()
	return n, err
}

// FlushError flushes, and tells the first time.
func (l *liveWriter) FlushError() error {
	l.mu.Lock()
	err := http.NewResponseController(l.ResponseWriter).Flush()
	first := !l.told
	l.told = true
	l.wake()
	l.mu.Unlock()
	if first {
		l.opened()
	}
	return err
}

// headerStream names a response to the handler of its request, which the SDK
// gives no other way to find it. A client's own header of that name is replaced.
const headerStream = "Toolcrib-Stream"

// streams are the responses that may take long, by their names.
type streams struct {
	mu    sync.Mutex
	count int
	open  map[string]*liveWriter
}

// add wraps the response of a request until end is called.
func (s *streams) add(w http.ResponseWriter, r *http.Request, l *liveWriter) (end func()) {
	l.ResponseWriter = w
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	name := strconv.Itoa(s.count)
	if s.open == nil {
		s.open = make(map[string]*liveWriter)
	}
	s.open[name] = l
	r.Header.Set(headerStream, name)
	return func() {
		l.end()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, name)
	}
}

// begin lets the response of a request break its silences.
func (s *streams) begin(req mcp.Request) {
	extra := req.GetExtra()
	if extra == nil || extra.Header == nil {
		return
	}
	s.mu.Lock()
	l := s.open[extra.Header.Get(headerStream)]
	s.mu.Unlock()
	if l != nil {
		l.begin()
	}
}
