package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// ask posts a body as a client of an era would, and returns status, session id and body.
func ask(t testing.TB, url, body string, header ...string) (int, string, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get(headerSession), string(data)
}

// initialize opens a session of the handshake era by hand and returns its id.
func initialize(t testing.TB, url string) string {
	t.Helper()
	status, id, body := ask(t, url, strings.SplitN(sayHello, "\n", 2)[0])
	if status != 200 || id == "" {
		t.Fatalf("initialize: %d, session %q, %s", status, id, body)
	}
	return id
}

const listTools = `{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{}}`

// modernBody is a request of the stateless era from a client of some name.
func modernBody(method, client, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":%q,"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, method, params, client)
}

func modernHeader(method string) []string {
	return []string{headerProtocol, "2026-07-28", "Mcp-Method", method}
}

// TestStatelessSessions: what makes two requests one session.
func TestStatelessSessions(t *testing.T) {
	g := &fakeGateway{surface: controls()}
	s, url := serve(t, g, nil)
	for _, test := range []struct {
		query, client string
		opened        int
	}{
		{"?agent=a", "x", 1},
		{"?agent=a", "x", 1},
		{"?agent=b", "x", 2},
		{"?agent=a", "y", 3},
		{"?agent=a&mode=direct", "x", 4},
		{"?agent=a&caller=token", "x", 5},
		{"?agent=a&caller=token", "x", 5},
	} {
		status, id, body := ask(t, url+test.query, modernBody("tools/list", test.client, ""), modernHeader("tools/list")...)
		if status != 200 || id != "" || !strings.Contains(body, `"resultType":"complete"`) || !strings.Contains(body, `"cacheScope":"private"`) {
			t.Fatalf("%s: %d, session %q, %s", test.query, status, id, body)
		}
		if n := len(g.opened()); n != test.opened || s.Sessions() != n {
			t.Errorf("%s as %s: %d sessions opened, %d held, want %d", test.query, test.client, n, s.Sessions(), test.opened)
		}
	}
}

// TestForeignSession: an id opens nothing for another caller, and doesn't tell
// that it exists.
func TestForeignSession(t *testing.T) {
	_, url := serve(t, &fakeGateway{surface: controls()}, nil)
	id := initialize(t, url+"?caller=alice&agent=a")
	status, _, _ := ask(t, url+"?caller=alice&agent=a", listTools, headerSession, id)
	if status != 200 {
		t.Errorf("the owner got %d", status)
	}
	_, _, unknown := ask(t, url+"?caller=bob&agent=a", listTools, headerSession, "nobody's")
	for _, query := range []string{"?caller=bob&agent=a", "?agent=a", "?caller=alice&agent=b"} {
		status, _, body := ask(t, url+query, listTools, headerSession, id)
		if status != 404 || body != unknown {
			t.Errorf("%s got %d %q, want 404 %q", query, status, body, unknown)
		}
	}
}

