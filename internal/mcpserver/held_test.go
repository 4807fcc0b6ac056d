package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// round is one answer of tools/call in the stateless era.
type round struct {
	Result struct {
		Type     string                     `json:"resultType"`
		State    string                     `json:"requestState"`
		Requests map[string]json.RawMessage `json:"inputRequests"`
		IsError  bool                       `json:"isError"`
		Content  []struct{ Text string }    `json:"content"`
	} `json:"result"`
	Error *struct{ Message string } `json:"error"`
}

func (r round) text() string {
	if r.Error != nil {
		return "protocol error: " + r.Error.Message
	}
	if len(r.Result.Content) == 0 {
		return ""
	}
	return r.Result.Content[0].Text
}

const original = `"name":"delete","arguments":{"path":"/a","n":1}`

// callModern calls by hand, as a client with forms. more are further members of params.
func callModern(t testing.TB, url, more string) (r round) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"hand","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`, more)
	_, _, answer := ask(t, url, body, append(modernHeader("tools/call"), "Mcp-Name", "delete")...)
	for line := range strings.Lines(answer) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			answer = data
		}
	}
	if err := json.Unmarshal([]byte(answer), &r); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	return r
}

// begin calls, and expects to be asked.
func begin(t testing.TB, url string) round {
	t.Helper()
	r := callModern(t, url, original)
	if r.Result.Type != "input_required" || len(r.Result.State) < 50 || len(r.Result.Requests) != 1 {
		t.Fatalf("not asked: %+v", r)
	}
	return r
}

// answered are the members of a retry.
func answered(state, answer string) string {
	return fmt.Sprintf(`%s,"requestState":%q,"inputResponses":{"approval-1":%s}`, original, state, answer)
}

const yes = `{"action":"accept","content":{"decision":"allow-once"}}`

// TestRetries: which retries of a held call count.
func TestRetries(t *testing.T) {
	nothing := "nothing waits for these answers"
	for _, test := range []struct {
		name, caller, params string // params has STATE in place of the id
		want                 string
		runs                 int32
		open                 bool // the question waits on
	}{
		{"yes", "", answered("STATE", yes), "client: allow-once", 1, false},
		{"the same in other words", "", `"name":"delete","arguments":{ "n":1, "path":"\u002fa"},"requestState":"STATE","inputResponses":{"approval-1":` + yes + `}`, "client: allow-once", 1, false},
		{"other answers beside", "", `` + original + `,"requestState":"STATE","inputResponses":{"approval-1":` + yes + `,"approval-2":{"action":"decline"}}`, "client: allow-once", 1, false},
		{"no", "", answered("STATE", `{"action":"decline"}`), "client: no (deny)", 0, false},
		{"not offered", "", answered("STATE", `{"action":"accept","content":{"decision":"allow-forever"}}`), "client: no (malformed answer)", 0, false},
		{"a list", "", answered("STATE", `{"action":"accept","content":{"decision":["allow-once"]}}`), "client: no (malformed answer)", 0, false},
		{"no decision", "", answered("STATE", `{"action":"accept","content":{"answer":"allow-once"}}`), "client: no (malformed answer)", 0, false},
		{"the answer to something else", "", answered("STATE", `{"roots":[]}`), "client: no (malformed answer)", 0, false},
		{"another key", "", original + `,"requestState":"STATE","inputResponses":{"approval-7":` + yes + `}`, "client: no (malformed answer)", 0, false},
		{"no answers", "", original + `,"requestState":"STATE"`, "client: no (malformed answer)", 0, false},
		{"unreadable", "", answered("STATE", `{"yes":true}`), "protocol error", 0, true},
		{"another id", "", answered(strings.Repeat("a", 52), yes), nothing, 0, true},
		{"no id", "", original + `,"inputResponses":{"approval-1":` + yes + `}`, nothing, 0, true},
		{"another caller", "mallory", answered("STATE", yes), nothing, 0, true},
		{"other arguments", "", `"name":"delete","arguments":{"path":"/b","n":1},"requestState":"STATE","inputResponses":{"approval-1":` + yes + `}`, "another tool, or with other arguments", 0, true},
		{"no arguments", "", `"name":"delete","requestState":"STATE","inputResponses":{"approval-1":` + yes + `}`, "another tool, or with other arguments", 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := &guardedGateway{surface: guarded()}
			s, url := serveOpener(t, g, nil)
			url += "?agent=main&caller="
			state := begin(t, url).Result.State
			r := callModern(t, url+test.caller, strings.ReplaceAll(test.params, "STATE", state))
			if !strings.Contains(r.text(), test.want) || r.Error == nil && r.Result.IsError != (test.runs == 0) {
				t.Errorf("answered %q, error %v; want %q", r.text(), r.Result.IsError, test.want)
			}
			if n := g.surface.ran.Load(); n != test.runs {
				t.Errorf("the tool ran %d times, want %d", n, test.runs)
			}
			if waits := s.waiting.Load() == 1; waits != test.open {
				t.Errorf("waits on: %v, want %v", waits, test.open)
			}
			again, want := callModern(t, url, answered(state, yes)), nothing
			if test.open {
				want = "client: allow-once"
			}
			if !strings.Contains(again.text(), want) || g.surface.ran.Load() > 1 {
				t.Errorf("the same id again: %q, ran %d times; want %q", again.text(), g.surface.ran.Load(), want)
			}
		})
	}
}

