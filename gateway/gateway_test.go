package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// echo is a tool that answers its argument.
func echo(name string, opts ...ToolOption) Tool {
	return Func(name, "Repeat the text that it is given, word for word.", func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (struct {
		Text string `json:"text"`
	}, error,
	) {
		return struct {
			Text string `json:"text"`
		}{in.Text}, nil
	}, opts...)
}

func open(t *testing.T, o Options, so SessionOptions) (*Gateway, *Session) {
	t.Helper()
	g, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	s, err := g.Open(so)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return g, s
}

func names(s *Surface) []string {
	var out []string
	for _, v := range s.Tools() {
		out = append(out, v.Name)
	}
	return out
}

func TestSurfaceIsTheSameUntilSomethingChanges(t *testing.T) {
	changes := make(chan struct{}, 8)
	g, s := open(t, Options{Tools: []Tool{echo("first")}}, SessionOptions{Mode: "tools", Changed: func() { changes <- struct{}{} }})
	before := s.Surface(t.Context())
	if s.Surface(t.Context()) != before {
		t.Error("nothing changed, and the surface is another one")
	}
	other, err := g.Open(SessionOptions{Mode: "tools"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if other.surface(t.Context()) != s.surface(t.Context()) {
		t.Error("two sessions of one agent and mode don't share their surface")
	}
	if err := g.Add(echo("second")); err != nil {
		t.Fatal(err)
	}
	<-changes
	after := s.Surface(t.Context())
	if after == before {
		t.Fatal("a tool was added, and the surface is the same")
	}
	hits, err := s.Search(t.Context(), "second", 0)
	if err != nil || len(hits) == 0 || hits[0].ID != "plugin:app:second" {
		t.Errorf("searching the added tool: %v, %v", hits, err)
	}
	if n := g.Remove("plugin:app:second"); n != 1 {
		t.Errorf("removed %d tools", n)
	}
	_, _, err = s.Call(t.Context(), "plugin:app:second", json.RawMessage(`{"text":"x"}`))
	if toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("calling a removed tool: %v", err)
	}
}

func TestModeIsChosenOnceASession(t *testing.T) {
	g, s := open(t, Options{Tools: []Tool{echo("only")}}, SessionOptions{})
	if m := s.Surface(t.Context()).Mode(); m != "direct" {
		t.Fatalf("one small tool gets mode %s", m)
	}
	big := make([]Tool, 0, 200)
	for i := range 200 {
		big = append(big, echo("tool_"+strings.Repeat("x", i+1)))
	}
	if err := g.Add(big...); err != nil {
		t.Fatal(err)
	}
	if m := s.Surface(t.Context()).Mode(); m != "direct" {
		t.Errorf("the session changed to mode %s in its middle", m)
	}
	later, err := g.Open(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	if m := later.Surface(t.Context()).Mode(); m != "tools" {
		t.Errorf("a new session of 201 tools gets mode %s", m)
	}
}

func TestAgentsNarrow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json5")
	text := `{
  tools: { deny: ["third"] },
  agents: { list: [{ id: "reader", tools: { allow: ["first"], toolSearch: false } }] },
}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{ConfigFile: file, Tools: []Tool{echo("first"), echo("second"), echo("third")}}
	g, main := open(t, o, SessionOptions{Mode: "direct"})
	if got, want := strings.Join(names(main.Surface(t.Context())), " "), "first results__read second"; got != want {
		t.Errorf("the default agent sees %q, want %q", got, want)
	}
	reader, err := g.Open(SessionOptions{Scope: toolcrib.Scope{Agent: "reader"}})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if got := strings.Join(names(reader.Surface(t.Context())), " "); got != "first results__read" {
		t.Errorf("the agent reader sees %q, want what it allows and the tool that reads results", got)
	}
	_, _, denied := reader.Call(t.Context(), "plugin:app:second", nil)
	_, _, absent := reader.Call(t.Context(), "plugin:app:absent", nil)
	if denied == nil || strings.ReplaceAll(denied.Error(), "second", "absent") != absent.Error() {
		t.Errorf("a denied tool answers %v, one that doesn't exist %v", denied, absent)
	}
	if _, err := g.Open(SessionOptions{Scope: toolcrib.Scope{Agent: "reader"}, Mode: "tools"}); toolcrib.KindOf(err) != toolcrib.KindInput {
		t.Errorf("mode tools where Tool Search is off: %v", err)
	}
	if _, err := g.Open(SessionOptions{Scope: toolcrib.Scope{Agent: "nobody"}}); toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("an agent that isn't configured: %v", err)
	}
}

func TestAllowListKeepsTheControls(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json5")
	sees := func(text string) string {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, s := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first"), echo("second")}}, SessionOptions{Mode: "tools"})
		return strings.Join(names(s.Surface(t.Context())), " ")
	}
	if got := sees(`{ tools: { allow: ["first"] } }`); got != "tool_search tool_describe tool_call" {
		t.Errorf("an allow list of one tool leaves %q", got)
	}
	if got := sees(`{ tools: { deny: ["tool_call", "core:results:*"] } }`); got != "first second" {
		t.Errorf("denying a control leaves %q, want the tools directly", got)
	}
}

func TestPatternsThatMatchNothingAreTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json5")
	text := `{ tools: { deny: ["frist", "second", "tool_search_code"] }, agents: { list: [{ id: "a", tools: { allow: ["weather__*"] } }] } }`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g, _ := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first"), echo("second")}}, SessionOptions{})
	warnings := strings.Join(g.warnings(t.Context()), "\n")
	for pattern, told := range map[string]bool{`"frist"`: true, `"weather__*"`: true, `"second"`: false, `"tool_search_code"`: false} {
		if strings.Contains(warnings, pattern) != told {
			t.Errorf("the warnings should tell of %s: %t; they are:\n%s", pattern, told, warnings)
		}
	}
}

func TestLogHoldsNoSecret(t *testing.T) {
	const secret = "hunter2-hunter2"
	file := filepath.Join(t.TempDir(), "config.json5")
	text := `{ mcp: { servers: { s: { command: "no-such-command", args: ["--key", "${env:API_KEY}"], env: { API_KEY: "${API_KEY}" } } } } }`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	g, err := New(t.Context(), Options{ConfigFile: file, Environ: []string{"API_KEY=" + secret, "PATH=" + os.Getenv("PATH")}, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	g.Settle(t.Context())
	g.logger.With("with", secret).WithGroup("group").Error("told "+secret, "text", secret, "error", errors.New("cause "+secret),
		slog.Group("inner", "deep", secret))
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "told ") {
		t.Fatalf("the log misses its line: %s", log.String())
	}
	if strings.Contains(log.String(), secret) {
		t.Errorf("the log holds the secret:\n%s", log.String())
	}
}

func TestOwnersCollide(t *testing.T) {
	mine := echo("mine", Owner(toolcrib.SourcePlugin, "tracker"))
	_, err := New(t.Context(), Options{Demo: true, Tools: []Tool{mine}})
	if toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), "plugin:tracker") {
		t.Errorf("a tool under an owner of the demo catalog: %v", err)
	}
}

func TestClosedGatewayOpensNothing(t *testing.T) {
	g, err := New(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Open(SessionOptions{}); toolcrib.KindOf(err) != toolcrib.KindUnavailable {
		t.Errorf("opening a session of a closed gateway: %v", err)
	}
}

func TestStatsMeasureEachMode(t *testing.T) {
	g, _ := open(t, Options{Demo: true}, SessionOptions{})
	stats, err := control{g}.Stats(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, m := range stats.Modes {
		sizes[m.Mode] = m.Bytes
	}
	direct, err := g.Open(SessionOptions{Mode: "direct"})
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	want, err := size(direct.surface(t.Context()).Tools())
	if err != nil || sizes["direct"] != want {
		t.Errorf("direct is %d bytes in the measure, and %d for a model (%v)", sizes["direct"], want, err)
	}
	if sizes["tools"] == 0 || sizes["tools"] > want/10 {
		t.Errorf("mode tools is %d bytes, direct %d", sizes["tools"], want)
	}
	shared := 0
	for _, o := range stats.Owners {
		shared += o.Bytes
	}
	if commas := stats.Tools - 1; shared+commas+len("[]") != want {
		t.Errorf("the owners' shares are %d bytes, %d with what is between them; the list is %d", shared, shared+commas+2, want)
	}
}

// openStream begins a session of the older era and opens the stream on which its
// server speaks first.
func openStream(t *testing.T, url string) io.Closer {
	t.Helper()
	ask := func(method, session, body string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode/100 != 2 {
			t.Fatal(resp, err)
		}
		return resp
	}
	begun := ask("POST", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	begun.Body.Close()
	session := begun.Header.Get("Mcp-Session-Id")
	ask("POST", session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Body.Close()
	return ask("GET", session, "").Body
}

func TestServeEndsWithOpenStreams(t *testing.T) {
	var log bytes.Buffer
	g, _ := open(t, Options{Demo: true, Logger: slog.New(slog.NewTextHandler(&log, nil))}, SessionOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	urls, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- g.Serve(ctx, ServeOptions{Listen: "127.0.0.1:0", Ready: func(url string) { urls <- url }})
	}()
	defer openStream(t, <-urls).Close()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if strings.Contains(log.String(), cutOff) {
		t.Errorf("the open stream held the shutdown until it was cut off:\n%s", log.String())
	}
}

func TestServeLetsRequestsFinish(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	slow := Func("slow", "Take its time.", func(context.Context, struct{}) (string, error) {
		close(entered)
		<-release
		return "done", nil
	})
	dir := t.TempDir()
	g, _ := open(t, Options{Tools: []Tool{slow}, Socket: filepath.Join(dir, "s.sock")}, SessionOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- g.Serve(ctx, ServeOptions{Listen: "127.0.0.1:0", Ready: func(url string) { ready <- url }})
	}()
	<-ready
	c, err := client.Dial(filepath.Join(dir, "s.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answered := make(chan error, 1)
	go func() {
		_, err := c.Call(t.Context(), client.CallRequest{ID: "plugin:app:slow"})
		answered <- err
	}()
	<-entered
	cancel()
	select {
	case err := <-done:
		t.Fatalf("Serve returned (%v) while a call went on", err)
	case <-time.After(100 * time.Millisecond): // that it goes on waiting shows in no event
	}
	close(release)
	if err := <-answered; err != nil {
		t.Errorf("the call that went on at the end: %v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
