package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/telemetry"
)

// recorder writes what happens to the log, events at level debug and each warning
// once, and into the record of sessions.
type recorder struct {
	logger *slog.Logger
	warned sync.Map

	log      *session.Log
	counters *telemetry.Counters    // of what is recorded, and of what isn't kept
	store    string                 // where it is, for the operator's log
	rules    func() config.Sessions // those in force
	// begun are the starts of sessions that are recorded once something else is,
	// by the session's id.
	begun sync.Map
}

// Record implements the recorders of invoke and toolsearch.
func (r *recorder) Record(e toolcrib.Event) {
	r.debug(e)
	r.record(session.From(e))
}

func (r *recorder) debug(e toolcrib.Event) {
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

// record takes an event into the record of sessions, in the background.
func (r *recorder) record(e session.Event) {
	r.count(e)
	if r.off() {
		return
	}
	r.begin(e.Session)
	r.log.Record(e)
}

// count counts an event. Nil counters count nothing.
func (r *recorder) count(e session.Event) {
	if r.counters != nil {
		r.counters.Add(e)
	}
}

// put records an event with what of measures, in the background.
func (r *recorder) put(e session.Event, of func() *session.Shown) {
	if r.off() {
		return
	}
	r.begin(e.Session)
	r.log.Defer(func() session.Event { e.Shown = of(); r.count(e); return e })
}

// off reports whether nothing is recorded.
func (r *recorder) off() bool { return r.log == nil || r.rules().Audit == "off" }

// audit writes down that a call is about to run; an error refuses the call.
func (r *recorder) audit(ctx context.Context, c toolcrib.Call) error {
	if r.off() {
		return nil
	}
	r.begin(c.Scope.Session)
	if r.rules().Audit != "required" {
		r.log.Record(session.Started(c))
		return nil
	}
	if err := r.log.Write(ctx, session.Started(c)); err != nil {
		return fmt.Errorf("store %s: %w", r.store, err)
	}
	return nil
}

// start records that a session has begun; of measures what its model is shown. For
// the operator's own commands, which mostly look at something, it waits until
// there is more to record.
func (r *recorder) start(scope toolcrib.Scope, of func() *session.Shown) {
	if r.off() {
		return
	}
	e := session.Of(session.KindStart, scope)
	e.Time = time.Now()
	made := func() session.Event { e.Shown = of(); r.count(e); return e }
	if scope.Door == toolcrib.DoorCLI {
		r.begun.Store(scope.Session, made)
		return
	}
	r.log.Defer(made)
}

// begin records a start that has waited.
func (r *recorder) begin(id string) {
	if made, ok := r.begun.LoadAndDelete(id); ok {
		r.log.Defer(made.(func() session.Event))
	}
}

// list records that a session's model is shown something else now.
func (r *recorder) list(scope toolcrib.Scope, of func() *session.Shown) {
	if _, waiting := r.begun.Load(scope.Session); waiting || r.off() {
		return
	}
	e := session.Of(session.KindList, scope)
	e.Time = time.Now()
	r.log.Defer(func() session.Event { e.Shown = of(); r.count(e); return e })
}

// end records that a session has ended; one of which nothing else was recorded
// leaves nothing.
func (r *recorder) end(scope toolcrib.Scope) {
	if _, waiting := r.begun.LoadAndDelete(scope.Session); waiting {
		return
	}
	r.record(session.Of(session.KindEnd, scope))
}

// warn logs a warning, once.
func (r *recorder) warn(text string) {
	if _, again := r.warned.LoadOrStore(text, true); !again {
		r.logger.Warn(text)
	}
}
