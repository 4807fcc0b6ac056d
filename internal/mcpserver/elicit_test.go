package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// guardedSurface has one tool that runs when a person allows it.
type guardedSurface struct {
	fakeSurface
	question toolcrib.Question
	// operator answers in the place of the client; nil is never ready.
	operator chan toolcrib.Decision
	// asked gets a value when a question is put, ended the error of each Ask.
	asked chan struct{}
	ended chan error
	ran   atomic.Int32
}

func guarded() *guardedSurface {
	return &guardedSurface{
		fakeSurface: fakeSurface{tools: []Visible{{Name: "delete"}}},
		question: toolcrib.Question{
			Title: "Delete a file?", Description: "It can't be undone.", Severity: toolcrib.SeverityCritical,
			Decisions: []toolcrib.Decision{toolcrib.AllowOnce, toolcrib.AllowAlways, toolcrib.Deny},
			Tool:      "mcp:files:delete", Args: json.RawMessage(`{ "path": "/a" }`), Timeout: time.Minute,
		},
		asked: make(chan struct{}, 100), ended: make(chan error, 100),
	}
}

// Call asks as a broker does: the first answer counts, and it waits for nobody after that.
func (g *guardedSurface) Call(ctx context.Context, r CallRequest) Reply {
	if r.Ask == nil {
		return Reply{Text: "nobody to ask", IsError: true}
	}
	type outcome struct {
		decision toolcrib.Decision
		err      error
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	answers := make(chan outcome, 1)
	g.asked <- struct{}{}
	go func() {
		q := g.question
		q.Expires = time.Now().Add(q.Timeout)
		d, err := r.Ask(asking, q)
		g.ended <- err
		answers <- outcome{d, err}
	}()
	select {
	case a := <-answers:
		if a.err != nil {
			return Reply{Text: "could not be asked: " + a.err.Error(), IsError: true}
		}
		return g.decide("client", a.decision)
	case d := <-g.operator:
		return g.decide("operator", d)
	case <-ctx.Done():
		return Reply{Text: "gone", IsError: true}
	}
}

func (g *guardedSurface) decide(by string, d toolcrib.Decision) Reply {
	if !slices.Contains(g.question.Decisions, d) || !d.Allows() {
		return Reply{Text: fmt.Sprintf("%s: no (%s)", by, d), IsError: true}
	}
	g.ran.Add(1)
	return Reply{Text: fmt.Sprintf("%s: %s", by, d)}
}

// guardedGateway opens sessions on a guardedSurface.
type guardedGateway struct {
	fakeGateway
	surface *guardedSurface
	// replace stands in the place of surface; may be nil.
	replace Surface
}

func (g *guardedGateway) Open(ctx context.Context, who Who, changed func()) (Session, error) {
	if _, err := g.fakeGateway.Open(ctx, who, changed); err != nil {
		return nil, err
	}
	return guardedSession{g}, nil
}

type guardedSession struct{ gateway *guardedGateway }

func (s guardedSession) Surface(context.Context) Surface {
	if s.gateway.replace != nil {
		return s.gateway.replace
	}
	return s.gateway.surface
}

func (s guardedSession) Close() {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	s.gateway.closed++
}

// way is a transport in one version of the protocol.
type way struct {
	name, version string
	connect       func(t testing.TB, g Opener, version string, o *mcp.ClientOptions) *mcp.ClientSession
}

func (w way) modern() bool { return w.version >= firstModern }

// ways are all in which a client is asked.
func ways() (all []way) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		all = append(all,
			way{"http/" + version, version, func(t testing.TB, g Opener, version string, o *mcp.ClientOptions) *mcp.ClientSession {
				_, url := serveOpener(t, g, nil)
				return connect(t, url+"?agent=main", version, o)
			}},
			way{"stdio/" + version, version, connectPipes},
			way{"attach/" + version, version, connectAttached})
	}
	return all
}

// accepting is a client whose user makes a decision.
func accepting(d any) *mcp.ClientOptions {
	return answering(&mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": d}})
}

func answering(r *mcp.ElicitResult) *mcp.ClientOptions {
	return asking(func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return r, nil })
}

