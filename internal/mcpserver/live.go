package mcpserver

import (
	"net/http"
	"sync"
	"time"
)

// comment is what a stream of server-sent events says when there is nothing to
// say; readers skip it.
var comment = []byte(": still here\n\n")

// liveWriter is the response of a request that may take long. While it is alive
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
	timer   *time.Timer
	told    bool
	ended   bool
}

// alive begins to break silences, for a response that can only be a stream. end
// must be called when it is complete.
func alive(w http.ResponseWriter, silence time.Duration, opened func(), look func([]byte)) *liveWriter {
	l := &liveWriter{ResponseWriter: w, opened: opened, look: look, silence: silence}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = time.AfterFunc(silence, l.say)
	return l
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
	l.timer.Reset(l.silence)
}

// end ends it; nothing is written by itself afterwards.
func (l *liveWriter) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.timer.Stop()
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
	if !l.ended {
		l.timer.Reset(l.silence)
	}
	return n, err
}

// FlushError flushes, and tells the first time.
func (l *liveWriter) FlushError() error {
	l.mu.Lock()
	err := http.NewResponseController(l.ResponseWriter).Flush()
	first := !l.told
	l.told = true
	l.mu.Unlock()
	if first {
		l.opened()
	}
	return err
}
