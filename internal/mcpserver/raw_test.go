package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// hand is a client on a pair of streams that writes what a test wants.
type hand struct {
	t     *testing.T
	in    io.Writer
	lines *bufio.Scanner
}

// byHand serves a client of the handshake era with forms.
func byHand(t *testing.T, g Opener) *hand {
	t.Helper()
	s, err := New(Options{Opener: g})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- s.Run(context.WithoutCancel(t.Context()), in, out, toolcrib.Scope{}, "")
		out.Close()
	}()
	t.Cleanup(func() {
		toServer.Close()
		go io.Copy(io.Discard, fromServer) // or the last answers would have nowhere to go
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	h := &hand{t, toServer, bufio.NewScanner(fromServer)}
	h.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"hand","version":"0"}}}`)
	h.hear()
	h.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return h
}

func (h *hand) say(line string) {
	h.t.Helper()
	if _, err := io.WriteString(h.in, line+"\n"); err != nil {
		h.t.Fatal(err)
	}
}

type heard struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result struct {
		IsError bool                    `json:"isError"`
		Content []struct{ Text string } `json:"content"`
	} `json:"result"`
}

func (h *hand) hear() (m heard) {
	h.t.Helper()
	if !h.lines.Scan() {
		h.t.Fatalf("the server says nothing: %v", h.lines.Err())
	}
	if err := json.Unmarshal(h.lines.Bytes(), &m); err != nil {
		h.t.Fatalf("%v in %s", err, h.lines.Text())
	}
	return m
}

const callGuarded = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delete","arguments":{"path":"/a"}}}`

// TestGarbage: whatever stands in the place of an answer is a no, and an error is
// a client that can't be asked.
func TestGarbage(t *testing.T) {
	const (
		no   = "client: no (malformed answer)"
		fail = "could not be asked"
	)
	for answer, want := range map[string]string{
		`"result":{"action":"accept","content":{"decision":"allow-once"}}`:                                       "client: allow-once",
		`"result":{"action":"accept","content":{"decision":"allow-once","decision":"deny"}}`:                     "client: no (deny)",
		`"result":{"action":"accept","content":{"Decision":"allow-once"}}`:                                       no,
		`"result":{"action":"accept","content":{"decision":"ALLOW-ONCE"}}`:                                       no,
		`"result":{"action":"accept","content":{"decision":" allow-once"}}`:                                      no,
		`"result":{"action":"accept","content":{"decision":"Allow once"}}`:                                       no,
		`"result":{"action":"accept","content":{"decision":true}}`:                                               no,
		`"result":{"action":"accept","content":{"decision":{"value":"allow-once"}}}`:                             no,
		`"result":{"action":"accept","content":{}}`:                                                              no,
		`"result":{"action":"accept","content":null}`:                                                            no,
		`"result":{"action":"accept","content":"allow-once"}`:                                                    no,
		`"result":{"action":"accept","content":["allow-once"]}`:                                                  no,
		`"result":{"action":1,"content":{"decision":"allow-once"}}`:                                              no,
		`"result":{"action":"Accept","content":{"decision":"allow-once"}}`:                                       no,
		`"result":{"action":["accept"],"content":{"decision":"allow-once"}}`:                                     no,
		`"result":{"decision":"allow-once"}`:                                                                     no,
		`"result":{}`:                                                                                            no,
		`"result":[]`:                                                                                            no,
		`"result":"accept"`:                                                                                      no,
		`"result":{"action":"decline"}`:                                                                          "client: no (deny)",
		`"error":{"code":-32601,"message":"Method not found"}`:                                                   fail,
		`"error":{"code":-32603,"message":"busy","data":{"action":"accept"}}`:                                    fail,
		`"error":{"code":-32000,"message":"x"},"result":{"action":"accept","content":{"decision":"allow-once"}}`: fail,
	} {
		t.Run(answer, func(t *testing.T) {
			g := &guardedGateway{surface: guarded()}
			h := byHand(t, g)
			h.say(callGuarded)
			asked := h.hear()
			if asked.Method != "elicitation/create" {
				t.Fatalf("heard %+v", asked)
			}
			h.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, asked.ID, answer))
			r := h.hear()
			if len(r.Result.Content) != 1 || !strings.HasPrefix(r.Result.Content[0].Text, want) {
				t.Errorf("answered %+v, want %q", r.Result, want)
			}
			if ran := g.surface.ran.Load() == 1; ran != (want == "client: allow-once") {
				t.Errorf("the tool ran: %v", ran)
			}
		})
	}
}

