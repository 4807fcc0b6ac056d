package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// Approver is what a Control may be, too: one that lets operators answer the
// questions of calls that wait for a person.
type Approver interface {
	// Approvals lists those that wait, the oldest first.
	Approvals(ctx context.Context) ([]client.Approval, error)
	// Approval returns one that waits or has been settled.
	Approval(ctx context.Context, id string) (client.Approval, error)
	// Resolve answers one, and returns it settled.
	Resolve(ctx context.Context, id string, d toolcrib.Decision) (client.Approval, error)
	// Settled lists the last ones that were settled, the newest first; limit is
	// between 1 and MaxApprovals.
	Settled(ctx context.Context, limit int) ([]client.Approval, error)
	// Watch tells of those that wait and of what happens to them, until ctx ends or
	// the reader falls too far behind.
	Watch(ctx context.Context) <-chan client.ApprovalEvent
	// Grants lists the answers "always", the oldest first.
	Grants(ctx context.Context) ([]client.Grant, error)
	// Revoke takes one back.
	Revoke(ctx context.Context, id string) error
}

// Bounds of GET /api/approvals/history?limit=.
const (
	DefaultApprovals = 50
	MaxApprovals     = 1000
)

// heartbeat is how often a stream of events shows that it lives.
const heartbeat = 15 * time.Second

func (a *api) approvalRoutes() []route {
	return []route{
		{"GET", "/api/approvals", a.withApprover(func(c Approver, _ http.ResponseWriter, r *http.Request) (any, error) {
			list, err := c.Approvals(r.Context())
			return client.ApprovalList{Approvals: orNone(list)}, err
		})},
		{"GET", "/api/approvals/{id}", a.withApprover(a.approval)}, // and events, and history
		{"GET", "/api/grants", a.withApprover(func(c Approver, _ http.ResponseWriter, r *http.Request) (any, error) {
			list, err := c.Grants(r.Context())
			return client.GrantList{Grants: orNone(list)}, err
		})},
	}
}

// approvalAdminRoutes are those that say what may run.
func (a *api) approvalAdminRoutes() []route {
	return []route{
		{"POST", "/api/approvals/{id}", a.withApprover(func(c Approver, w http.ResponseWriter, r *http.Request) (any, error) {
			var answer client.ApprovalAnswer
			if err := readJSON(w, r, &answer); err != nil {
				return nil, err
			}
			return c.Resolve(r.Context(), r.PathValue("id"), answer.Decision)
		})},
		{"DELETE", "/api/grants/{id}", a.withApprover(func(c Approver, _ http.ResponseWriter, r *http.Request) (any, error) {
			return struct{}{}, c.Revoke(r.Context(), r.PathValue("id"))
		})},
	}
}

// withApprover makes a route of what needs an Approver.
func (a *api) withApprover(do func(Approver, http.ResponseWriter, *http.Request) (any, error)) serve {
	return func(w http.ResponseWriter, r *http.Request) (any, error) {
		c, ok := a.control.(Approver)
		if !ok {
			return nil, toolcrib.NewError(toolcrib.KindNotFound, "this gateway asks nobody for approvals", "")
		}
		return do(c, w, r)
	}
}

// approval answers for one, for the history, and for the stream of events: no
// approval has such an id.
func (a *api) approval(c Approver, w http.ResponseWriter, r *http.Request) (any, error) {
	switch id := r.PathValue("id"); id {
	case "history":
		limit := DefaultApprovals
		if given := r.URL.Query().Get("limit"); given != "" {
			var err error
			if limit, err = strconv.Atoi(given); err != nil || limit < 1 || limit > MaxApprovals {
				return nil, toolcrib.NewError(toolcrib.KindInput, "limit is "+quote(given), fmt.Sprintf("give a whole number from 1 to %d", MaxApprovals))
			}
		}
		list, err := c.Settled(r.Context(), limit)
		return client.ApprovalList{Approvals: orNone(list)}, err
	case "events":
		return nil, stream(w, r, c.Watch(r.Context()))
	default:
		return c.Approval(r.Context(), id)
	}
}

// stream writes events as server-sent events, until they end.
func stream(w http.ResponseWriter, r *http.Request, events <-chan client.ApprovalEvent) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	out := http.NewResponseController(w)
	if _, err := fmt.Fprint(w, ": approvals\n\n"); err != nil || out.Flush() != nil {
		return errTaken // there is nobody, or no way to tell them
	}
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-r.Context().Done():
			return errTaken
		case <-tick.C:
			_, err = fmt.Fprint(w, ": alive\n\n")
		case e, ok := <-events:
			if !ok {
				return errTaken
			}
			err = writeEvent(w, e)
		}
		if err != nil || out.Flush() != nil {
			return errTaken
		}
	}
}

func writeEvent(w http.ResponseWriter, e client.ApprovalEvent) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.Kind, data)
	return err
}

// orNone makes a list that JSON shows as [] where it would be null.
func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
