package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/client"
)

// pinDesk is a control with a desk for reviews; it notes what reaches it.
type pinDesk struct {
	Control
	asked []string
	taken []client.PinAnswer
}

func (d *pinDesk) Pins(_ context.Context, server string, rejected bool) ([]client.Pin, error) {
	if rejected {
		server += "+rejected"
	}
	d.asked = append(d.asked, server)
	return nil, nil
}

func (d *pinDesk) AnswerPins(_ context.Context, a client.PinAnswer) (client.PinReply, error) {
	d.taken = append(d.taken, a)
	return client.PinReply{Changed: len(a.Tools)}, nil
}

// askPins sends a request with a token and returns the status and the answer.
func askPins(t *testing.T, h http.Handler, method, path, secret, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestPinsAreAnsweredByTheAdmin: whoever opens the socket may look, and the admin
// alone may answer; over TCP nobody else may do either.
func TestPinsAreAnsweredByTheAdmin(t *testing.T) {
	d := &pinDesk{Control: &fakeControl{}}
	socket, err := NewControl(ControlOptions{Control: d, Admin: isAdmin})
	if err != nil {
		t.Fatal(err)
	}
	tcp := publicFor(t, PublicOptions{Listen: "127.0.0.1:0", Token: "t-static", Tokens: some(), Control: socket, Admin: isAdmin})
	const answer = `{"server":"github","decision":"approve","tools":[{"tool":"create_issue","hash":"h"}]}`
	for _, c := range []struct {
		tcp                        bool
		method, path, secret, body string
		code                       int
		says                       string
	}{
		{false, "GET", "/api/pins", "", "", 200, `{"pins":[]}`},
		{false, "GET", "/api/pins?server=github&rejected=true", "", "", 200, `{"pins":[]}`},
		{false, "GET", "/api/pins?rejected=1", "", "", 200, `{"pins":[]}`},
		{false, "POST", "/api/pins", "", answer, 401, "admin"},
		{false, "POST", "/api/pins", "wrong", answer, 401, "admin"},
		{false, "POST", "/api/pins", "t-owner", answer, 401, "admin"},
		{false, "POST", "/api/pins/", "", answer, 404, ""},
		{false, "PUT", "/api/pins", adminSecret, answer, 405, "GET, POST"},
		{false, "POST", "/api/pins", adminSecret, `{"server":"github","by":"me"}`, 400, "by"},
		{false, "POST", "/api/pins", adminSecret, ``, 400, "JSON"},
		{true, "POST", "/api/pins", "", answer, 401, ""},
		{true, "POST", "/api/pins", "t-owner", answer, 403, ""},
		{true, "POST", "/api/pins", "t-static", answer, 403, ""},
		{true, "GET", "/api/pins", "t-caller", "", 403, ""},
	} {
		h := http.Handler(socket)
		if c.tcp {
			h = tcp
		}
		code, body := askPins(t, h, c.method, c.path, c.secret, c.body)
		if code != c.code || !strings.Contains(body, c.says) {
			t.Errorf("%+v: %d %s", c, code, body)
		}
	}
	if diff := cmp.Diff([]string{"", "github+rejected", ""}, d.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if len(d.taken) > 0 {
		t.Fatalf("an answer of another than the admin counted: %+v", d.taken)
	}
	want := client.PinAnswer{Server: "github", Decision: client.PinApprove, Tools: []client.PinChoice{{Tool: "create_issue", Hash: "h"}}}
	for i, h := range []http.Handler{socket, tcp} {
		code, body := askPins(t, h, "POST", "/api/pins", adminSecret, answer)
		if code != 200 || !strings.Contains(body, `"changed":1`) || len(d.taken) != i+1 || !cmp.Equal(d.taken[i], want) {
			t.Errorf("the admin's answer: %d %s, taken %+v", code, body, d.taken)
		}
	}
	if code, body := askPins(t, controlFor(t, &fakeControl{}, nil), "GET", "/api/pins", "", ""); code != 404 || !strings.Contains(body, "pins no tools") {
		t.Errorf("a gateway without pins: %d %s", code, body)
	}
}