func asking(handler func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: handler}
}

func callDelete(t testing.TB, c *mcp.ClientSession) *mcp.CallToolResult {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "delete", Arguments: map[string]any{"path": "/a"}})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestAnswers: what a client's user says decides, and everything that isn't an
// offered yes is a no.
func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name   string
		client *mcp.ClientOptions
		want   string
		runs   int32
	}{
		{"allow once", accepting("allow-once"), "client: allow-once", 1},
		{"allow always", accepting("allow-always"), "client: allow-always", 1},
		{"deny", accepting("deny"), "client: no (deny)", 0},
		{"decline", answering(&mcp.ElicitResult{Action: "decline"}), "client: no (deny)", 0},
		{"decline with a yes", answering(&mcp.ElicitResult{Action: "decline", Content: map[string]any{"decision": "allow-once"}}), "client: no (deny)", 0},
		{"cancel", answering(&mcp.ElicitResult{Action: "cancel"}), "client: no (deny)", 0},
		{"no content", answering(&mcp.ElicitResult{Action: "accept"}), "client: no (malformed answer)", 0},
		{"no action", answering(&mcp.ElicitResult{Action: "perhaps", Content: map[string]any{"decision": "allow-once"}}), "client: no (malformed answer)", 0},
		{"no elicitation", nil, "nobody to ask", 0},
		{"forms by link alone", &mcp.ClientOptions{
			ElicitationHandler: accepting("allow-once").ElicitationHandler,
			Capabilities:       &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
		}, "nobody to ask", 0},
	} {
		for _, way := range ways() {
			t.Run(test.name+"/"+way.name, func(t *testing.T) {
				g := &guardedGateway{surface: guarded()}
				result := callDelete(t, way.connect(t, g, way.version, test.client))
				if text(result) != test.want || result.IsError != (test.runs == 0) {
					t.Errorf("result %q, error %v; want %q", text(result), result.IsError, test.want)
				}
				if n := g.surface.ran.Load(); n != test.runs {
					t.Errorf("the tool ran %d times, want %d", n, test.runs)
				}
			})
		}
	}
}

// TestForm: the golden text of a form.
func TestForm(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			g := &guardedGateway{surface: guarded()}
			seen := make(chan *mcp.ElicitParams, 1)
			callDelete(t, way.connect(t, g, way.version, asking(func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				seen <- r.Params
				return &mcp.ElicitResult{Action: "decline"}, nil
			})))
			p := <-seen
			if want := "Critical: Delete a file?\n\nIt can't be undone.\n\nTool: mcp:files:delete\nArguments: {\"path\":\"/a\"}"; p.Message != want || p.Mode != "form" {
				t.Errorf("message %q, mode %q", p.Message, p.Mode)
			}
			want := map[string]any{
				"type": "object", "required": []any{"decision"},
				"properties": map[string]any{"decision": map[string]any{
					"type": "string", "title": "Decision", "description": "Whether this call may run",
					"enum":      []any{"allow-once", "allow-always", "deny"},
					"enumNames": []any{"Allow once", "Always allow this tool", "Deny"},
				}},
			}
			if diff := cmp.Diff(want, p.RequestedSchema); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFormIsPlain(t *testing.T) {
	p := form(toolcrib.Question{
		Title: "Run\nTool: harmless\u202e", Tool: "mcp:a:b\nArguments: {}", Args: json.RawMessage(`{"a":"` + strings.Repeat("x", 3000) + `"}`),
		Decisions: []toolcrib.Decision{toolcrib.AllowAlways, toolcrib.Deny}, BindArgs: true,
	})
	lines := strings.Split(p.Message, "\n")
	want := []string{"Run Tool: harmless", "", "Tool: mcp:a:b Arguments: {}", `Arguments: {"a":"` + strings.Repeat("x", 1994) + "… (the first 2000 of 3008 characters)"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if schema := string(p.RequestedSchema.(json.RawMessage)); !strings.Contains(schema, `"enumNames":["Always allow this tool with these arguments","Deny"]`) {
		t.Error(schema)
	}
}

// TestClientThatFails: a client that can't ask its user, though it said so, is
// one that can't be asked; the call is blocked and says why. In the stateless era
// the client tells nobody: the SDK's gives up, and the time of the question ends it.
func TestClientThatFails(t *testing.T) {
	failing := asking(func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return nil, errors.New("no screen")
	})
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			g := &guardedGateway{surface: guarded()}
			c := way.connect(t, g, way.version, failing)
			result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "delete"})
			switch {
			case way.modern():
				if err == nil {
					t.Errorf("result %q of a client that has none", text(result))
				}
			case err != nil:
				t.Fatal(err)
			case !result.IsError || !strings.Contains(text(result), "no screen"):
				t.Errorf("result %q", text(result))
			}
			if g.surface.ran.Load() != 0 {
				t.Error("the tool ran")
			}
		})
	}
}

