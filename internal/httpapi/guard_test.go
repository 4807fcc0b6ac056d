package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// answerScope is an MCP endpoint that says who came in.
func answerScope(w http.ResponseWriter, r *http.Request, scope toolcrib.Scope, mode string) {
	data, _ := io.ReadAll(r.Body)
	writeJSON(w, http.StatusOK, []string{string(scope.Door), scope.Agent, scope.Caller, mode, string(data)})
}

func publicFor(t testing.TB, o PublicOptions) http.Handler {
	t.Helper()
	if o.MCP == nil {
		o.MCP = answerScope
	}
	h, err := NewPublic(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// failureOf reads the error of an answer.
func failureOf(t testing.TB, r *http.Response) client.FailureDetail {
	t.Helper()
	var f client.Failure
	if err := json.NewDecoder(r.Body).Decode(&f); err != nil {
		t.Fatalf("status %d without an error in JSON: %v", r.StatusCode, err)
	}
	if f.Error.Kind == "" || f.Error.Message == "" {
		t.Fatalf("failure = %+v", f)
	}
	return f.Error
}

func TestHost(t *testing.T) {
	const loop, lan = "127.0.0.1:7433", "0.0.0.0:7433"
	for _, test := range []struct {
		listen  string
		allowed []string
		host    string
		want    int
	}{
		{loop, nil, "127.0.0.1:7433", 200},
		{loop, nil, "localhost", 200},
		{loop, nil, "LocalHost:1", 200},
		{loop, nil, "[::1]:7433", 200},
		{loop, nil, "[::1]", 200},
		{loop, nil, "evil.example", 403},
		{loop, nil, "evil.example:7433", 403},
		{loop, nil, "localhost.evil.example", 403},
		{loop, nil, "127.0.0.1.evil.example", 403},
		{loop, nil, "192.168.1.5:7433", 403},
		{loop, nil, "localhost:7433@evil.example", 403},
		{loop, nil, "", 403},
		{loop, []string{"Gateway.Internal"}, "gateway.internal:99", 200},
		{loop, []string{"gateway.internal:99"}, "gateway.internal:99", 200},
		{loop, []string{"gateway.internal:99"}, "gateway.internal:98", 403},
		{lan, nil, "box.example:7433", 200},
		{lan, []string{"box.example"}, "box.example:7433", 200},
		{lan, []string{"box.example"}, "other.example", 403},
	} {
		h := publicFor(t, PublicOptions{Listen: test.listen, Token: "secret", AllowedHosts: test.allowed})
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader("{}"))
		r.Header.Set("Authorization", "Bearer secret")
		r.Host = test.host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("listen %s, allowed %v, Host %q: %d, want %d", test.listen, test.allowed, test.host, w.Code, test.want)
		}
		if w.Code == 403 {
			if f := failureOf(t, w.Result()); !strings.Contains(f.Hint, "gateway.allowedHosts") || f.Kind != toolcrib.KindBlocked {
				t.Errorf("failure = %+v", f)
			}
		}
	}
}

func TestOrigin(t *testing.T) {
	for _, test := range []struct {
		allowed []string
		origin  string
		want    int
	}{
		{nil, "http://localhost:3000", 200},
		{nil, "https://127.0.0.1", 200},
		{nil, "http://[::1]:8080", 200},
		{nil, "https://evil.example", 403},
		{nil, "http://localhost.evil.example", 403},
		{nil, "http://localhost@evil.example", 403},
		{nil, "http://evil@localhost", 403},
		{nil, "null", 403},
		{nil, "file://localhost", 403},
		{nil, "", 403}, // sent, but empty
		{[]string{"https://App.Example/"}, "https://app.example", 200},
		{[]string{"https://app.example"}, "https://app.example:444", 403},
		{[]string{"vscode-webview://x"}, "vscode-webview://x", 200},
	} {
		h := publicFor(t, PublicOptions{Listen: "127.0.0.1:7433", AllowedOrigins: test.allowed})
		r := httptest.NewRequest("POST", "http://127.0.0.1:7433/mcp", strings.NewReader("{}"))
		r.Header.Set("Origin", test.origin)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("allowed %v, Origin %q: %d, want %d", test.allowed, test.origin, w.Code, test.want)
		}
		if w.Code == 403 && !strings.Contains(failureOf(t, w.Result()).Hint, "gateway.allowedOrigins") {
			t.Errorf("Origin %q: the hint does not name the key", test.origin)
		}
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("CORS header %q", got)
		}
	}
}

func TestToken(t *testing.T) {
	for _, test := range []struct {
		token, header string
		want          int
		caller        string
	}{
		{"", "", 200, ""},
		{"", "Bearer anything", 200, ""},
		{"secret", "Bearer secret", 200, StaticCaller},
		{"secret", "bearer  secret ", 200, StaticCaller},
		{"secret", "", 401, ""},
		{"secret", "Bearer", 401, ""},
		{"secret", "Bearer secre", 401, ""},
		{"secret", "Bearer secrets", 401, ""},
		{"secret", "Basic secret", 401, ""},
		{"secret", "secret", 401, ""},
	} {
		h := publicFor(t, PublicOptions{Listen: "127.0.0.1:0", Token: test.token})
		r := httptest.NewRequest("POST", "http://localhost/mcp?agent=main&mode=tools", strings.NewReader("body"))
		if test.header != "" {
			r.Header.Set("Authorization", test.header)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("token %q, header %q: %d, want %d", test.token, test.header, w.Code, test.want)
		}
		if w.Code == 401 {
			if w.Header().Get("WWW-Authenticate") == "" || failureOf(t, w.Result()).Kind != toolcrib.KindUnauthorized {
				t.Errorf("401 without a challenge: %v", w.Header())
			}
			continue
		}
		var got []string
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"mcp", "main", test.caller, "tools", "body"}, got); diff != "" {
			t.Errorf("scope: %s", diff)
		}
	}
}

func TestListenNeedsToken(t *testing.T) {
	for listen, refused := range map[string]bool{
		"127.0.0.1:7433": false, "localhost:0": false, "[::1]:7433": false, "127.8.8.8:1": false,
		"0.0.0.0:7433": true, ":7433": true, "[::]:7433": true, "192.168.0.2:7433": true, "box.example:7433": true, "localhost.example:1": true,
	} {
		_, err := NewPublic(PublicOptions{MCP: answerScope, Listen: listen})
		if (err != nil) != refused {
			t.Errorf("listen %s without a token: %v", listen, err)
		}
		if refused && (toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), "gateway.token")) {
			t.Errorf("listen %s: %v", listen, err)
		}
		if _, err := NewPublic(PublicOptions{MCP: answerScope, Listen: listen, Token: "t"}); err != nil {
			t.Errorf("listen %s with a token: %v", listen, err)
		}
	}
	if _, err := NewPublic(PublicOptions{}); err == nil {
		t.Error("no error without MCP and Listen")
	}
}

func FuzzPlace(f *testing.F) {
	f.Add("localhost:7433", "http://localhost:1")
	f.Add("evil.example", "null")
	f.Add("[::1", "http://[::1")
	g := &guard{loopback: true}
	f.Fuzz(func(t *testing.T, host, origin string) {
		r := &http.Request{Host: host, Header: http.Header{"Origin": {origin}}}
		if err := g.checkPlace(r); err == nil && (!strings.ContainsAny(host, "1lL") || !strings.Contains(origin, "://")) {
			t.Errorf("let in: Host %q, Origin %q", host, origin)
		}
	})
}
