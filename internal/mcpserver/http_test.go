package mcpserver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
