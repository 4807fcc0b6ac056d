package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// update changes the servers and fails unless the change is as wanted.
func update(t *testing.T, s *Source, wanted Change, servers ...Server) {
	t.Helper()
	got, err := s.Update(servers)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Fatal(diff)
	}
}

// with returns a changed copy of a server.
func with(s Server, change func(*Server)) Server {
	s = *s.prepared()
	s.filter, s.fault = Server{}.filter, ""
	change(&s)
	return s
}

// TestUpdateServers keeps, changes, adds and removes, and counts the processes.
func TestUpdateServers(t *testing.T) {
	told := make(chan string, 1000)
	a, b, c, d := fake(t, "a", "two"), fake(t, "b", "two"), fake(t, "c", "two"), fake(t, "d", "two")
	s := open(t, Options{Servers: []Server{a, b, c}, CacheDir: t.TempDir(), OnChange: func(name string) { told <- name }})
	pids := map[string]int{}
	for _, name := range []string{"a", "b", "c"} {
		pids[name] = ready(t, s, name).pid
	}
	before := s.Status()[0]
	for len(told) > 0 {
		<-told
	}
	a.Args, a.Headers, a.Allow, a.Scope = []string{}, map[string]string{}, []string{}, ScopeShared // all of it says the same
	b = with(b, func(s *Server) { s.Args = []string{"--other"} })
	update(t, s, Change{Added: []string{"d"}, Changed: []string{"b"}, Removed: []string{"c"}, Kept: []string{"a"}}, d, b, a)
	for left := map[string]bool{"b": true, "c": true, "d": true}; len(left) > 0; { // Update has told of them
		select {
		case name := <-told:
			delete(left, name)
		default:
			t.Fatalf("nobody was told of %v", left)
		}
	}
	if ready(t, s, "a").pid != pids["a"] || ready(t, s, "b").pid == pids["b"] {
		t.Errorf("processes were %v, a has %d and b %d", pids, ready(t, s, "a").pid, ready(t, s, "b").pid)
	}
	if diff := cmp.Diff(before, s.Status()[0]); diff != "" {
		t.Errorf("the condition of what was kept: %s", diff)
	}
	ready(t, s, "d")
	if got := said(t, s, "d", "pid", "{}"); got != fmt.Sprint(ready(t, s, "d").pid) {
		t.Errorf("d answers %s", got)
	}
	_, err := call(t, s, "c", "echo", "{}")
	want(t, err, toolcrib.KindNotFound, `"c"`)
	if lines, err := s.Log("b", 0); err != nil || strings.Count(strings.Join(lines, "\n"), "ready with") != 2 {
		t.Errorf("the log doesn't go on: %v, %v", lines, err)
	}
	update(t, s, Change{Removed: []string{"a", "b", "d"}})
	if l := s.Listings(t.Context(), toolcrib.Scope{}); len(l) != 0 {
		t.Errorf("listings %v", l)
	}
}

