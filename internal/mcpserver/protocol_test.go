package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// forEachWay runs a test over HTTP in both eras and over stdio in both.
func forEachWay(t *testing.T, surface *fakeSurface, o *mcp.ClientOptions, test func(t *testing.T, g *fakeGateway, c *mcp.ClientSession)) {
	for _, era := range eras {
		t.Run("http/"+era.name, func(t *testing.T) {
			g := &fakeGateway{surface: surface}
			_, url := serve(t, g, nil)
			test(t, g, connect(t, url+"?agent=main", era.version, o))
		})
		t.Run("stdio/"+era.name, func(t *testing.T) {
			g := &fakeGateway{surface: surface}
			test(t, g, connectStdio(t, g, era.version, o))
		})
	}
}

func TestIntroduction(t *testing.T) {
	forEachWay(t, controls(), nil, func(t *testing.T, g *fakeGateway, c *mcp.ClientSession) {
		init := c.InitializeResult()
		if init.Instructions != "Search first." {
			t.Errorf("instructions = %q", init.Instructions)
		}
		if init.ServerInfo.Name != "toolcrib" || init.ServerInfo.Version != "1.2.3" {
			t.Errorf("server = %+v", init.ServerInfo)
		}
		if init.Capabilities.Tools == nil || !init.Capabilities.Tools.ListChanged {
			t.Errorf("capabilities = %+v, want tools with listChanged", init.Capabilities)
		}
		sessions := g.opened()
		if len(sessions) != 1 {
			t.Fatalf("%d sessions were opened, want 1", len(sessions))
		}
		who := sessions[0].who
		if who.Client != (Client{"test-client", "9"}) || who.Scope.Client != "test-client" || who.Scope.Session == "" || who.Scope.Agent != "main" {
			t.Errorf("who = %+v", who)
		}
	})
}

func TestList(t *testing.T) {
	forEachWay(t, controls(), nil, func(t *testing.T, _ *fakeGateway, c *mcp.ClientSession) {
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Tools) != 2 || list.NextCursor != "" {
			t.Fatalf("tools = %d, cursor %q", len(list.Tools), list.NextCursor)
		}
		echo := list.Tools[0]
		if echo.Name != "echo" || echo.Title != "Echo" || echo.Description != "Says <it> again & again." ||
			!echo.Annotations.ReadOnlyHint || echo.Meta["anthropic/alwaysLoad"] != true {
			t.Errorf("echo = %+v", echo)
		}
		want := map[string]any{"type": "object", "properties": map[string]any{"z": map[string]any{"type": "string"}, "a": map[string]any{"const": 1.5}}}
		if diff := cmp.Diff(want, echo.InputSchema); diff != "" {
			t.Errorf("schema: %s", diff)
		}
		if diff := cmp.Diff(map[string]any{"type": "object"}, list.Tools[1].InputSchema); diff != "" {
			t.Errorf("schema of a tool without one: %s", diff)
		}
	})
}

// TestCallShapes: what a client may send as arguments reaches the surface as it
// is, and every failure is a result.
func TestCallShapes(t *testing.T) {
	forEachWay(t, controls(), nil, func(t *testing.T, _ *fakeGateway, c *mcp.ClientSession) {
		for _, test := range []struct {
			name      string
			args      any
			want      string
			wantError bool
		}{
			{"echo", map[string]any{"q": 1}, `args {"q":1}`, false},
			{"echo", []int{1}, `args [1]`, false},
			{"echo", "text", `args "text"`, false},
			{"echo", 7, `args 7`, false},
			{"echo", json.RawMessage(`{"deep":{"n":1.0}}`), `args {"deep":{"n":1.0}}`, false},
			{"nothing", nil, `{"error":{"kind":"not_found","message":"no tool nothing"}}`, true},
			{"panic", nil, `"kind":"internal"`, true},
		} {
			result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: test.name, Arguments: test.args})
			if err != nil {
				t.Errorf("%s(%v): protocol error %v", test.name, test.args, err)
				continue
			}
			if result.IsError != test.wantError || !strings.Contains(text(result), test.want) {
				t.Errorf("%s(%v) = %q, isError %v", test.name, test.args, text(result), result.IsError)
			}
		}
	})
}

