package mcp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// remote is a configured server at a URL.
func remote(name, url string) Server {
	return Server{Name: name, URL: url, Enabled: true, Timeout: 20 * time.Second}
}

// serve runs a handler for the test. Streams that hang are cut at its end.
func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { shut(t, s) })
	return s
}

// shut ends a server. A handler that doesn't notice that its client is gone would
// hold up all other tests: it fails this one.
func shut(t *testing.T, s *httptest.Server) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.CloseClientConnections()
		s.Close()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		buf := make([]byte, 1<<20)
		t.Errorf("a request at %s doesn't end\n%s", s.URL, buf[:runtime.Stack(buf, true)])
	}
}

// streamable is the SDK's handler over one server.
func streamable(server *sdk.Server, stateless bool) http.Handler {
	// A stateless call has nobody left to cancel it when its request is gone.
	options := &sdk.StreamableHTTPOptions{Stateless: stateless, PropagateRequestCancellation: stateless}
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, options)
}

func TestHTTP(t *testing.T) {
	for name, c := range map[string]struct {
		handler   http.Handler
		sse       bool
		protocol  string
		transport string
	}{
		"stateful":       {streamable(sdkServer(t.Context()), false), false, "2025-11-25", "http"},
		"stateless":      {streamable(sdkServer(t.Context()), true), false, "2026-07-28", "http"},
		"legacy sse":     {sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return sdkServer(t.Context()) }, nil), true, "2025-11-25", "sse"},
		"sse discovered": {sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return sdkServer(t.Context()) }, nil), false, "2025-11-25", "sse"},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, c.handler)
			config := remote("web", server.URL)
			config.SSE = c.sse
			s := open(t, Options{Servers: []Server{config}})
			ready(t, s, "web")
			if got := names(listing(t, s, "web")); !slices.Equal(got, sdkTools) {
				t.Errorf("lists %v", got)
			}
			if got := said(t, s, "web", "echo", `{"text":"hello"}`); got != "hello" {
				t.Errorf("echo: %s", got)
			}
			if got := s.Status()[0]; got.Protocol != c.protocol || got.Transport != c.transport {
				t.Errorf("speaks %s over %s, want %s over %s", got.Protocol, got.Transport, c.protocol, c.transport)
			}
			checkProgress(t, s, "web")
		})
	}
}

// checkProgress runs the tool that reports three steps.
func checkProgress(t *testing.T, s *Source, server string) {
	t.Helper()
	var mu sync.Mutex
	var got []float64
	_, err := s.Execute(limit(t), toolcrib.Call{
		Tool: toolcrib.Tool{Owner: server, Name: "steps"}, Args: json.RawMessage(`{"text":""}`),
		Progress: func(p toolcrib.Progress) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, p.Done)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(got, []float64{1, 2, 3}) {
		t.Errorf("progress %v, want 1 2 3", got)
	}
}

func TestHTTPRefusals(t *testing.T) {
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, code) }
	}
	for name, c := range map[string]struct {
		handler http.Handler
		words   []string
	}{
		"401":      {status(401, "no"), []string{"HTTP 401", "set mcp.servers.web.headers.Authorization"}},
		"403":      {status(403, "no"), []string{"HTTP 403", "headers.Authorization"}},
		"404":      {status(404, "no"), []string{"HTTP 404", "check mcp.servers.web.url"}},
		"500":      {status(500, "out of cheese"), []string{"HTTP 500", "out of cheese"}},
		"html":     {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }), []string{"content of type text/html"}},
		"redirect": {http.RedirectHandler("https://elsewhere.example/mcp?key=s3cret", http.StatusTemporaryRedirect), []string{"redirects to https://elsewhere.example/mcp:"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, c.handler)
			s := open(t, Options{Servers: []Server{remote("web", server.URL)}})
			got := down(t, s, "web")
			for _, w := range c.words {
				if !strings.Contains(got.reason, w) {
					t.Errorf("reason %q doesn't say %q", got.reason, w)
				}
			}
			if strings.Contains(got.reason, "s3cret") {
				t.Errorf("reason %q holds a secret", got.reason)
			}
			_, err := call(t, s, "web", "echo", "{}")
			want(t, err, toolcrib.KindUnavailable, "down")
		})
	}
}