// TestUpdateTerms changes what needs no other process.
func TestUpdateTerms(t *testing.T) {
	plain := fake(t, "a", "two")
	s := open(t, Options{Servers: []Server{plain}, CacheDir: t.TempDir()})
	pid := ready(t, s, "a").pid
	first := listing(t, s, "a")
	none := ""
	for name, c := range map[string]struct {
		change func(*Server)
		good   func(toolcrib.Listing) bool
		same   bool // the tools, and so the fingerprint
	}{
		"allow":      {func(s *Server) { s.Allow = []string{"e*"} }, func(l toolcrib.Listing) bool { return slices.Equal(names(l), []string{"echo"}) }, false},
		"deny":       {func(s *Server) { s.Deny = []string{"echo"} }, func(l toolcrib.Listing) bool { return slices.Equal(names(l), []string{"pid"}) }, false},
		"trusted":    {func(s *Server) { s.Trusted = true }, func(l toolcrib.Listing) bool { return l.Tools[0].Trusted && l.Tools[1].Trusted }, false},
		"hints":      {func(s *Server) { s.TrustHints = true }, func(l toolcrib.Listing) bool { return l.Tools[0].TrustedHints && !l.Tools[0].Trusted }, false},
		"sequential": {func(s *Server) { s.CallsSequential = true }, func(l toolcrib.Listing) bool { return l.Tools[1].ExecutionMode == toolcrib.ExecutionSequential }, false},
		"prefix":     {func(s *Server) { s.Prefix = &none }, func(l toolcrib.Listing) bool { return l.NoPrefix }, true},
		"timeout":    {func(s *Server) { s.Timeout = time.Hour }, func(l toolcrib.Listing) bool { return true }, true},
	} {
		changed := with(plain, c.change)
		update(t, s, Change{Changed: []string{"a"}}, changed)
		got := listing(t, s, "a")
		if !c.good(got) || got.State != toolcrib.StateReady || (got.Fingerprint == first.Fingerprint) != c.same {
			t.Errorf("%s: listing %+v", name, got)
		}
		fresh := open(t, Options{Servers: []Server{changed}})
		ready(t, fresh, "a")
		if diff := cmp.Diff(listing(t, fresh, "a"), got); diff != "" {
			t.Errorf("%s: unlike a fresh start: %s", name, diff)
		}
		_ = fresh.Close()
		update(t, s, Change{Changed: []string{"a"}}, plain)
		if diff := cmp.Diff(first, listing(t, s, "a")); diff != "" {
			t.Errorf("%s: unlike before: %s", name, diff)
		}
	}
	if got := ready(t, s, "a"); got.pid != pid || got.starts != 1 {
		t.Errorf("process %d after %d starts, was %d", got.pid, got.starts, pid)
	}
	update(t, s, Change{Changed: []string{"a"}}, with(plain, func(s *Server) { s.Deny = []string{"echo"} }))
	_, err := call(t, s, "a", "echo", "{}")
	want(t, err, toolcrib.KindUnavailable, "any more")
}

// TestUpdateTimeout bounds the calls that begin after a change, not those that run.
func TestUpdateTimeout(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	a := fake(t, "a", "gate="+gate)
	s := open(t, Options{Servers: []Server{a}})
	ready(t, s, "a")
	running := begin(t, s, "a", "waits at the gate")
	update(t, s, Change{Changed: []string{"a"}}, with(a, func(s *Server) { s.Timeout = 50 * time.Millisecond }))
	_, err := call(t, s, "a", "echo", "{}")
	want(t, err, toolcrib.KindTimeout, "bound: 50ms")
	openGate(t, gate)
	if err := <-running; err != nil {
		t.Errorf("the call that ran before: %v", err)
	}
}

// begin starts a call and returns when the server wrote a line into its log.
func begin(t *testing.T, s *Source, server, line string) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := s.Execute(context.Background(), toolcrib.Call{Tool: toolcrib.Tool{Owner: server, Name: "echo"}})
		done <- err
	}()
	awaitLog(t, s, server, line)
	return done
}

// awaitLog waits for a line in a server's log.
func awaitLog(t *testing.T, s *Source, server, line string) {
	t.Helper()
	ctx := limit(t)
	for lines, _ := s.Log(server, 0); !strings.Contains(strings.Join(lines, "\n"), line); lines, _ = s.Log(server, 0) {
		if !sleep(ctx, 5*time.Millisecond) {
			t.Fatalf("%q is not in the log: %v", line, lines)
		}
	}
}