func TestDelete(t *testing.T) {
	calls := make(chan CallRequest, 1)
	surface := controls()
	surface.calls = calls
	g := &fakeGateway{surface: surface}
	s, url := serve(t, g, nil)
	id := initialize(t, url)
	done := make(chan string, 1)
	go func() {
		_, _, body := ask(t, url, callWait, headerSession, id)
		done <- body
	}()
	<-calls
	req, err := http.NewRequest(http.MethodDelete, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(headerSession, id)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 204 {
		t.Errorf("DELETE: %d", resp.StatusCode)
	}
	<-done // the call in flight has ended
	if status, _, _ := ask(t, url, listTools, headerSession, id); status != 404 {
		t.Errorf("after DELETE: %d", status)
	}
	s.Close()
	if s.Sessions() != 0 || g.closings() != 1 {
		t.Errorf("%d sessions are held, %d were closed", s.Sessions(), g.closings())
	}
}

// TestManySessions: a client that opens sessions and forgets them costs no more
// than the bound, and nothing in the end.
func TestManySessions(t *testing.T) {
	before := runtime.NumGoroutine()
	g := &fakeGateway{surface: controls()}
	s, err := New(Options{Opener: g, MaxSessions: 50})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Serve(w, r, toolcrib.Scope{Agent: r.URL.Query().Get("agent")}, "")
	}))
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 250 {
				initialize(t, web.URL)
				name := fmt.Sprintf("c%d-%d", worker, i)
				ask(t, web.URL, modernBody("tools/list", name, ""), modernHeader("tools/list")...)
			}
		})
	}
	group.Wait()
	if n := s.Sessions(); n != 100 {
		t.Errorf("%d sessions are held, want 50 of each era", n)
	}
	if n := len(g.opened()); n != 2000 {
		t.Errorf("%d sessions were opened, want 2000", n)
	}
	http.DefaultClient.CloseIdleConnections()
	s.Close()
	web.Close()
	if n := g.closings(); n != 2000 {
		t.Errorf("%d sessions were closed, want 2000", n)
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before+2 {
			return
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond) // goroutines of closed connections end in their own time
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// TestOldestGoes: the session unused for longest is given up, and a busy one last.
func TestOldestGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(Options{Opener: &fakeGateway{surface: controls()}, MaxSessions: 2})
		if err != nil {
			t.Fatal(err)
		}
		held := make(map[string]*conn)
		for _, name := range []string{"busy", "idle", "new"} {
			held[name] = s.newConn(Who{})
			held[name].session = &fakeSession{gateway: &fakeGateway{}}
			s.handshake.add(name, held[name])
			if name != "busy" {
				s.handshake.release(held[name])
			}
			time.Sleep(time.Second)
		}
		for name, want := range map[string]bool{"busy": true, "idle": false, "new": true} {
			if got := s.handshake.acquire(name) != nil; got != want {
				t.Errorf("%s is held: %v, want %v", name, got, want)
			}
		}
		s.Close()
	})
}

func TestIdleExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &fakeGateway{}
		s, err := New(Options{Opener: g, Idle: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		c := s.newConn(Who{})
		c.session = &fakeSession{gateway: g}
		s.handshake.add("id", c)
		time.Sleep(time.Hour) // one long request
		s.handshake.release(c)
		time.Sleep(50 * time.Second)
		if s.handshake.acquire("id") == nil {
			t.Fatal("gone before its time")
		}
		s.handshake.release(c)
		time.Sleep(59 * time.Second)
		if s.Sessions() != 1 {
			t.Error("a request did not renew the session")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s.Sessions() != 0 || g.closings() != 1 {
			t.Errorf("after the idle time: %d held, %d closed", s.Sessions(), g.closings())
		}
	})
}

// TestOpenStreamIsNoIdleness: over real HTTP, a session with an open stream stays.
func TestOpenStreamIsNoIdleness(t *testing.T) {
	g := &fakeGateway{surface: controls()}
	s, url := serve(t, g, func(o *Options) { o.Idle = 30 * time.Millisecond })
	changes := make(chan string, 10)
	c := connect(t, url, "2025-06-18", notify(changes))
	g.opened()[0].show(many(1))
	wait(t, changes) // the stream is open
	idle := initialize(t, url)
	for s.handshake.len() > 1 {
		time.Sleep(time.Millisecond) // until the other session, idle as long, has expired
	}
	if status, _, _ := ask(t, url, listTools, headerSession, idle); status != 404 {
		t.Errorf("the idle session answers %d", status)
	}
	if _, err := c.ListTools(t.Context(), nil); err != nil {
		t.Errorf("the session with a stream: %v", err)
	}
}

// TestChangeBeforeGet: a change between initialize and the stream is not lost.
func TestChangeBeforeGet(t *testing.T) {
	g := &fakeGateway{surface: controls()}
	_, url := serve(t, g, nil)
	id := initialize(t, url)
	ask(t, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, headerSession, id)
	ask(t, url, listTools, headerSession, id)
	g.opened()[0].show(many(1))
	time.Sleep(30 * time.Millisecond) // longer than the SDK collects changes: this one had no stream
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(headerSession, id)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "notifications/tools/list_changed") {
			return
		}
	}
	t.Errorf("the stream ended without a notification: %v", lines.Err())
}

