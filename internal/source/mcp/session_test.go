package mcp

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

// sessionCall runs the pid tool for a session.
func sessionCall(t *testing.T, s *Source, session string) string {
	t.Helper()
	r, err := s.Execute(limit(t), toolcrib.Call{Tool: toolcrib.Tool{Owner: "a", Name: "echo"}, Scope: toolcrib.Scope{Session: session}})
	if err != nil {
		t.Fatalf("session %s: %v", session, err)
	}
	return r.Content[0].Text
}

func TestSessionScope(t *testing.T) {
	config := fake(t, "a", "pid")
	config.Scope = ScopeSession
	s := open(t, Options{Servers: []Server{config}, CacheDir: t.TempDir()})
	if st := s.Status()[0]; st.Sessions != 0 || st.PID != 0 {
		t.Errorf("a process before any session: %+v", st)
	}
	one, two := sessionCall(t, s, "one"), sessionCall(t, s, "two")
	if one == two || sessionCall(t, s, "one") != one {
		t.Errorf("processes %s and %s", one, two)
	}
	l := s.Listings(t.Context(), toolcrib.Scope{Session: "three"})
	if !l[0].Known || len(l[0].Tools) != 1 {
		t.Errorf("a new session doesn't see the remembered list: %+v", l[0])
	}
	s.EndSession("one")
	if st := s.Status()[0]; st.Sessions != 2 {
		t.Errorf("%d sessions", st.Sessions)
	}
	if sessionCall(t, s, "one") == one {
		t.Error("the session got its old process back")
	}
}

// TestSharedScope gives all sessions one process.
func TestSharedScope(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "pid")}})
	var mu sync.Mutex
	seen := map[string]bool{}
	var wait sync.WaitGroup
	for i := range 5 {
		wait.Go(func() {
			pid := sessionCall(t, s, fmt.Sprint(i))
			mu.Lock()
			defer mu.Unlock()
			seen[pid] = true
		})
	}
	wait.Wait()
	if len(seen) != 1 {
		t.Errorf("processes %v", seen)
	}
}

// TestSessionBounds ends the session that was unused for longest, and those unused for long.
func TestSessionBounds(t *testing.T) {
	config := fake(t, "a", "pid")
	config.Scope = ScopeSession
	few := quick
	few.sessions = 2
	s := open(t, Options{Servers: []Server{config}, tuning: few})
	for i := range 4 {
		sessionCall(t, s, fmt.Sprint(i))
	}
	if st := s.Status()[0]; st.Sessions != 2 {
		t.Errorf("%d sessions", st.Sessions)
	}
	short := quick
	short.idle = 50 * time.Millisecond
	s = open(t, Options{Servers: []Server{config}, tuning: short})
	sessionCall(t, s, "one")
	settleSessions(t, s)
}

// settleSessions waits until no session has a connection.
func settleSessions(t *testing.T, s *Source) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); s.Status()[0].Sessions > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("an idle session is kept")
		}
	}
}

// TestSessionsBusy refuses a session when all others run calls.
func TestSessionsBusy(t *testing.T) {
	config := fake(t, "a", "hangs")
	config.Scope = ScopeSession
	one := quick
	one.sessions = 1
	s := open(t, Options{Servers: []Server{config}, tuning: one})
	p, err := s.find("a")
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.link("busy")
	if err != nil {
		t.Fatal(err)
	}
	l.enter()
	defer l.leave()
	_, err = s.Execute(limit(t), toolcrib.Call{Tool: toolcrib.Tool{Owner: "a", Name: "echo"}, Scope: toolcrib.Scope{Session: "other"}})
	want(t, err, toolcrib.KindLimit, "1 sessions")
	ls := s.Listings(t.Context(), toolcrib.Scope{Session: "other"})
	if ls[0].State != toolcrib.StateDown || ls[0].Reason == "" {
		t.Errorf("listing %+v", ls[0])
	}
}

func TestRestart(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "pid")}})
	before := sessionCall(t, s, "x")
	if err := s.Restart(limit(t), "a"); err != nil {
		t.Fatal(err)
	}
	if sessionCall(t, s, "x") == before {
		t.Error("the process is the same")
	}
	want(t, s.Restart(t.Context(), "b"), toolcrib.KindNotFound, "b")
	bad := open(t, Options{Servers: []Server{fake(t, "a", "exit=4")}})
	want(t, bad.Restart(limit(t), "a"), toolcrib.KindUnavailable, "code 4")
}
