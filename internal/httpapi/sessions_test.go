package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// Sessions answers with one session that says what was asked.
func (f *fakeControl) Sessions(_ context.Context, r client.SessionsRequest) (client.SessionList, error) {
	if r.Agent == "nobody" {
		return client.SessionList{}, f.err
	}
	return client.SessionList{Sessions: []client.RecordedSession{{ID: "s1", Agent: r.Agent, Searches: r.Limit}}, Before: r.Before}, f.err
}

func (f *fakeControl) SessionRecord(_ context.Context, id string) (client.SessionRecord, error) {
	if id != "a/b" {
		return client.SessionRecord{}, toolcrib.NewError(toolcrib.KindNotFound, "none", "")
	}
	return client.SessionRecord{Session: client.RecordedSession{ID: id}, Events: []client.SessionEvent{{Kind: "call"}}}, f.err
}

func (f *fakeControl) SessionEvents(_ context.Context, id string, after int64) (client.SessionEvents, error) {
	return client.SessionEvents{Events: []client.SessionEvent{{CallID: id, Seq: after + 1}}, After: after + 1}, f.err
}

func (f *fakeControl) ExplainSession(_ context.Context, id string) (client.SessionExplanation, error) {
	return client.SessionExplanation{Session: id}, f.err
}

func (f *fakeControl) Telemetry(_ context.Context, days int) (client.Telemetry, error) {
	return client.Telemetry{Tokenizer: "words", Total: client.AgentTelemetry{Calls: days}}, f.err
}

func (f *fakeControl) WriteMetrics(w io.Writer) { _, _ = io.WriteString(w, "calls_total 3\n") }

func TestSessions(t *testing.T) {
	h, err := NewControl(ControlOptions{Control: &fakeControl{}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		status int
		says   string
	}{
		"/api/sessions":                                {200, `"searches":0`},
		"/api/sessions?agent=nobody":                   {200, `{"sessions":[]}`},
		"/api/sessions/a%2Fb/events?after=4":           {200, `"seq":5`},
		"/api/sessions/a%2Fb/events":                   {200, `"callId":"a/b"`},
		"/api/sessions/a%2Fb/events?after=x":           {400, `after is`},
		"/api/sessions/a%2Fb/explain":                  {200, `"session":"a/b"`},
		"/api/telemetry?days=30":                       {200, `"calls":30`},
		"/api/telemetry":                               {200, `"tokenizer":"words"`},
		"/api/telemetry?days=-1":                       {400, `days is`},
		"/metrics":                                     {200, "calls_total 3\n"},
		"/api/sessions?agent=x&limit=3&before=9":       {200, `"searches":3,`},
		"/api/sessions?limit=0":                        {400, "whole number from 1 to 1000"},
		"/api/sessions?limit=1001":                     {400, "whole number from 1 to 1000"},
		"/api/sessions?before=-1":                      {400, "whole number from 1"},
		"/api/sessions?before=99999999999999999999999": {400, "whole number from 1"},
		"/api/sessions/a%2Fb":                          {200, `"kind":"call"`},
		"/api/sessions/none":                           {404, "not_found"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.says) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	c := client.New(client.InProcess(h), "")
	list, err := c.Sessions(t.Context(), client.SessionsRequest{Agent: "x", Limit: 3, Before: 9})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].Agent != "x" || list.Sessions[0].Searches != 3 || list.Before != 9 {
		t.Errorf("%+v, %v", list, err)
	}
	record, err := c.Session(t.Context(), "a/b")
	if err != nil || record.Session.ID != "a/b" {
		t.Errorf("%+v, %v", record, err)
	}
}