// TestMisbehaviour: what no good client sends gets an answer, opens no session
// and breaks nothing.
func TestMisbehaviour(t *testing.T) {
	g := &fakeGateway{surface: controls()}
	s, url := serve(t, g, func(o *Options) { o.MaxBody = 1000 })
	modern := modernHeader("tools/list")
	for _, test := range []struct {
		name, body string
		header     []string
		want       int
		says       string
	}{
		{"not JSON", "hello", nil, 400, ""},
		{"empty", "", nil, 400, ""},
		{"empty batch", "[]", nil, 400, ""},
		{"half", `{"jsonrpc":"2.0","id":1,"method":"initialize"`, nil, 400, ""},
		{"wrong kinds", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":7}`, nil, 200, `"error"`},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, nil, 400, ""},
		{"before initialize", listTools, nil, 200, `"error"`},
		{"too large", strings.Repeat("x", 1001), nil, 413, "1000"},
		{"unknown session", listTools, []string{headerSession, "x"}, 404, ""},
		{"wrong Accept", listTools, []string{"Accept", "text/html"}, 400, ""},
		{"wrong Content-Type", listTools, []string{"Content-Type", "text/plain"}, 415, ""},
		{"old version", listTools, []string{headerProtocol, "1999-01-01"}, 400, ""},
		{"future version", listTools, []string{headerProtocol, "2099-01-01", "Mcp-Method", "tools/list"}, 400, ""},
		{"modern, not JSON", "hello", modern, 400, ""},
		{"modern, no header", modernBody("tools/list", "x", ""), nil, 400, "-32020"},
		{"modern, other method in header", modernBody("tools/call", "x", ""), modern, 400, ""},
		{"modern, no meta", listTools, modern, 400, ""},
		{"modern, unknown method", modernBody("no/such", "x", ""), modernHeader("no/such"), 404, "-32601"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, _, body := ask(t, url, test.body, test.header...)
			if status != test.want || !strings.Contains(body, test.says) {
				t.Errorf("%d %s, want %d and %q", status, body, test.want, test.says)
			}
		})
	}
	for _, method := range []string{"GET", "PUT", "DELETE", "OPTIONS", "HEAD"} {
		req, err := http.NewRequest(method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode < 400 || resp.StatusCode >= 500 {
			t.Errorf("%s without a session: %d", method, resp.StatusCode)
		}
	}
	if len(g.opened()) != 0 || s.Sessions() != 0 {
		t.Errorf("%d sessions were opened, %d are held", len(g.opened()), s.Sessions())
	}
	initialize(t, url)
}

// TestRawShapes: shapes of params that an SDK client can't be made to send.
func TestRawShapes(t *testing.T) {
	_, url := serve(t, &fakeGateway{surface: controls()}, nil)
	id := initialize(t, url)
	for _, test := range []struct{ params, says string }{
		{`{"name":"echo"}`, `"text":"args "`},
		{`{"name":"echo","arguments":null}`, `"text":"args`},
		{`{"name":"echo","arguments":{}}`, `"text":"args {}"`},
		{`{"name":"echo","arguments":{},"extra":1}`, `"text":"args {}"`},
		{`{"name":""}`, `"isError":true`},
		{`{}`, `"isError":true`},
		{`{"name":7}`, `"error"`},
		{`[]`, `"error"`},
	} {
		status, _, body := ask(t, url, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":`+test.params+`}`, headerSession, id)
		if status != 200 || !strings.Contains(body, test.says) {
			t.Errorf("%s: %d %s", test.params, status, body)
		}
	}
}

func FuzzServe(f *testing.F) {
	f.Add(strings.SplitN(sayHello, "\n", 2)[0], "")
	f.Add(modernBody("tools/call", "x", `"name":"echo","arguments":[1],`), "2026-07-28")
	f.Add(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "2025-03-26")
	f.Add("\xff{", "zzz")
	s, err := New(Options{Opener: &fakeGateway{surface: controls()}, MaxSessions: 4})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body, version string) {
		if strings.Contains(body, "listen") || strings.Contains(body, "wait") || strings.Contains(body, `\u`) {
			t.Skip() // these hang on purpose
		}
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set(headerProtocol, version)
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "echo")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		w := httptest.NewRecorder()
		s.Serve(w, r.WithContext(ctx), toolcrib.Scope{}, "")
		if w.Code >= 500 || ctx.Err() != nil {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}

// TestEnded: a closed Server opens nothing more, and open streams end with it.
func TestEnded(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			g := &fakeGateway{surface: controls()}
			s, url := serve(t, g, nil)
			c := connect(t, url, era.version, notify(make(chan string, 1)))
			s.Close()
			if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo"}); err == nil {
				t.Error("a call of an ended session succeeded")
			}
			if s.Sessions() != 0 || g.closings() != 1 {
				t.Errorf("%d held, %d closed", s.Sessions(), g.closings())
			}
		})
	}
}