// TestAnswerToSomethingElse: an answer with another id counts for nothing, nor
// does a second one, nor one that comes after the form was taken back.
func TestAnswerToSomethingElse(t *testing.T) {
	surface := guarded()
	surface.operator = make(chan toolcrib.Decision)
	h := byHand(t, &guardedGateway{surface: surface})
	allow := func(id string) {
		h.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, yes))
	}
	h.say(callGuarded)
	asked := h.hear()
	allow(`"other"`)
	allow("4711")
	surface.operator <- toolcrib.Deny
	if closed := h.hear(); closed.Method != "notifications/cancelled" || !strings.Contains(string(closed.Params), `"requestId":`+string(asked.ID)) {
		t.Errorf("the form was not taken back before the result: %+v", closed)
	}
	if r := h.hear(); string(r.ID) != "2" || r.Result.Content[0].Text != "operator: no (deny)" {
		t.Errorf("answered %+v", r)
	}
	allow(string(asked.ID)) // too late
	h.say(strings.Replace(callGuarded, `"id":2`, `"id":3`, 1))
	again := h.hear()
	if string(again.ID) == string(asked.ID) {
		t.Fatal("an id was used twice")
	}
	allow(string(asked.ID)) // not this question
	surface.operator <- toolcrib.Deny
	h.hear()
	if r := h.hear(); string(r.ID) != "3" || !r.Result.IsError || surface.ran.Load() != 0 {
		t.Errorf("answered %+v", r)
	}
}

// TestStreamsStayAlive: a stream over HTTP that has nothing to say says so, and
// the client reads over it.
func TestStreamsStayAlive(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			release := make(chan struct{})
			surface := &callSurface{func(ctx context.Context, _ CallRequest) Reply {
				<-release
				return Reply{Text: "done"}
			}}
			_, url := serveOpener(t, &guardedGateway{surface: guarded(), replace: surface}, func(o *Options) { o.Silence = 5 * time.Millisecond })
			header, body := []string{}, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"x"}}`
			if version >= firstModern {
				header, body = append(modernHeader("tools/call"), "Mcp-Name", "x"), modernBody("tools/call", "x", `"name":"x",`)
			} else {
				header = append(header, headerSession, initialize(t, url), headerProtocol, version)
			}
			res := open(t, http.MethodPost, url, body, header...)
			lines := bufio.NewReader(res.Body)
			for range 3 {
				if line, err := lines.ReadString('\n'); err != nil || line != ": still here\n" {
					t.Fatalf("heard %q, %v", line, err)
				}
				if line, err := lines.ReadString('\n'); err != nil || line != "\n" {
					t.Fatalf("heard %q, %v", line, err)
				}
			}
			close(release)
			rest, err := io.ReadAll(lines)
			if err != nil || !strings.Contains(string(rest), `"text":"done"`) || res.Header.Get("Content-Type") != "text/event-stream" {
				t.Errorf("%s, %v, %v", rest, err, res.Header)
			}
		})
	}
	t.Run("a stream of notifications", func(t *testing.T) {
		_, url := serve(t, &fakeGateway{surface: controls()}, func(o *Options) { o.Silence = 5 * time.Millisecond })
		res := open(t, http.MethodGet, url, "", headerSession, initialize(t, url))
		for lines := bufio.NewReader(res.Body); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if line == ": still here\n" {
				break
			}
		}
	})
	for _, way := range ways() {
		if !strings.HasPrefix(way.name, "http/") {
			continue
		}
		t.Run("the kit reads over it/"+way.name, func(t *testing.T) {
			_, url := serveOpener(t, &guardedGateway{surface: guarded()}, func(o *Options) { o.Silence = time.Millisecond })
			c := connect(t, url, way.version, asking(func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				time.Sleep(30 * time.Millisecond) // for a few comments
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "allow-once"}}, nil
			}))
			if r := callDelete(t, c); text(r) != "client: allow-once" {
				t.Errorf("result %q", text(r))
			}
		})
	}
}

// callSurface is a surface of one function.
type callSurface struct {
	call func(context.Context, CallRequest) Reply
}

func (*callSurface) Tools() []Visible                                { return nil }
func (*callSurface) Instructions() string                            { return "" }
func (s *callSurface) Call(ctx context.Context, r CallRequest) Reply { return s.call(ctx, r) }

// open sends a request and returns the answer as it comes.
func open(t *testing.T, method, url, body string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// TestProgressBelongsToItsRequest: over HTTP, progress of a call that waits
// reaches the client before it is asked.
func TestProgressBelongsToItsRequest(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			told := make(chan struct{}, 1)
			o := asking(func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				select {
				case <-told:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "allow-once"}}, nil
			})
			o.ProgressNotificationHandler = func(context.Context, *mcp.ProgressNotificationClientRequest) { told <- struct{}{} }
			surface := &callSurface{func(ctx context.Context, r CallRequest) Reply {
				r.Progress(toolcrib.Progress{Done: 0.001, Message: "waiting"})
				d, err := r.Ask(ctx, toolcrib.Question{Title: "Run?", Tool: "a", Decisions: []toolcrib.Decision{toolcrib.AllowOnce}})
				return Reply{Text: fmt.Sprintf("%s %v", d, err)}
			}}
			c := way.connect(t, &guardedGateway{surface: guarded(), replace: surface}, way.version, o)
			p := &mcp.CallToolParams{Name: "a"}
			p.SetProgressToken("t")
			result, err := c.CallTool(t.Context(), p)
			if err != nil || text(result) != "allow-once <nil>" {
				t.Errorf("%v, %v", result, err)
			}
		})
	}
}