// openGate lets the calls of a gate server end.
func openGate(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestUpdateCalls ends the calls of what changed, and of nothing else.
func TestUpdateCalls(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	var servers []Server
	for _, name := range []string{"changed", "kept", "off", "removed"} {
		servers = append(servers, fake(t, name, "gate="+gate))
	}
	s := open(t, Options{Servers: servers})
	calls := map[string]<-chan error{}
	for _, c := range servers {
		ready(t, s, c.Name)
		calls[c.Name] = begin(t, s, c.Name, "waits at the gate")
	}
	update(t, s, Change{Changed: []string{"changed", "off"}, Removed: []string{"removed"}, Kept: []string{"kept"}},
		with(servers[0], func(s *Server) { s.Args = []string{"x"} }), servers[1], with(servers[2], func(s *Server) { s.Enabled = false }))
	const may = "may have happened"
	want(t, <-calls["changed"], toolcrib.KindUnavailable, `server "changed" was restarted because its configuration changed`, may)
	want(t, <-calls["off"], toolcrib.KindUnavailable, `server "off" was stopped because its configuration changed`, may)
	want(t, <-calls["removed"], toolcrib.KindUnavailable, `server "removed" was removed from the configuration`, may)
	openGate(t, gate)
	if err := <-calls["kept"]; err != nil {
		t.Error(err)
	}
	if got := said(t, s, "changed", "echo", `{"n":1}`); got != `{"n":1}` {
		t.Errorf("the new one answers %s", got)
	}
}

// TestUpdateWaitingCall runs a call that waits for a start on the server that comes in its place.
func TestUpdateWaitingCall(t *testing.T) {
	s := open(t, Options{Servers: []Server{fake(t, "a", "silent")}})
	p, err := s.find("a")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.Execute(context.Background(), toolcrib.Call{Tool: toolcrib.Tool{Owner: "a", Name: "echo"}})
		done <- err
	}()
	for ctx, l := limit(t), p.all()[0]; ; {
		if _, free := l.unused(); !free {
			break
		}
		if !sleep(ctx, time.Millisecond) {
			t.Fatal("no call waits")
		}
	}
	update(t, s, Change{Changed: []string{"a"}}, fake(t, "a", "plain"))
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestUpdateRemembered shows the last-known list until the changed server answers.
func TestUpdateRemembered(t *testing.T) {
	a := fake(t, "a", "plain")
	s := open(t, Options{Servers: []Server{a}, CacheDir: t.TempDir()})
	ready(t, s, "a")
	mute := with(a, func(s *Server) { s.Env[fakeEnv] = "silent" })
	update(t, s, Change{Changed: []string{"a"}}, mute)
	if l := listing(t, s, "a"); !l.Known || len(l.Tools) != 1 || l.State != toolcrib.StateStarting {
		t.Errorf("listing %+v", l)
	}
	update(t, s, Change{Changed: []string{"a"}}, with(mute, func(s *Server) { s.Args = []string{"another"} }))
	if l := listing(t, s, "a"); l.Known || len(l.Tools) != 0 {
		t.Errorf("another program has the list of the former: %+v", l)
	}
}

// TestUpdateEnabled switches a server off and on.
func TestUpdateEnabled(t *testing.T) {
	on := fake(t, "a", "two")
	off := with(on, func(s *Server) { s.Enabled = false })
	s := open(t, Options{Servers: []Server{off}, CacheDir: t.TempDir()})
	for range 2 {
		update(t, s, Change{Changed: []string{"a"}}, on)
		ready(t, s, "a")
		update(t, s, Change{Changed: []string{"a"}}, off)
		if l := listing(t, s, "a"); l.State != toolcrib.StateDisabled || len(l.Tools) != 0 {
			t.Errorf("listing %+v", l)
		}
		if st := s.Status()[0]; st.PID != 0 || st.State != toolcrib.StateDisabled {
			t.Errorf("status %+v", st)
		}
	}
	update(t, s, Change{Changed: []string{"a"}}, with(on, func(s *Server) { s.Allow = []string{" "} }))
	if st := s.Status()[0]; st.State != toolcrib.StateDown || st.Fault != FaultConfig {
		t.Errorf("status %+v", st)
	}
	update(t, s, Change{Changed: []string{"a"}}, on)
	ready(t, s, "a")
}

// TestUpdateRefused changes nothing.
func TestUpdateRefused(t *testing.T) {
	a := fake(t, "a", "two")
	s := open(t, Options{Servers: []Server{a}})
	pid := ready(t, s, "a").pid
	for name, servers := range map[string][]Server{
		"no owner": {fake(t, "b", "two"), fake(t, "a b", "two")},
		"twice":    {fake(t, "b", "two"), fake(t, "B", "two")},
	} {
		change, err := s.Update(servers)
		want(t, err, toolcrib.KindConfig)
		if diff := cmp.Diff(Change{}, change); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := ready(t, s, "a"); got.pid != pid || len(s.Status()) != 1 {
		t.Errorf("it did change: %+v", s.Status())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := s.Update([]Server{a})
	want(t, err, toolcrib.KindUnavailable, "stopping")
}

// TestUpdateSessions ends a session's process when its server changed, and keeps it else.
func TestUpdateSessions(t *testing.T) {
	a := fake(t, "a", "pid")
	a.Scope = ScopeSession
	s := open(t, Options{Servers: []Server{a}, CacheDir: t.TempDir()})
	one := sessionCall(t, s, "one")
	update(t, s, Change{Changed: []string{"a"}}, with(a, func(s *Server) { s.Trusted = true }))
	if sessionCall(t, s, "one") != one {
		t.Error("the process is another")
	}
	if l := s.Listings(t.Context(), toolcrib.Scope{Session: "one"}); !l[0].Tools[0].Trusted {
		t.Errorf("listing %+v", l)
	}
	update(t, s, Change{Changed: []string{"a"}}, with(a, func(s *Server) { s.Args = []string{"x"} }))
	if sessionCall(t, s, "one") == one {
		t.Error("the process is the same")
	}
	update(t, s, Change{Changed: []string{"a"}}, with(a, func(s *Server) { s.Scope = ScopeShared }))
	if sessionCall(t, s, "one") != sessionCall(t, s, "two") {
		t.Error("sessions don't share it")
	}
}

// TestUpdateRedact hides what has become a secret, in what was kept before too.
func TestUpdateRedact(t *testing.T) {
	var secret atomic.Value
	secret.Store("\x00")
	s := open(t, Options{
		Servers: []Server{fake(t, "a", "exit=3")},
		Redact:  func(s string) string { return strings.ReplaceAll(s, secret.Load().(string), "***") },
	})
	if got := down(t, s, "a"); !strings.Contains(got.reason, "s3cret") {
		t.Fatalf("reason %q", got.reason)
	}
	secret.Store("s3cret")
	lines, _ := s.Log("a", 0)
	_, err := call(t, s, "a", "echo", "{}")
	for _, text := range []string{s.Status()[0].Reason, listing(t, s, "a").Reason, strings.Join(lines, "\n"), err.Error()} {
		if strings.Contains(text, "s3cret") {
			t.Errorf("it is shown: %s", text)
		}
	}
}

// stay adds a tool that stays in its call, and tells when that began and when the
// server was told to cancel it. It ends with the test.
func stay(t *testing.T, s *sdk.Server) (began, told <-chan struct{}) {
	t.Helper()
	start, end, life := make(chan struct{}), make(chan struct{}), t.Context()
	s.AddTool(&sdk.Tool{Name: "stay", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			close(start)
			select {
			case <-ctx.Done():
				close(end)
			case <-life.Done():
			}
			return nil, context.Canceled
		})
	return start, end
}

// begins starts a call of the tool stay, and returns when it is in it.
func begins(t *testing.T, s *Source, began <-chan struct{}) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := s.Execute(context.Background(), toolcrib.Call{Tool: toolcrib.Tool{Owner: "web", Name: "stay"}})
		done <- err
	}()
	happens(t, began, "the call begins")
	return done
}

// happens waits until a channel is closed.
func happens(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-limit(t).Done():
		t.Fatalf("not seen in time: %s", what)
	}
}

