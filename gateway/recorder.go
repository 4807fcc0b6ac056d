package gateway

import (
	"log/slog"
	"sync"

	"github.com/toolcrib/toolcrib"
)

// recorder writes what happens to the log: events at level debug, and each
// warning once.
type recorder struct {
	logger *slog.Logger
	warned sync.Map
}

// Record implements the recorders of invoke and toolsearch.
func (r *recorder) Record(e toolcrib.Event) {
	attrs := []any{"agent", e.Scope.Agent, "session", e.Scope.Session, "call", e.CallID, "ms", e.Duration.Milliseconds()}
	if e.Tool != "" {
		attrs = append(attrs, "tool", e.Tool)
	}
	if e.Kind == toolcrib.EventSearch {
		attrs = append(attrs, "query", e.Query, "hits", len(e.Hits))
	}
	if e.Failure != "" {
		attrs = append(attrs, "failure", e.Failure)
	}
	if e.ToolFailed {
		attrs = append(attrs, "toolFailed", true)
	}
	r.logger.Debug(string(e.Kind), attrs...)
}

// warn logs a warning, once.
func (r *recorder) warn(text string) {
	if _, again := r.warned.LoadOrStore(text, true); !again {
		r.logger.Warn(text)
	}
}