// TestWhoHolds: a call that waits belongs to its session; it ends with that, and
// is blocked.
func TestWhoHolds(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(s *Server)
	}{
		{"the caller is put out", func(s *Server) { s.End("ann") }},
		{"the server ends", func(s *Server) { s.Close() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := &guardedGateway{surface: guarded()}
			s, url := serveOpener(t, g, func(o *Options) { o.Idle = time.Millisecond })
			url += "?caller=ann"
			state := begin(t, url).Result.State
			select {
			case err := <-g.surface.ended:
				t.Fatalf("a session was given up that has a call: %v", err)
			case <-time.After(20 * time.Millisecond): // idle sessions are gone by now
			}
			test.end(s)
			<-g.surface.ended
			s.closing.wait()
			if n := s.waiting.Load(); n != 0 {
				t.Errorf("%d places are still taken", n)
			}
			if test.name == "the caller is put out" {
				if r := callModern(t, url, answered(state, yes)); !strings.Contains(r.text(), "nothing waits") {
					t.Errorf("answered %q", r.text())
				}
			}
			if g.surface.ran.Load() != 0 {
				t.Error("the tool ran")
			}
		})
	}
}

// TestRoomForHeld: the calls of one session that wait are bounded. Further ones
// can't ask the client.
func TestRoomForHeld(t *testing.T) {
	g := &guardedGateway{surface: guarded()}
	s, url := serveOpener(t, g, nil)
	var first string
	for i := range maxHeld {
		if r := begin(t, url); i == 0 {
			first = r.Result.State
		}
	}
	if r := callModern(t, url, original); !r.Result.IsError || !strings.Contains(r.text(), errTooManyHeld.Error()) {
		t.Errorf("one too many: %q", r.text())
	}
	begin(t, url+"?caller=other") // another session has places of its own
	if r := callModern(t, url, answered(first, yes)); r.text() != "client: allow-once" {
		t.Errorf("the first one: %q", r.text())
	}
	begin(t, url)
	if n := s.waiting.Load(); n != maxHeld+1 {
		t.Errorf("%d wait, want %d", n, maxHeld+1)
	}
}

// TestClientLeaves: a client that goes away while its call runs ends it, also in
// the second round.
func TestClientLeaves(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			slow := &slowSurface{began: make(chan struct{}), ended: make(chan error, 1)}
			c := way.connect(t, &guardedGateway{surface: guarded(), replace: slow}, way.version, accepting("allow-once"))
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "slow"})
				done <- err
			}()
			<-slow.began
			cancel()
			if err := <-slow.ended; err == nil {
				t.Error("the tool was not told")
			}
			if err := <-done; err == nil {
				t.Error("the call has a result")
			}
		})
	}
}

// slowSurface asks first, and then runs until its context ends.
type slowSurface struct {
	fakeSurface
	began chan struct{}
	ended chan error
}

func (s *slowSurface) Call(ctx context.Context, r CallRequest) Reply {
	d, err := r.Ask(ctx, toolcrib.Question{Title: "Run?", Decisions: []toolcrib.Decision{toolcrib.AllowOnce, toolcrib.Deny}, Tool: "a"})
	if err != nil || !d.Allows() {
		return Reply{Text: "no", IsError: true}
	}
	close(s.began)
	<-ctx.Done()
	s.ended <- ctx.Err()
	return Reply{Text: "ended", IsError: true}
}

// manySurface asks several things at once, as a script does.
type manySurface struct {
	fakeSurface
	n int
}

func (s *manySurface) Call(ctx context.Context, r CallRequest) Reply {
	var (
		all   sync.WaitGroup
		yeses = make(chan bool, s.n)
	)
	for i := range s.n {
		all.Go(func() {
			d, err := r.Ask(ctx, toolcrib.Question{
				Title: fmt.Sprintf("Run %d?", i), Decisions: []toolcrib.Decision{toolcrib.AllowOnce, toolcrib.Deny}, Tool: "a",
			})
			yeses <- err == nil && d.Allows()
		})
	}
	all.Wait()
	count := 0
	for range s.n {
		if <-yeses {
			count++
		}
	}
	return Reply{Text: fmt.Sprintf("%d of %d", count, s.n)}
}