// TestHTTPRefused is a server that isn't there.
func TestHTTPRefused(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	s := open(t, Options{Servers: []Server{remote("web", server.URL)}})
	if got := down(t, s, "web"); !strings.Contains(got.reason, "refused") || got.next.IsZero() {
		t.Errorf("reason %q, next try %v", got.reason, got.next)
	}
}

// TestHTTPHeaders sends headers with each request, to the configured host alone.
func TestHTTPHeaders(t *testing.T) {
	var bad atomic.Int64
	inner := streamable(sdkServer(t.Context()), false)
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			bad.Add(1)
		}
		inner.ServeHTTP(w, r)
	}))
	config := remote("web", server.URL)
	config.Headers = map[string]string{"Authorization": "Bearer s3cret"}
	s := open(t, Options{Servers: []Server{config}})
	ready(t, s, "web")
	said(t, s, "web", "echo", `{"text":"x"}`)
	if bad.Load() > 0 {
		t.Errorf("%d requests without the header", bad.Load())
	}
	var leaked atomic.Int64
	thief := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { leaked.Add(1) }))
	mover := serve(t, http.RedirectHandler(thief.URL, http.StatusPermanentRedirect))
	config.Name, config.URL = "moved", mover.URL
	s2 := open(t, Options{Servers: []Server{config}})
	down(t, s2, "moved")
	if leaked.Load() > 0 {
		t.Error("a redirect led to another host")
	}
}

// TestHTTPSessionLost forgets all sessions: the next call runs all the same.
func TestHTTPSessionLost(t *testing.T) {
	var handler atomic.Value
	handler.Store(streamable(sdkServer(t.Context()), false))
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.Load().(http.Handler).ServeHTTP(w, r)
	}))
	s := open(t, Options{Servers: []Server{remote("web", server.URL)}})
	ready(t, s, "web")
	handler.Store(streamable(sdkServer(t.Context()), false))
	if got := said(t, s, "web", "echo", `{"text":"again"}`); got != "again" {
		t.Errorf("echo: %s", got)
	}
}

// TestHTTPDies stops a server: it is seen as down, a call says so, and it comes back.
func TestHTTPDies(t *testing.T) {
	var dead atomic.Bool
	inner := streamable(sdkServer(t.Context()), true)
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if dead.Load() {
			panic(http.ErrAbortHandler)
		}
		inner.ServeHTTP(w, r)
	}))
	s := open(t, Options{Servers: []Server{remote("web", server.URL)}})
	ready(t, s, "web")
	dead.Store(true)
	_, err := call(t, s, "web", "echo", `{"text":"x"}`)
	want(t, err, toolcrib.KindUnavailable, "web")
	down(t, s, "web")
	dead.Store(false)
	ready(t, s, "web")
}

// TestHTTPBrokenOff ends the answer of a call in the middle, and then the server.
func TestHTTPBrokenOff(t *testing.T) {
	inner := streamable(sdkServer(t.Context()), true)
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "tools/call" && r.Header.Get("Mcp-Name") == "wait" {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	s := open(t, Options{Servers: []Server{remote("web", server.URL)}})
	ready(t, s, "web")
	_, err := call(t, s, "web", "wait", `{"text":""}`)
	want(t, err, toolcrib.KindUnavailable, "broke off", "may have happened")
	if got := said(t, s, "web", "echo", `{"text":"alive"}`); got != "alive" {
		t.Errorf("echo: %s", got)
	}
	_, err = call(t, s, "web", "echo", `[]`)
	want(t, err, toolcrib.KindInput, "not a JSON object")
	server.CloseClientConnections()
	_ = server.Listener.Close()
	_, err = call(t, s, "web", "echo", `{"text":"x"}`)
	want(t, err, toolcrib.KindUnavailable, "refused")
}

// TestHTTPBatch takes an answer out of an array.
func TestHTTPBatch(t *testing.T) {
	for in, out := range map[string]string{` [ {"a":1} ] `: `{"a":1}`, `[1,2]`: `[1,2]`, `{}`: `{}`, ``: ``, `[`: `[`} {
		if got := string(alone([]byte(in))); got != out {
			t.Errorf("%q: %q, want %q", in, got, out)
		}
	}
}
