package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolcrib/toolcrib"
)

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
	s.closing.wait()
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
	if _, err := c.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
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
