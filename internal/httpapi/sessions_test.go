package httpapi

import (
	"context"
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
