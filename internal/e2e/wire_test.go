package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// stdioPeer is a client of `toolcrib mcp` that writes its lines by hand.
type stdioPeer struct {
	t     testing.TB
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	log   *logBuffer
	ended chan struct{}
	next  int
	stop  sync.Once
}

// message is one JSON-RPC message.
type message struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// mcp starts `toolcrib mcp` without saying anything to it.
func (h *home) mcp(args ...string) *stdioPeer {
	h.t.Helper()
	p := &stdioPeer{t: h.t, log: &logBuffer{}, lines: make(chan string, 1000), ended: make(chan struct{})}
	p.cmd = exec.Command(binary, append([]string{"mcp", "--config", h.config}, args...)...)
	p.cmd.Env = h.environ()
	p.cmd.Stderr = p.log
	in, err := p.cmd.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	p.in = in
	go p.read(out)
	h.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
	})
	return p
}

func (p *stdioPeer) read(out io.Reader) {
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			p.lines <- line
		}
		if err != nil {
			break
		}
	}
	close(p.lines)
	_ = p.cmd.Wait()
	close(p.ended)
}

// hello is mcp after the first exchange of words.
func (h *home) hello(args ...string) *stdioPeer {
	h.t.Helper()
	p := h.mcp(args...)
	p.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"by-hand","version":"1"}}`)
	p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

func (p *stdioPeer) say(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatalf("toolcrib mcp doesn't read: %v\n%s", err, p.log)
	}
}

// hear returns the next message that fits. Each line on stdout must be one.
func (p *stdioPeer) hear(what string, fits func(message) bool) message {
	p.t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		select {
		case line, open := <-p.lines:
			if !open {
				p.t.Fatalf("stdout ended before %s\n%s", what, p.log)
			}
			var m message
			decode(p.t, line, &m)
			if fits(m) {
				return m
			}
		case <-timeout.C:
			p.t.Fatalf("no %s within %v\n%s", what, patience, p.log)
		}
	}
}

// send asks without waiting for the answer, and returns the request's id.
func (p *stdioPeer) send(method, params string) int {
	p.t.Helper()
	p.next++
	if params == "" {
		p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, p.next, method))
	} else {
		p.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.next, method, params))
	}
	return p.next
}

func (p *stdioPeer) ask(method, params string) message {
	p.t.Helper()
	id := fmt.Sprint(p.send(method, params))
	return p.hear("answer to "+method, func(m message) bool { return string(m.ID) == id && m.Method == "" })
}

// toolResult is what tools/call answers.
type toolResult struct {
	Content []struct{ Type, Text string }
	IsError bool
}

func (r toolResult) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// call calls a visible tool with its parameters as they are, which must be
// answered by a result, not by an error of the protocol.
func (p *stdioPeer) call(params string) toolResult {
	p.t.Helper()
	m := p.ask("tools/call", params)
	if m.Error != nil {
		p.t.Fatalf("tools/call %.200s was answered with error %d: %s", params, m.Error.Code, m.Error.Message)
	}
	var r toolResult
	decode(p.t, string(m.Result), &r)
	return r
}

// use calls one of the catalogued tools through tool_call.
func (p *stdioPeer) use(id, args string) toolResult {
	p.t.Helper()
	return p.call(fmt.Sprintf(`{"name":"tool_call","arguments":{"id":%q,"args":%s}}`, id, args))
}

// until repeats a call until its answer is as wanted, for what a server does in its own time.
func (p *stdioPeer) until(what, params string, wanted func(toolResult) bool) (r toolResult) {
	p.t.Helper()
	defer func() {
		if p.t.Failed() {
			p.t.Logf("the last answer was %.2000s", r.text())
		}
	}()
	eventually(p.t, what, func() bool {
		r = p.call(params)
		return wanted(r)
	})
	return r
}

// hangUp closes the input and waits for a good end.
func (p *stdioPeer) hangUp() {
	p.t.Helper()
	p.stop.Do(func() {
		p.in.Close()
		exits(p.t, p.cmd, p.ended, p.log)
	})
}

// post sends a request as it is to an MCP endpoint and returns the answer.
func post(t testing.TB, url, body string, change func(*http.Request)) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if change != nil {
		change(req)
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
	return resp.StatusCode, string(data)
}

// initializeBody is a first request.
const initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"by-hand","version":"1"}}}`

// once makes one request of the stateless era, which needs no session.
func once(t testing.TB, url, method string, params object) message {
	t.Helper()
	params["_meta"] = object{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         object{"name": "by-hand", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": object{},
	}
	body, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	code, text := post(t, url, string(body), func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", method)
		if name, ok := params["name"].(string); ok {
			r.Header.Set("Mcp-Name", name)
		}
	})
	if code != http.StatusOK {
		t.Fatalf("%s was answered with %d: %s", method, code, text)
	}
	return messageIn(t, text)
}

// messageIn is the message of an answer, plain or as the first event of a stream.
func messageIn(t testing.TB, body string) message {
	t.Helper()
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: {"); ok {
			body = "{" + data
			break
		}
	}
	var m message
	decode(t, body, &m)
	return m
}
