package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// echoing is a control whose sessions say what was asked for, and then what they hear.
type echoing struct {
	*fakeControl
	ended chan struct{}
}

func (e *echoing) Attach(r client.AttachRequest) (func(net.Conn, io.Reader), error) {
	if r.Agent == "nobody" {
		return nil, toolcrib.NewError(toolcrib.KindNotFound, "there is no agent nobody", "see the list")
	}
	return func(conn net.Conn, in io.Reader) {
		fmt.Fprintf(conn, "%s %s %s %s\n", r.Mode, r.Agent, r.Settings, r.Version)
		_, _ = io.Copy(conn, in)
		conn.Close()
		e.ended <- struct{}{}
	}, nil
}

// attachable serves an echoing control at a socket, and returns its path.
func attachable(t *testing.T) (path string, e *echoing) {
	t.Helper()
	e = &echoing{&fakeControl{}, make(chan struct{}, 8)}
	h, err := NewControl(ControlOptions{Control: e})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "c.sock")
	l, err := ListenControl(path)
	if err != nil {
		t.Fatal(err)
	}
	web := NewServer(h, nil)
	go web.Serve(l)
	t.Cleanup(func() { web.Close() })
	return path, e
}

func TestAttach(t *testing.T) {
	path, e := attachable(t)
	c, err := client.Dial(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	conn, err := c.Attach(ctx, client.AttachRequest{Mode: "tools", Agent: "a b&c", Settings: "00ff", Version: "1.2"})
	if err != nil {
		t.Fatal(err)
	}
	cancel() // it was for the opening alone
	c.Close()
	lines := bufio.NewReader(conn)
	for _, want := range []string{"tools a b&c 00ff 1.2\n", strings.Repeat("long ", 200_000) + "\n", "{}\n"} {
		if want != "tools a b&c 00ff 1.2\n" {
			go io.WriteString(conn, want)
		}
		if got, err := lines.ReadString('\n'); err != nil || got != want {
			t.Fatalf("heard %.100q %v, want %.100q", got, err, want)
		}
	}
	conn.Close()
	<-e.ended
}

// TestAttachEarly: what is sent together with the request is part of the session.
func TestAttachEarly(t *testing.T) {
	path, e := attachable(t)
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /api/attach HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: MCP-stdio\r\n\r\nearly\n")
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Upgrade") != client.AttachProtocol {
		t.Fatalf("%+v %v", resp, err)
	}
	for _, want := range []string{"   \n", "early\n"} {
		if got, err := in.ReadString('\n'); err != nil || got != want {
			t.Fatalf("heard %q %v, want %q", got, err, want)
		}
	}
	conn.Close()
	<-e.ended
}

// TestAttachRefused: errors are answered as those of the other routes.
func TestAttachRefused(t *testing.T) {
	path, e := attachable(t)
	dialled, err := client.Dial(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dialled.Close()
	inside := client.New(client.InProcess(controlFor(t, &fakeControl{}, nil)), "")
	h, err := NewControl(ControlOptions{Control: e})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		client *client.Client
		agent  string
		want   toolcrib.Kind
	}{
		"no such agent":              {dialled, "nobody", toolcrib.KindNotFound},
		"no such route":              {inside, "", toolcrib.KindNotFound},
		"nothing that can be raised": {client.New(client.InProcess(h), ""), "", toolcrib.KindInput},
	} {
		conn, err := c.client.Attach(t.Context(), client.AttachRequest{Agent: c.agent})
		if toolcrib.KindOf(err) != c.want || conn != nil {
			t.Errorf("%s: %v, want kind %s", name, err, c.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dialled.Attach(ended, client.AttachRequest{}); toolcrib.KindOf(err) != toolcrib.KindCanceled {
		t.Errorf("cancelled before: %v", err)
	}
	// Without the headers it is a request like any other.
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", path) }}
	defer transport.CloseIdleConnections()
	for _, headers := range []map[string]string{{}, {"Upgrade": "websocket", "Connection": "Upgrade"}, {"Upgrade": client.AttachProtocol, "Connection": "close"}} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x/api/attach", nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range headers {
			req.Header.Set(name, value)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "Upgrade: mcp-stdio") {
			t.Errorf("with %v: %s %s", headers, resp.Status, body)
		}
	}
}
