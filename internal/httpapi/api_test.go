package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// fakeControl answers with what it was asked; its err, if set, comes first.
type fakeControl struct {
	err     error
	started chan struct{} // closed when a call of "wait" has begun
}

func (f *fakeControl) Status(context.Context) (client.Status, error) {
	return client.Status{Version: "1", PID: 7, Servers: map[toolcrib.State]int{toolcrib.StateReady: 2}}, f.err
}

func (f *fakeControl) Servers(context.Context) ([]client.Server, error) {
	if f.err != nil {
		return nil, f.err
	}
	return []client.Server{{Name: "everything", State: toolcrib.StateReady}}, nil
}

func (f *fakeControl) Logs(_ context.Context, server string, n int) ([]string, error) {
	return []string{server, strings.Repeat("n", n)}, f.err
}

func (f *fakeControl) Restart(_ context.Context, server string) (client.Server, error) {
	return client.Server{Name: server, State: toolcrib.StateStarting}, f.err
}

func (f *fakeControl) Reload(context.Context) error { return f.err }

func (f *fakeControl) Tools(_ context.Context, r client.ToolsRequest) (client.ToolList, error) {
	return client.ToolList{Tools: []client.Tool{{ID: "mcp:" + r.Owner + ":x", Owner: r.Owner, Name: r.Agent}}}, f.err
}

func (f *fakeControl) Search(_ context.Context, r client.SearchRequest) (client.SearchReply, error) {
	if r.Query == "panic" {
		panic("in search")
	}
	return client.SearchReply{Hits: []client.Hit{{ID: r.Query, Input: "unknown"}}}, f.err
}

func (f *fakeControl) Stats(_ context.Context, agent string) (client.Stats, error) {
	return client.Stats{Tools: 3, Modes: []client.ModeStats{{Mode: "direct:" + agent, Visible: 3, Bytes: 40, Tokens: 10}}}, f.err
}

func (f *fakeControl) Describe(_ context.Context, r client.DescribeRequest) (client.Description, error) {
	return client.Description{Hit: client.Hit{ID: r.ID}, Parameters: json.RawMessage(`{"type":"object"}`)}, f.err
}

func (f *fakeControl) Call(ctx context.Context, r client.CallRequest) (client.CallReply, error) {
	if r.ID == "wait" {
		close(f.started)
		<-ctx.Done()
		return client.CallReply{}, ctx.Err()
	}
	return client.CallReply{Tool: client.CalledTool{ID: r.ID}, Result: toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(string(r.Args))}, IsError: true}}, f.err
}

func (f *fakeControl) Code(_ context.Context, r client.CodeRequest) (client.CodeReply, error) {
	return client.CodeReply{
		Error: &client.CodeError{Kind: "runtime", Message: r.Code, Line: r.TimeoutMs, Sort: toolcrib.KindTool},
		Steps: []client.CodeStep{{N: 1, Function: "call", Target: r.Agent, StartedMs: 0.25}},
	}, f.err
}

func controlFor(t testing.TB, f *fakeControl, log *slog.Logger) http.Handler {
	t.Helper()
	h, err := NewControl(ControlOptions{Control: f, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// clients are the client's two ways to a handler: its socket, and the process itself.
func clients(t *testing.T, h http.Handler) map[string]*client.Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.sock")
	l, err := ListenControl(path)
	if err != nil {
		t.Fatal(err)
	}
	web := NewServer(h, nil)
	go web.Serve(l)
	t.Cleanup(func() { web.Close() })
	dialled, err := client.Dial(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(dialled.Close)
	return map[string]*client.Client{"socket": dialled, "process": client.New(client.InProcess(h), "")}
}

func TestEveryRoute(t *testing.T) {
	for name, c := range clients(t, controlFor(t, &fakeControl{}, nil)) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			check := func(name string, got, want any, err error) {
				t.Helper()
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Errorf("%s: %v %s", name, err, diff)
				}
			}
			status, err := c.Status(ctx)
			check("status", status.Servers, map[toolcrib.State]int{"ready": 2}, err)
			servers, err := c.Servers(ctx)
			check("servers", servers, []client.Server{{Name: "everything", State: "ready"}}, err)
			lines, err := c.Logs(ctx, "odd/name é", 3)
			check("logs", lines, []string{"odd/name é", "nnn"}, err)
			lines, err = c.Logs(ctx, "s", 0)
			check("logs, default", len(lines[1]), DefaultLogLines, err)
			server, err := c.Restart(ctx, "s")
			check("restart", server.State, toolcrib.StateStarting, err)
			plugins, err := c.Plugins(ctx)
			check("plugins", plugins.Plugins, []client.Plugin{{ID: "notes", State: "ready", Tools: []string{"count"}}}, err)
			lines, err = c.PluginLogs(ctx, "p", 3)
			check("logs of a plugin", len(lines), 3, err)
			plugin, err := c.RestartPlugin(ctx, "p")
			check("restart of a plugin", plugin.ID, "p", err)
			tools, err := c.Tools(ctx, client.ToolsRequest{Agent: "a b", Owner: "o&p"})
			check("tools", tools.Tools, []client.Tool{{ID: "mcp:o&p:x", Owner: "o&p", Name: "a b"}}, err)
			stats, err := c.Stats(ctx, "a b")
			check("stats", stats.Modes, []client.ModeStats{{Mode: "direct:a b", Visible: 3, Bytes: 40, Tokens: 10}}, err)
			found, err := c.Search(ctx, client.SearchRequest{Query: "日本"})
			check("search", found.Hits, []client.Hit{{ID: "日本", Input: "unknown"}}, err)
			described, err := c.Describe(ctx, client.DescribeRequest{ID: "x"})
			check("describe", string(described.Parameters), `{"type":"object"}`, err)
			called, err := c.Call(ctx, client.CallRequest{ID: "x", Args: json.RawMessage(`{"n":1.0}`)})
			check("call", called.Result.Content[0].Text, `{"n":1.0}`, err)
			check("call", called.Result.IsError, true, nil)
			ran, err := c.Code(ctx, client.CodeRequest{Code: "x", Agent: "a", TimeoutMs: 7})
			check("code", ran.Error, &client.CodeError{Kind: "runtime", Message: "x", Line: 7, Sort: "tool"}, err)
			check("code", ran.Steps, []client.CodeStep{{N: 1, Function: "call", Target: "a", StartedMs: 0.25}}, nil)
		})
	}
}