func TestBlocks(t *testing.T) {
	forEachWay(t, controls(), nil, func(t *testing.T, _ *fakeGateway, c *mcp.ClientSession) {
		picture, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "picture"})
		if err != nil {
			t.Fatal(err)
		}
		if len(picture.Content) != 2 || text(picture) != `{"tool":"picture"}` {
			t.Fatalf("content = %v", picture.Content)
		}
		if image, ok := picture.Content[1].(*mcp.ImageContent); !ok || image.MIMEType != "image/png" {
			t.Errorf("second block = %#v", picture.Content[1])
		}
		if diff := cmp.Diff(map[string]any{"width": 1.0}, picture.StructuredContent); diff != "" {
			t.Errorf("structured: %s", diff)
		}
		broken, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "broken"})
		if err != nil {
			t.Fatal(err)
		}
		if got := text(broken); !strings.Contains(got, "type video was left out") || !strings.HasSuffix(got, "after") || broken.StructuredContent != nil {
			t.Errorf("broken = %q, structured %v", got, broken.StructuredContent)
		}
		list, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "list"})
		if err != nil {
			t.Fatal(err)
		}
		modern := c.InitializeResult().ProtocolVersion >= firstModern
		if (list.StructuredContent != nil) != modern {
			t.Errorf("structured array = %v in %s", list.StructuredContent, c.InitializeResult().ProtocolVersion)
		}
	})
}

// TestOldClients: a client gets no type of block that its protocol lacks.
func TestOldClients(t *testing.T) {
	for version, want := range map[string][]string{
		"2024-11-05": {"text", "text"},
		"2025-03-26": {"audio", "text"},
		"2025-06-18": {"audio", "resource_link"},
		"2025-11-25": {"audio", "resource_link"},
		"2026-07-28": {"audio", "resource_link"},
	} {
		t.Run(version, func(t *testing.T) {
			_, url := serve(t, &fakeGateway{surface: controls()}, nil)
			c := connect(t, url, version, nil)
			if got := c.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("version %s was agreed", got)
			}
			result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "new"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, block := range result.Content {
				data, err := json.Marshal(block)
				if err != nil {
					t.Fatal(err)
				}
				var b toolcrib.Content
				if err := json.Unmarshal(data, &b); err != nil {
					t.Fatal(err)
				}
				got = append(got, b.Type)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if version < "2025-06-18" && !strings.Contains(text(result), "file:///a") {
				t.Errorf("the link is lost: %q", text(result))
			}
		})
	}
}

