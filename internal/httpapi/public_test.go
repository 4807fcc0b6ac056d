package httpapi

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolcrib/toolcrib"
)

func TestRoutes(t *testing.T) {
	h := publicFor(t, PublicOptions{Listen: "127.0.0.1:0", Token: "secret"})
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/healthz", 200}, // no token: a probe has none
		{"GET", "/", 404},
		{"GET", "/api/status", 404}, // never on TCP
		{"POST", "/api/call", 404},
		{"GET", "/.well-known/oauth-protected-resource", 404},
		{"POST", "/mcp", 401},
		{"POST", "/mcp/", 401},
		{"GET", "/mcp/x", 404},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, "http://localhost"+test.path, nil))
		if w.Code != test.want {
			t.Errorf("%s %s: %d, want %d", test.method, test.path, w.Code, test.want)
		}
		if w.Code != 200 {
			failureOf(t, w.Result())
		}
	}
}

func TestOversizedBody(t *testing.T) {
	web := httptest.NewServer(publicFor(t, PublicOptions{Listen: "127.0.0.1:0"}))
	defer web.Close()
	big := bytes.Repeat([]byte("x"), MaxBody+1)
	for name, body := range map[string]io.Reader{
		"with a length": bytes.NewReader(big),
		"chunked":       io.MultiReader(bytes.NewReader(big)),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.Post(web.URL+"/mcp", "application/json", body)
			if err != nil {
				t.Skipf("the server hung up before the client had sent all: %v", err)
			}
			defer r.Body.Close()
			if f := failureOf(t, r); r.StatusCode != 413 || f.Kind != toolcrib.KindLimit || !strings.Contains(f.Message, "4 MiB") {
				t.Errorf("%d %+v", r.StatusCode, f)
			}
		})
	}
	r, err := http.Post(web.URL+"/mcp", "application/json", bytes.NewReader(big[:MaxBody]))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != 200 {
		t.Errorf("a body of exactly 4 MiB: %d", r.StatusCode)
	}
}

// pipeListener serves connections that a test makes itself, so that the test
// may run on a fake clock.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { close(l.done); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// TestSlowRequests: neither headers nor a body may trickle in for ever.
func TestSlowRequests(t *testing.T) {
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"
	for _, test := range []struct {
		name, sent string
		want       string
		limit      time.Duration
	}{
		{"headers", head, "", headerTimeout},
		{"body", head + "\r\n{", "504", bodyTimeout},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &pipeListener{conns: make(chan net.Conn, 1), done: make(chan struct{})}
				web := NewServer(publicFor(t, PublicOptions{Listen: "127.0.0.1:0"}), nil)
				go web.Serve(l)
				defer web.Close()
				near, far := net.Pipe()
				l.conns <- far
				start := time.Now()
				fmt.Fprint(near, test.sent)
				line, _ := bufio.NewReader(near).ReadString('\n')
				if took := time.Since(start); took < test.limit || took > test.limit+time.Second {
					t.Errorf("given up after %v, want %v", took, test.limit)
				}
				if !strings.Contains(line, test.want) {
					t.Errorf("answer %q, want %s", line, test.want)
				}
				near.Close()
			})
		})
	}
}

// TestLongAnswer: the deadline of the body doesn't cut an answer that streams.
func TestLongAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(w http.ResponseWriter, r *http.Request, _ toolcrib.Scope, _ string) {
			fmt.Fprint(w, "first\n")
			http.NewResponseController(w).Flush()
			select {
			case <-time.After(2 * time.Hour):
				fmt.Fprint(w, "last\n")
			case <-r.Context().Done():
				fmt.Fprint(w, "cut\n")
			}
		}
		l := &pipeListener{conns: make(chan net.Conn, 1), done: make(chan struct{})}
		web := NewServer(publicFor(t, PublicOptions{Listen: "127.0.0.1:0", MCP: slow}), nil)
		go web.Serve(l)
		defer web.Close()
		near, far := net.Pipe()
		l.conns <- far
		fmt.Fprint(near, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
		answer, err := io.ReadAll(near)
		if err != nil || !strings.Contains(string(answer), "last") {
			t.Errorf("answer %q, %v", answer, err)
		}
	})
}

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	h := publicFor(t, PublicOptions{
		Listen: "127.0.0.1:0", Logger: slog.New(slog.NewTextHandler(&log, nil)),
		MCP: func(http.ResponseWriter, *http.Request, toolcrib.Scope, string) { panic("secret detail") },
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/mcp", nil))
	if f := failureOf(t, w.Result()); w.Code != 500 || f.Kind != toolcrib.KindInternal || strings.Contains(f.Message, "secret") {
		t.Errorf("%d %+v", w.Code, f)
	}
	if !strings.Contains(log.String(), "secret detail") {
		t.Errorf("the log does not tell: %s", log.String())
	}
}

func TestListenInUse(t *testing.T) {
	first, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	_, err = Listen(t.Context(), first.Addr().String())
	if toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), "in use") {
		t.Errorf("err = %v", err)
	}
	if _, err := Listen(t.Context(), "nowhere"); toolcrib.KindOf(err) != toolcrib.KindConfig {
		t.Errorf("err = %v", err)
	}
}

func TestControlSocket(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(folder, "c.sock")
	l, err := ListenControl(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{folder: 0o700, path: 0o600} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
	if _, err := ListenControl(path); err == nil || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("second gateway: %v", err)
	}
	l.(*lockedListener).Listener.(*net.UnixListener).SetUnlinkOnClose(false) // as if killed
	l.Close()
	l, err = ListenControl(path)
	if err != nil {
		t.Fatalf("over a leftover: %v", err)
	}
	l.Close()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenControl(path); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("over a file: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	lockless, err := listenAt(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lockless.Close()
	if _, err := ListenControl(path); err == nil || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("beside one that has no lock: %v", err)
	}
	if _, err := ListenControl("/" + strings.Repeat("x", 120)); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("long path: %v", err)
	}
}