// TestKinds: every kind has its status, and arrives at the client as it left.
func TestKinds(t *testing.T) {
	f := &fakeControl{}
	h := controlFor(t, f, nil)
	c := client.New(client.InProcess(h), "")
	for kind, status := range statuses {
		sent := toolcrib.NewError(kind, "it went wrong", "do better").WithOp("call x")
		f.err = sent
		_, err := c.Status(t.Context())
		var got *toolcrib.Error
		if !errors.As(err, &got) || got.Kind != kind || got.Error() != sent.Error() {
			t.Errorf("%s arrived as %v", kind, err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/api/status", nil))
		if w.Code != status {
			t.Errorf("%s: status %d, want %d", kind, w.Code, status)
		}
	}
	if statusOf("of a later version") != 500 {
		t.Error("an unknown kind is not 500")
	}
}

// TestPrivateCause: the text of an error that isn't ours stays in the log.
func TestPrivateCause(t *testing.T) {
	var log bytes.Buffer
	f := &fakeControl{err: errors.New("password=hunter2")}
	_, err := client.New(client.InProcess(controlFor(t, f, slog.New(slog.NewTextHandler(&log, nil)))), "").Servers(t.Context())
	if toolcrib.KindOf(err) != toolcrib.KindInternal || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("err = %v", err)
	}
	if !strings.Contains(log.String(), "hunter2") {
		t.Errorf("log = %q", log.String())
	}
}

func TestBadRequests(t *testing.T) {
	h := controlFor(t, &fakeControl{}, nil)
	for _, test := range []struct {
		method, path, body string
		want               int
		says               string
	}{
		{"POST", "/api/search", `{"query":"x","limits":3}`, 400, "limits"},
		{"POST", "/api/search", `{"query":3}`, 400, "query"},
		{"POST", "/api/search", `{"query":"x"} {}`, 400, "follows"},
		{"POST", "/api/search", ``, 400, "JSON"},
		{"POST", "/api/search", "\x00\xff", 400, "JSON"},
		{"POST", "/api/search", `[]`, 400, "array"},
		{"POST", "/api/search", `{"query":"panic"}`, 500, "failed"},
		{"POST", "/api/call", `{"id":"x","args":` + strings.Repeat("[", 100000), 400, "JSON"},
		{"POST", "/api/call", strings.Repeat(" ", MaxBody+1), 413, "4 MiB"},
		{"GET", "/api/servers/x/logs?n=0", "", 400, "whole number"},
		{"GET", "/api/servers/x/logs?n=ten", "", 400, "ten"},
		{"GET", "/api/servers/x/logs?n=10001", "", 400, "10000"},
		{"POST", "/api/status", "", 405, "GET"},
		{"DELETE", "/api/servers/x/restart", "", 405, "POST"},
		{"GET", "/api/nothing", "", 404, "/api/status"},
		{"GET", "/", "", 404, "/api/status"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.path, strings.NewReader(test.body)))
		f := failureOf(t, w.Result())
		if w.Code != test.want || !strings.Contains(f.Message+f.Hint, test.says) {
			t.Errorf("%s %s %.40s: %d %+v, want %d and %q", test.method, test.path, test.body, w.Code, f, test.want, test.says)
		}
	}
}

// TestHangUp: a call ends when its caller goes away.
func TestHangUp(t *testing.T) {
	f := &fakeControl{started: make(chan struct{})}
	for name, c := range clients(t, controlFor(t, f, nil)) {
		t.Run(name, func(t *testing.T) {
			f.started = make(chan struct{})
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-f.started; cancel() }()
			_, err := c.Call(ctx, client.CallRequest{ID: "wait"})
			if toolcrib.KindOf(err) != toolcrib.KindCanceled {
				t.Errorf("err = %v", err)
			}
		})
	}
}

func FuzzBody(f *testing.F) {
	f.Add(`{"id":"x","args":{}}`)
	f.Add(`{"id":`)
	f.Add(`null`)
	h := controlFor(f, &fakeControl{started: make(chan struct{})}, nil)
	f.Fuzz(func(t *testing.T, body string) {
		if strings.Contains(body, "wait") || strings.Contains(body, `\u`) {
			t.Skip()
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/api/call", strings.NewReader(body)))
		if w.Code != 200 && w.Code != 400 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