// TestProgress: progress goes to the call that asked for it.
func TestProgress(t *testing.T) {
	reports := make(chan string, 100)
	o := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		reports <- fmt.Sprintf("%v %v/%v %s", r.Params.ProgressToken, r.Params.Progress, r.Params.Total, r.Params.Message)
	}}
	forEachWay(t, controls(), o, func(t *testing.T, _ *fakeGateway, c *mcp.ClientSession) {
		for _, token := range []string{"mine", "", "again"} {
			params := &mcp.CallToolParams{Name: "steps"}
			if token != "" {
				params.SetProgressToken(token)
			}
			if _, err := c.CallTool(t.Context(), params); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{"mine 1/3 step", "mine 2/3 step", "mine 3/3 step", "again 1/3 step", "again 2/3 step", "again 3/3 step"} {
			select {
			case got := <-reports:
				if got != want {
					t.Errorf("progress %q, want %q", got, want)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("no progress %q", want)
			}
		}
	})
}

// TestProgressOrder: on the wire all progress stands before the result, which
// ends the stream.
func TestProgressOrder(t *testing.T) {
	_, url := serve(t, &fakeGateway{surface: controls()}, nil)
	id := initialize(t, url)
	call := `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":7}}}`
	_, _, handshake := ask(t, url, call, headerSession, id)
	modern := modernBody("tools/call", "x", `"name":"steps",`)
	modern = strings.Replace(modern, `"_meta":{`, `"_meta":{"progressToken":7,`, 1)
	_, _, stateless := ask(t, url, modern, append(modernHeader("tools/call"), "Mcp-Name", "steps")...)
	for era, body := range map[string]string{"handshake": handshake, "stateless": stateless} {
		last := strings.LastIndex(body, `"progressToken":7`)
		if strings.Count(body, "notifications/progress") != 3 || last < 0 || last > strings.Index(body, `"result"`) {
			t.Errorf("%s: %s", era, body)
		}
	}
}

// TestListChanged: the notification reaches the session whose surface changed,
// and no other.
func TestListChanged(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			g, a, _, mine, others := listed(t, era.version)
			session := sessionOf(t, g, "a")
			session.show(controls()) // looks the same
			session.show(many(3))
			session.changed() // again for nothing
			wait(t, mine)
			list, err := a.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != 3 {
				t.Errorf("after the change: %d tools, %v", len(list.Tools), err)
			}
			session.show(many(3)) // looks the same
			sessionOf(t, g, "b").show(many(4))
			wait(t, others)
			if len(mine) != 0 || len(others) != 0 {
				t.Errorf("left over: %d of the first client, %d of the second", len(mine), len(others))
			}
		})
	}
}

// listed is a gateway with two clients, agents a and b, that have listed their
// tools, and the channels on which they say that these have changed.
func listed(t *testing.T, version string) (g *fakeGateway, a, b *mcp.ClientSession, mine, others chan string) {
	t.Helper()
	g = &fakeGateway{surface: controls()}
	_, url := serve(t, g, nil)
	mine, others = make(chan string, 10), make(chan string, 10)
	a = connect(t, url+"?agent=a", version, notify(mine))
	b = connect(t, url+"?agent=b", version, notify(others))
	for _, c := range []*mcp.ClientSession{a, b} {
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	return g, a, b, mine, others
}

func TestListChangedOnStdio(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			g := &fakeGateway{surface: controls()}
			changes := make(chan string, 10)
			c := connectStdio(t, g, era.version, notify(changes))
			for n := range 3 {
				if _, err := c.ListTools(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				g.opened()[0].show(many(n + 3))
				wait(t, changes)
			}
		})
	}
}

// TestInstructionsChange: other instructions above the same tools are told too,
// and the same ones are not.
func TestInstructionsChange(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			g, _, b, mine, others := listed(t, era.version)
			sessionOf(t, g, "a").show(controls()) // the same
			changed := controls()
			changed.instructions = "Search first.\n\ncreate_issue (forge)"
			sessionOf(t, g, "b").show(changed)
			wait(t, others)
			if _, err := b.ListTools(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			sessionOf(t, g, "b").show(changed) // as listed
			sessionOf(t, g, "a").show(changed)
			wait(t, mine)
			if len(mine) != 0 || len(others) != 0 {
				t.Errorf("left over: %d of the first client, %d of the second", len(mine), len(others))
			}
		})
	}
}

// TestChangeBeforeStream: a change that came when no stream was open is told
// when one opens.
func TestChangeBeforeStream(t *testing.T) {
	g := &fakeGateway{surface: controls()}
	_, url := serve(t, g, nil)
	first := connect(t, url+"?agent=a", "2026-07-28", nil) // same session in the stateless era, without a stream
	if _, err := first.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	sessionOf(t, g, "a").show(many(3))
	changes := make(chan string, 10)
	connect(t, url+"?agent=a", "2026-07-28", notify(changes))
	wait(t, changes)
}

func notify(to chan<- string) *mcp.ClientOptions {
	return &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { to <- "changed" }}
}

func wait(t *testing.T, ch <-chan string) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(20 * time.Second):
		t.Fatal("no list_changed came")
	}
}