// TestUpdateHTTP ends the calls of a remote server that changed, and tells it.
func TestUpdateHTTP(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		server := sdkServer(t.Context())
		began, told := stay(t, server)
		a := remote("web", serve(t, streamable(server, stateless)).URL)
		s := open(t, Options{Servers: []Server{a}})
		ready(t, s, "web")
		done := begins(t, s, began)
		update(t, s, Change{Changed: []string{"web"}}, with(a, func(s *Server) { s.Headers = map[string]string{"X": "1"} }))
		want(t, <-done, toolcrib.KindUnavailable, "was restarted because its configuration changed")
		happens(t, told, "the server is told")
		if got := said(t, s, "web", "echo", `{"text":"new"}`); got != "new" {
			t.Errorf("echo: %s", got)
		}
	}
}

// TestUpdateUnheard has a server that never hears of a cancellation, and so ends
// neither the call nor the session: it is left all the same.
func TestUpdateUnheard(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 5 s, which the end of a session is waited for")
	}
	server := sdkServer(t.Context())
	began, _ := stay(t, server)
	inner := streamable(server, false)
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"notifications/cancelled"`)) {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	s := open(t, Options{Servers: []Server{remote("web", web.URL)}})
	ready(t, s, "web")
	done := begins(t, s, began)
	update(t, s, Change{Removed: []string{"web"}})
	want(t, <-done, toolcrib.KindUnavailable, "was removed from the configuration")
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = s.Close()
	}()
	happens(t, closed, "the source is closed")
}