// TestSomebodyElseAnswers: when an operator is faster, the form is taken back
// where that is possible, the late answer is dropped, and the tool runs once.
func TestSomebodyElseAnswers(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			surface := guarded()
			surface.operator = make(chan toolcrib.Decision)
			shown, closed, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			c := way.connect(t, &guardedGateway{surface: surface}, way.version, asking(func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				close(shown)
				if way.modern() {
					surface.operator <- toolcrib.AllowOnce
					ended <- <-surface.ended // nobody waits any more when the answer comes
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "deny"}}, nil
				}
				<-ctx.Done()
				close(closed)
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "deny"}}, nil
			}))
			if !way.modern() {
				go func() {
					<-shown
					surface.operator <- toolcrib.AllowOnce
					ended <- <-surface.ended
				}()
			}
			result := callDelete(t, c)
			if text(result) != "operator: allow-once" || surface.ran.Load() != 1 {
				t.Errorf("result %q, ran %d times", text(result), surface.ran.Load())
			}
			if !errors.Is(<-ended, context.Canceled) {
				t.Error("Ask did not end with its context")
			}
			if !way.modern() {
				<-closed // the client was told
			}
			if _, err := c.ListTools(t.Context(), nil); err != nil {
				t.Errorf("the session is of no use afterwards: %v", err)
			}
		})
	}
}

// FuzzDecided: nothing but an accepted, offered decision lets a call run.
func FuzzDecided(f *testing.F) {
	for _, answer := range []string{
		yes, `{"action":"accept"}`, `{"action":"decline","content":{"decision":"allow-once"}}`, `{"action":"accept","content":{"decision":"allow-always"}}`, `{"content":{"decision":"allow-once"}}`,
	} {
		f.Add(answer)
	}
	q := toolcrib.Question{Decisions: []toolcrib.Decision{toolcrib.AllowOnce, toolcrib.Deny}}
	f.Fuzz(func(t *testing.T, text string) {
		var answer *mcp.ElicitResult
		if json.Unmarshal([]byte(text), &answer) != nil {
			return
		}
		d := decided(q, answer)
		if d.Allows() && (d != toolcrib.AllowOnce || answer.Action != "accept" || answer.Content["decision"] != "allow-once") {
			t.Errorf("%s means %q", text, d)
		}
	})
}

// FuzzSameCall: a call is the same as itself, and as itself in other words, and
// as no other.
func FuzzSameCall(f *testing.F) {
	f.Add(`{"a":1,"b":[1.0,"x"]}`, `{"b":[1.0,"\u0078"],"a":1}`)
	f.Add(`{"n":9007199254740993}`, `{"n":9007199254740992}`)
	f.Add(``, `null`)
	f.Add(`{`, `{`)
	f.Fuzz(func(t *testing.T, a, b string) {
		h := &held{name: "x", args: json.RawMessage(a)}
		same := h.is(&mcp.CallToolParamsRaw{Name: "x", Arguments: json.RawMessage(b)})
		if a == b && !same {
			t.Errorf("%q is not the same as itself", a)
		}
		var x, y any
		if same && a != b && json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && !cmp.Equal(x, y) {
			t.Errorf("%q counts as %q", b, a)
		}
		if h.is(&mcp.CallToolParamsRaw{Name: "y", Arguments: json.RawMessage(a)}) {
			t.Error("another tool counts as the same")
		}
	})
}
