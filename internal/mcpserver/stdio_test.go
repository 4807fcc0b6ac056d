package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/attach"
)

// connectStdio runs a Server over pipes and connects an SDK client to it.
func connectStdio(t testing.TB, g *fakeGateway, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	t.Cleanup(func() {
		if g.closings() != 1 {
			t.Errorf("the session was closed %d times", g.closings())
		}
	})
	return connectPipes(t, g, version, o)
}

// connectPipes is connectStdio for any Opener.
func connectPipes(t testing.TB, g Opener, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	s, err := New(Options{Opener: g, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.Run(context.WithoutCancel(t.Context()), in, out, toolcrib.Scope{Door: toolcrib.DoorMCP, Agent: "main"}, "")
		out.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test-client", Version: "9"}, o)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		toServer.Close()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return session
}

// connectAttached is connectPipes through the relay that joins a client to a gateway.
func connectAttached(t testing.TB, g Opener, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	s, err := New(Options{Opener: g, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	dial := func(context.Context, attach.Reason) (io.ReadWriteCloser, error) {
		near, far := net.Pipe()
		go func() {
			ended <- s.Run(context.WithoutCancel(t.Context()), far, far, toolcrib.Scope{Door: toolcrib.DoorMCP, Agent: "main"}, "")
			far.Close()
		}()
		return near, nil
	}
	in, toRelay := io.Pipe()
	fromRelay, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- attach.Relay{In: in, Out: out, Connect: dial}.Run(context.WithoutCancel(t.Context()))
		out.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test-client", Version: "9"}, o)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromRelay, Writer: toRelay}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		toRelay.Close()
		if err := <-done; err != nil && !errors.Is(err, io.ErrClosedPipe) { // the client reads no more
			t.Errorf("relay: %v", err)
		}
		<-ended
	})
	return session
}

const (
	sayHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sh","version":"0"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	callEcho = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}` + "\n"
	callWait = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait"}}` + "\n"
)

// run gives the server input and returns its lines by id; "" is a null id.
func run(t *testing.T, input string, drain time.Duration) map[string]string {
	t.Helper()
	s, err := New(Options{Opener: &fakeGateway{surface: controls()}, Drain: drain})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.Run(t.Context(), strings.NewReader(input), &out, toolcrib.Scope{}, ""); err != nil {
		t.Fatalf("Run: %v", err)
	}
	answers := make(map[string]string)
	lines := bufio.NewScanner(&out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var message struct {
			ID json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal(lines.Bytes(), &message); err != nil {
			t.Fatalf("stdout has a line that is not JSON: %q", lines.Text())
		}
		id := string(message.ID)
		if id == "null" {
			id = ""
		}
		answers[id] = lines.Text()
	}
	return answers
}

// TestPipedInput: requests from a pipe that has ended are answered all the same.
func TestPipedInput(t *testing.T) {
	answers := run(t, sayHello+callEcho, 0)
	if !strings.Contains(answers["2"], `args {\"a\":1}`) {
		t.Errorf("answers = %v", answers)
	}
}

// TestEndOfInput: calls that go on after the end are cancelled, not awaited.
func TestEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		run(t, sayHello+callWait, 3*time.Second)
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("Run took %v, want the 3 s of Drain", took)
		}
	})
}

func TestGarbageLines(t *testing.T) {
	answers := run(t, sayHello+"hello?\n\n"+strings.Repeat("x", maxLine+10)+"\n"+callEcho, 0)
	if !strings.Contains(answers[""], `"code":-32`) {
		t.Errorf("no answer to garbage: %v", answers)
	}
	if !strings.Contains(answers["2"], "args") {
		t.Errorf("the session did not survive garbage: %v", answers)
	}
}

func TestRunEndsWithContext(t *testing.T) {
	s, err := New(Options{Opener: &fakeGateway{surface: controls()}})
	if err != nil {
		t.Fatal(err)
	}
	in, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	answered := make(chan struct{}, 8)
	go func() { done <- s.Run(ctx, in, writeFunc(func() { answered <- struct{}{} }), toolcrib.Scope{}, "") }()
	fmt.Fprint(writer, sayHello+callWait)
	<-answered
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("Run = %v, want %v", err, context.Canceled)
	}
}

type writeFunc func()

func (f writeFunc) Write(b []byte) (int, error) { f(); return len(b), nil }

func TestAnsweredID(t *testing.T) {
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                           `1`,
		`{"jsonrpc":"2.0","id":"\"method\":","error":{"code":1}}`:        `"\"method\":"`,
		`{"jsonrpc":"2.0","method":"notifications/progress"}`:            ``,
		`{"jsonrpc":"2.0","id":{"method":1},"method":"x","result":null}`: ``,
		`[1]`: ``,
		``:    ``,
	} {
		if got := string(answers([]byte(message))); got != want {
			t.Errorf("answers(%s) = %s", message, got)
		}
	}
}
