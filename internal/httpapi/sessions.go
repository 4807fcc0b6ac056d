package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// MaxSessions bounds GET /api/sessions?limit=.
const MaxSessions = 1000

// SessionControl answers from the record of sessions.
type SessionControl interface {
	// Sessions lists sessions, the newest first.
	Sessions(ctx context.Context, r client.SessionsRequest) (client.SessionList, error)
	// SessionRecord returns one of them with its events.
	SessionRecord(ctx context.Context, id string) (client.SessionRecord, error)
	// SessionEvents returns a page of its events, those after a number.
	SessionEvents(ctx context.Context, id string, after int64) (client.SessionEvents, error)
	// ExplainSession answers from them.
	ExplainSession(ctx context.Context, id string) (client.SessionExplanation, error)
	// Telemetry sums up the last days; 0 days for all.
	Telemetry(ctx context.Context, days int) (client.Telemetry, error)
	// WriteMetrics writes counters in the text form of Prometheus.
	WriteMetrics(w io.Writer)
}

func (a *api) sessionRoutes() []route {
	return []route{
		{"GET", "/api/sessions", a.sessions},
		{"GET", "/api/sessions/{id}", a.session},
		{"GET", "/api/sessions/{id}/events", a.sessionEvents},
		{"GET", "/api/sessions/{id}/explain", a.explainSession},
		{"GET", "/api/telemetry", a.telemetry},
		{"GET", "/metrics", a.metrics},
	}
}

func (a *api) sessions(_ http.ResponseWriter, r *http.Request) (any, error) {
	limit, err := bounded(r, "limit", MaxSessions)
	if err != nil {
		return nil, err
	}
	before, err := bounded(r, "before", 1<<62)
	if err != nil {
		return nil, err
	}
	list, err := a.control.Sessions(r.Context(), client.SessionsRequest{Agent: r.URL.Query().Get("agent"), Limit: int(limit), Before: before})
	if list.Sessions == nil {
		list.Sessions = []client.RecordedSession{}
	}
	return list, err
}

func (a *api) session(_ http.ResponseWriter, r *http.Request) (any, error) {
	return a.control.SessionRecord(r.Context(), r.PathValue("id"))
}

func (a *api) sessionEvents(_ http.ResponseWriter, r *http.Request) (any, error) {
	after, err := bounded(r, "after", 1<<62)
	if err != nil {
		return nil, err
	}
	return a.control.SessionEvents(r.Context(), r.PathValue("id"), after)
}

func (a *api) explainSession(_ http.ResponseWriter, r *http.Request) (any, error) {
	return a.control.ExplainSession(r.Context(), r.PathValue("id"))
}

// maxDays bounds GET /api/telemetry?days=.
const maxDays = 36_500

func (a *api) telemetry(_ http.ResponseWriter, r *http.Request) (any, error) {
	days, err := bounded(r, "days", maxDays)
	if err != nil {
		return nil, err
	}
	return a.control.Telemetry(r.Context(), int(days))
}

// metrics answers in the text form of Prometheus.
func (a *api) metrics(w http.ResponseWriter, _ *http.Request) (any, error) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	a.control.WriteMetrics(w)
	return nil, errTaken
}

// bounded is a whole number of the query from 1 to most; 0 when it isn't given.
func bounded(r *http.Request, name string, most int64) (int64, error) {
	given := r.URL.Query().Get(name)
	if given == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(given, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, toolcrib.NewError(toolcrib.KindInput, name+" is "+quote(given), fmt.Sprintf("give a whole number from 1 to %d", most))
	}
	return n, nil
}
