package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// fakeGateway opens fake sessions and remembers them.
type fakeGateway struct {
	mu       sync.Mutex
	sessions []*fakeSession
	// surface is what new sessions see; refuse makes Open fail.
	surface *fakeSurface
	refuse  error
	closed  int
}

func (g *fakeGateway) Open(_ context.Context, who Who, changed func()) (Session, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refuse != nil {
		return nil, g.refuse
	}
	s := &fakeSession{gateway: g, who: who, changed: changed, surface: g.surface}
	g.sessions = append(g.sessions, s)
	return s, nil
}

func (g *fakeGateway) opened() []*fakeSession {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]*fakeSession(nil), g.sessions...)
}

func (g *fakeGateway) closings() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

type fakeSession struct {
	gateway *fakeGateway
	who     Who
	changed func()

	mu      sync.Mutex
	surface *fakeSurface
}

func (s *fakeSession) Surface(context.Context) Surface {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.surface
}

// show replaces the surface and says so.
func (s *fakeSession) show(surface *fakeSurface) {
	s.mu.Lock()
	s.surface = surface
	s.mu.Unlock()
	s.changed()
}

func (s *fakeSession) Close() {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	s.gateway.closed++
}

type fakeSurface struct {
	tools        []Visible
	instructions string
	// calls gets every request; may be nil.
	calls chan CallRequest
}

func (f *fakeSurface) Tools() []Visible     { return f.tools }
func (f *fakeSurface) Instructions() string { return f.instructions }

// Call answers by the tool's name.
func (f *fakeSurface) Call(ctx context.Context, r CallRequest) Reply {
	if f.calls != nil {
		f.calls <- r
	}
	switch r.Name {
	case "echo":
		return Reply{Text: "args " + string(r.Args)}
	case "who":
		return Reply{Text: fmt.Sprintf("%s/%s/%s", r.Scope.Agent, r.Scope.Client, r.Scope.Session)}
	case "picture":
		return Reply{
			Text:       `{"tool":"picture"}`,
			Blocks:     []toolcrib.Content{{Type: "image", Raw: json.RawMessage(`{"type":"image","data":"AAAA","mimeType":"image/png"}`)}},
			Structured: json.RawMessage(`{"width":1.0}`),
		}
	case "broken":
		return Reply{Blocks: []toolcrib.Content{{Type: "video", Raw: json.RawMessage(`{"type":`)}, toolcrib.Text("after")}, Structured: json.RawMessage(`{`)}
	case "new":
		return Reply{Blocks: []toolcrib.Content{
			{Type: "audio", Raw: json.RawMessage(`{"type":"audio","data":"AAAA","mimeType":"audio/wav"}`)},
			{Type: "resource_link", Raw: json.RawMessage(`{"type":"resource_link","uri":"file:///a","name":"a"}`)},
		}}
	case "list":
		return Reply{Text: "a list", Structured: json.RawMessage(`[1,2]`)}
	case "steps":
		for i := range 3 {
			if r.Progress != nil {
				r.Progress(toolcrib.Progress{Done: float64(i + 1), Total: 3, Message: "step"})
			}
		}
		return Reply{Text: "done"}
	case "panic":
		panic("the tool broke")
	case "wait":
		<-ctx.Done()
		return Reply{Text: context.Cause(ctx).Error(), IsError: true}
	}
	return Reply{Text: `{"error":{"kind":"not_found","message":"no tool ` + r.Name + `"}}`, IsError: true}
}

func controls() *fakeSurface {
	truth := true
	return &fakeSurface{
		instructions: "Search first.",
		tools: []Visible{
			{
				Name: "echo", Title: "Echo", Description: "Says <it> again & again.", InputSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"const":1.50}}}`),
				Annotations: toolcrib.Annotations{ReadOnly: &truth}, Meta: json.RawMessage(`{"anthropic/alwaysLoad":true}`),
			},
			{Name: "bare"},
		},
	}
}

// many makes n tools of about 2 kB each.
func many(n int) *fakeSurface {
	f := &fakeSurface{instructions: "many"}
	schema := json.RawMessage(`{"type":"object","properties":{` + strings.TrimSuffix(strings.Repeat(`"p":{"type":"string","description":"a parameter with a text of some length"},`, 24), ",") + `}}`)
	for i := range n {
		f.tools = append(f.tools, Visible{Name: fmt.Sprintf("tool_%05d", i), Description: "does something", InputSchema: schema})
	}
	return f
}

// serve starts an HTTP server around a Server with the fake gateway. The scope
// is read from the query: ?caller= and ?agent=.
func serve(t testing.TB, g *fakeGateway, change func(*Options)) (*Server, string) {
	t.Helper()
	return serveOpener(t, g, change)
}

func serveOpener(t testing.TB, g Opener, change func(*Options)) (*Server, string) {
	t.Helper()
	o := Options{Opener: g, Version: "1.2.3", Logger: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		scope := toolcrib.Scope{Door: toolcrib.DoorMCP, Caller: q.Get("caller"), Agent: q.Get("agent")}
		s.Serve(w, r, scope, q.Get("mode"))
	}))
	t.Cleanup(func() {
		s.Close()
		web.Close()
	})
	return s, web.URL + "/mcp"
}

// eras are the protocol versions that tests run in, by the name of the era.
var eras = []struct{ name, version string }{
	{"handshake", "2025-06-18"},
	{"stateless", "2026-07-28"},
}

// connect connects an SDK client that speaks one version over HTTP.
func connect(t testing.TB, url, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test-client", Version: "9"}, o)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect with %s: %v", version, err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// text joins the text blocks of a result.
func text(r *mcp.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		if block, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, block.Text)
		}
	}
	return strings.Join(parts, "\n")
}