// TestManyQuestionsOfACall: each gets its own answer, however they are put.
func TestManyQuestionsOfACall(t *testing.T) {
	for _, way := range ways() {
		t.Run(way.name, func(t *testing.T) {
			g := &guardedGateway{surface: guarded(), replace: &manySurface{n: 40}}
			c := way.connect(t, g, way.version, asking(func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				var n int
				if _, err := fmt.Sscanf(r.Params.Message, "Run %d?", &n); err != nil {
					return nil, err
				}
				if n%2 == 0 {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "allow-once"}}, nil
				}
				return &mcp.ElicitResult{Action: "decline"}, nil
			}))
			result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "many"})
			if err != nil || text(result) != "20 of 40" {
				t.Errorf("%v, %v", result, err)
			}
		})
	}
}

// patientSurface waits for a person for at most a minute, and says each 10 s that
// it does.
type patientSurface struct{ fakeSurface }

func (*patientSurface) Call(ctx context.Context, r CallRequest) Reply {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	answer := make(chan toolcrib.Decision, 1)
	if r.Progress != nil {
		r.Progress(toolcrib.Progress{Message: "waiting for approval: Run?"})
	}
	go func() {
		d, err := r.Ask(ctx, toolcrib.Question{
			Title: "Run?", Decisions: []toolcrib.Decision{toolcrib.AllowOnce, toolcrib.Deny}, Tool: "a", Expires: time.Now().Add(time.Minute),
		})
		if err == nil {
			answer <- d
		}
	}()
	for n := 1; ; n++ {
		select {
		case <-tick.C:
			if r.Progress != nil {
				r.Progress(toolcrib.Progress{Done: float64(n) / 1000, Message: "waiting for approval: Run?"})
			}
		case d := <-answer:
			return Reply{Text: string(d)}
		case <-ctx.Done():
			return Reply{Text: "nobody answered", IsError: true}
		}
	}
}

// TestNobodyAnswers: the time of the question ends the call. The client's form is
// closed in the handshake era; in the stateless one the client, whenever it comes,
// learns how it ended, once and for a while.
func TestNobodyAnswers(t *testing.T) {
	for _, late := range []time.Duration{time.Second, 30 * time.Second, 10 * time.Minute} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(fmt.Sprintf("%s/%v late", version, late), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					began := time.Now()
					c := connectPipes(t, &guardedGateway{surface: guarded(), replace: &patientSurface{}}, version,
						asking(func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
							select {
							case <-ctx.Done():
							case <-time.After(time.Minute + late):
							}
							return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "allow-once"}}, nil
						}))
					result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "a"})
					if err != nil {
						t.Fatal(err)
					}
					want, after := "nobody answered", time.Minute
					if version >= firstModern {
						after += late
					}
					if version >= firstModern && late > 2*lateness {
						want = "nothing waits for these answers"
					}
					if !result.IsError || !strings.Contains(text(result), want) || time.Since(began) != after {
						t.Errorf("%q after %v; want %q after %v", text(result), time.Since(began), want, after)
					}
				})
			})
		}
	}
}

// TestProgressWhileAsking: a client with a progress token hears something at least
// each 15 s while a call waits and it can hear, and always before the result.
func TestProgressWhileAsking(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		for _, forms := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/forms %v", version, forms), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var (
						mu    sync.Mutex
						heard []time.Duration
						began = time.Now()
					)
					o := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
						mu.Lock()
						defer mu.Unlock()
						heard = append(heard, time.Since(began))
						if r.Params.ProgressToken != "t" || !strings.HasPrefix(r.Params.Message, "waiting for approval") {
							t.Errorf("progress %+v", r.Params)
						}
					}}
					if forms {
						o.ElicitationHandler = func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
							time.Sleep(45 * time.Second)
							return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "allow-once"}}, nil
						}
					}
					surface := Surface(&patientSurface{})
					if !forms {
						surface = &unasked{}
					}
					c := connectPipes(t, &guardedGateway{surface: guarded(), replace: surface}, version, o)
					p := &mcp.CallToolParams{Name: "a"}
					p.SetProgressToken("t")
					result, err := c.CallTool(t.Context(), p)
					if err != nil {
						t.Fatal(err)
					}
					mu.Lock()
					defer mu.Unlock()
					want := 5 // at once and each 10 s
					if forms && version >= firstModern {
						want = 1 // then the request is answered, and the client itself asks its user
					}
					if len(heard) < want {
						t.Errorf("heard at %v before %q", heard, text(result))
					}
				})
			})
		}
	}
}

// unasked waits for somebody else than the client, for 45 s.
type unasked struct{ fakeSurface }

func (*unasked) Call(ctx context.Context, r CallRequest) Reply {
	if r.Ask != nil {
		return Reply{Text: "it can be asked", IsError: true}
	}
	r.Ask = func(ctx context.Context, _ toolcrib.Question) (toolcrib.Decision, error) {
		time.Sleep(45 * time.Second)
		return toolcrib.AllowOnce, nil
	}
	return new(patientSurface).Call(ctx, r)
}