func sessionOf(t *testing.T, g *fakeGateway, agent string) *fakeSession {
	t.Helper()
	for _, s := range g.opened() {
		if s.who.Scope.Agent == agent {
			return s
		}
	}
	t.Fatalf("no session of agent %s", agent)
	return nil
}

func TestRefusedSession(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			g := &fakeGateway{surface: controls(), refuse: toolcrib.NewError(toolcrib.KindInput, `mode "x" is unknown`, "use tools or direct")}
			s, url := serve(t, g, nil)
			client := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil)
			_, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: era.version})
			if err == nil || !strings.Contains(err.Error(), `mode "x" is unknown (use tools or direct)`) {
				t.Errorf("err = %v", err)
			}
			if n := s.Sessions(); n != 0 {
				t.Errorf("%d sessions are left", n)
			}
		})
	}
}

func TestLargeList(t *testing.T) {
	surface := many(1459)
	forEachWay(t, surface, nil, func(t *testing.T, _ *fakeGateway, c *mcp.ClientSession) {
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Tools) != 1459 || list.NextCursor != "" || list.Tools[1458].Name != "tool_01458" {
			t.Errorf("%d tools in one page, cursor %q", len(list.Tools), list.NextCursor)
		}
	})
}

func TestPages(t *testing.T) {
	g := &fakeGateway{surface: many(25)}
	_, url := serve(t, g, func(o *Options) { o.PageSize = 10 })
	c := connect(t, url, "2025-11-25", nil)
	var names []string
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
		if len(names) == 10 {
			g.opened()[0].show(&fakeSurface{tools: many(25).tools[3:]}) // three of the first page vanish
		}
	}
	if len(names) != 25 || names[24] != "tool_00024" || names[10] != "tool_00010" {
		t.Errorf("%d names: %v", len(names), names)
	}
	if _, err := c.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: "nonsense"}); err == nil || !strings.Contains(err.Error(), "invalid cursor") {
		t.Errorf("nonsense cursor: %v", err)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("", 3)
	f.Add(makeCursor(2, "tool_00001"), 3)
	f.Add(makeCursor(9000, "gone"), 3)
	f.Fuzz(func(t *testing.T, cursor string, n int) {
		tools := many(max(0, min(n, 50))).tools
		if start, err := readCursor(cursor, tools); err == nil && (start < 0 || start > len(tools)) {
			t.Errorf("start %d of %d", start, len(tools))
		}
	})
}

func TestConcurrentCalls(t *testing.T) {
	forEachWay(t, controls(), nil, func(t *testing.T, _ *fakeGateway, c *mcp.ClientSession) {
		var group sync.WaitGroup
		for i := range 64 {
			group.Go(func() {
				want := fmt.Sprintf(`args {"n":%d}`, i)
				result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]int{"n": i}})
				if err != nil || text(result) != want {
					t.Errorf("call %d: %v %v", i, result, err)
				}
			})
		}
		group.Wait()
	})
}

func TestCancelledCall(t *testing.T) {
	calls := make(chan CallRequest, 1)
	surface := controls()
	surface.calls = calls
	forEachWay(t, surface, nil, func(t *testing.T, _ *fakeGateway, c *mcp.ClientSession) {
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "wait"})
			failed <- err
		}()
		<-calls
		cancel()
		if err := <-failed; err == nil {
			t.Error("the cancelled call succeeded")
		}
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Errorf("after a cancelled call: %v", err)
		}
	})
}

func BenchmarkList(b *testing.B) {
	g := &fakeGateway{surface: many(1459)}
	s, err := New(Options{Opener: g})
	if err != nil {
		b.Fatal(err)
	}
	c := s.newConn(Who{})
	req := &mcp.ListToolsRequest{Params: &mcp.ListToolsParams{}}
	b.ReportAllocs()
	for b.Loop() {
		result, err := c.list(b.Context(), req, g.surface)
		if err != nil {
			b.Fatal(err)
		}
		data, err := json.Marshal(result)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(data)))
	}
}
