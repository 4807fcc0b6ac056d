package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// desk is a control with an operator's desk.
type desk struct {
	Control
	events chan client.ApprovalEvent
}

func (d *desk) Approvals(context.Context) ([]client.Approval, error) { return nil, nil }

func (d *desk) Approval(_ context.Context, id string) (client.Approval, error) {
	return client.Approval{Question: toolcrib.Question{ID: id}}, nil
}

func (d *desk) Resolve(_ context.Context, id string, decision toolcrib.Decision) (client.Approval, error) {
	return client.Approval{Question: toolcrib.Question{ID: id}, Decision: decision}, nil
}

func (d *desk) Settled(_ context.Context, limit int) ([]client.Approval, error) {
	return make([]client.Approval, limit), nil
}

func (d *desk) Watch(context.Context) <-chan client.ApprovalEvent { return d.events }

func (d *desk) Grants(context.Context) ([]client.Grant, error) { return nil, nil }

func (d *desk) Revoke(context.Context, string) error { return nil }

func TestApprovalRoutes(t *testing.T) {
	h, err := NewControl(ControlOptions{Control: &desk{Control: &fakeControl{}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, path, body string
		code               int
		says               string
	}{
		{"GET", "/api/approvals", "", 200, `{"approvals":[]}`},
		{"GET", "/api/approvals/abc", "", 200, `"id":"abc"`},
		{"POST", "/api/approvals/abc", `{"decision":"deny"}`, 200, `"decision":"deny"`},
		{"POST", "/api/approvals/abc", `{"decision":"deny","by":"somebody"}`, 400, "by"},
		{"POST", "/api/approvals/abc", ``, 400, "JSON"},
		{"GET", "/api/approvals/history?limit=1", "", 200, `{"approvals":[{`},
		{"GET", "/api/approvals/history?limit=0", "", 400, "from 1 to 1000"},
		{"GET", "/api/approvals/history?limit=1001", "", 400, "from 1 to 1000"},
		{"GET", "/api/grants", "", 200, `{"grants":[]}`},
		{"DELETE", "/api/grants/g", "", 200, `{}`},
		{"PUT", "/api/approvals/abc", `{}`, 405, "GET, POST"},
		{"GET", "/api/grants/g", "", 405, "DELETE"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body)))
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, w.Code, w.Body)
		}
	}
	h, err = NewControl(ControlOptions{Control: &fakeControl{}})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/api/approvals", nil))
	if w.Code != http.StatusNotFound {
		t.Errorf("without a desk: %d %s", w.Code, w.Body)
	}
}

// The stream shows that it lives while nothing happens, and ends with its events.
func TestApprovalStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{Control: &fakeControl{}, events: make(chan client.ApprovalEvent)}
		h, err := NewControl(ControlOptions{Control: d})
		if err != nil {
			t.Fatal(err)
		}
		w, done := httptest.NewRecorder(), make(chan struct{})
		go func() {
			defer close(done)
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/api/approvals/events", nil))
		}()
		d.events <- client.ApprovalEvent{Kind: "ready"}
		time.Sleep(heartbeat + time.Second)
		d.events <- client.ApprovalEvent{Kind: "granted"}
		close(d.events)
		<-done
		want := ": approvals\n\nevent: ready\ndata: {\"kind\":\"ready\"}\n\n: alive\n\nevent: granted\ndata: {\"kind\":\"granted\"}\n\n"
		if diff := cmp.Diff(want, w.Body.String()); diff != "" || w.Header().Get("Content-Type") != "text/event-stream" {
			t.Errorf("%s (-want +got):\n%s", w.Header(), diff)
		}
	})
}
