package httpapi

import (
	"context"
	"fmt"
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
}

func (a *api) sessionRoutes() []route {
	return []route{
		{"GET", "/api/sessions", a.sessions},
		{"GET", "/api/sessions/{id}", a.session},
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
