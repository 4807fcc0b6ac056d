package toolsearch

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// host calls one function of openclaw.tools as a script does.
type host func(function, args string) (json.RawMessage, error)

// script stands in for a runtime: a Go function in place of the body.
type script struct {
	body func(call host) sandbox.Outcome
	err  error
	got  sandbox.Script
}

// Run implements Runner. Calls are numbered in the order in which they come.
func (s *script) Run(ctx context.Context, code sandbox.Script, answer sandbox.Host) (sandbox.Outcome, error) {
	s.got = code
	var mu sync.Mutex
	n := 0
	return s.body(func(function, args string) (json.RawMessage, error) {
		mu.Lock()
		n++
		ctx := sandbox.WithNumber(ctx, n)
		mu.Unlock()
		return answer(ctx, "openclaw.tools."+function, json.RawMessage(args))
	}), s.err
}

// returning is a body that returns JSON.
func returning(value string) func(host) sandbox.Outcome {
	return func(host) sandbox.Outcome { return sandbox.Outcome{Value: json.RawMessage(value)} }
}

// openCode is a surface of mode code whose bodies are one Go function.
func openCode(t testing.TB, c *catalog.Catalog, body func(host) sandbox.Outcome, change ...func(*Options)) (bench, *script) {
	t.Helper()
	s := &script{body: body}
	return open(t, c, ModeCode, append([]func(*Options){func(o *Options) { o.Runner = s }}, change...)...), s
}

// reply is the JSON of the code control.
type reply struct {
	OK        bool
	Value     json.RawMessage
	Error     *CodeError
	Truncated bool
	ResultID  string
	Hint      string
	Logs      []CodeLog
	Calls     []codeCall
	Telemetry CodeTelemetry
}

func (b bench) run(t testing.TB, args string) (reply, Reply) {
	t.Helper()
	text, r := b.ask(t, CodeControl, args)
	var got reply
	if err := json.Unmarshal([]byte(text), &got); err != nil || got.OK == r.IsError || (got.Error == nil) != got.OK {
		t.Fatalf("%v, isError %v: %s", err, r.IsError, text)
	}
	return got, r
}

// TestCodeControl is what a model sees: the control, its instructions, and that it stays in its budget.
func TestCodeControl(t *testing.T) {
	const maxCodeControl = 1200
	for name, c := range map[string]*catalog.Catalog{
		"empty": catalog.Plan(nil, allowAll), "three": crowd(3, 0), "two_hundred_long": crowd(200, 60), "sixty_four": crowd(64, 64),
	} {
		b, _ := openCode(t, c, returning("1"))
		text, err := encode(b.Tools())
		if err != nil {
			t.Fatal(err)
		}
		if n := len(text) - len("[]"); n > maxCodeControl {
			t.Errorf("%s: the control has %d bytes, at most %d", name, n, maxCodeControl)
		}
		if name == "three" {
			golden(t, "control_code.json", append(indent(t, text), '\n'))
			golden(t, "instructions_code.txt", []byte(b.Instructions()+"\n"))
		}
	}
}

func indent(t *testing.T, text []byte) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCodeAnswers(t *testing.T) {
	var b bench
	b, s := openCode(t, small(), func(call host) sandbox.Outcome {
		hits, err := call("search", `["open an issue",{"limit":2}]`)
		if err != nil || !strings.HasPrefix(string(hits), `[{"id":"mcp:`) {
			t.Errorf("search: %s, %v", hits, err)
		}
		detail, err := call("describe", `["mcp:forge:create_issue"]`)
		if err != nil || !strings.Contains(string(detail), `"parameters":{"type":"object"`) {
			t.Errorf("describe: %s, %v", detail, err)
		}
		envelope, err := call("call", `["mcp:forge:create_issue",{"title":"x"}]`)
		if want := `{"tool":{"id":"mcp:forge:create_issue","name":"create_issue","source":"mcp"},"result":{"content":[{"type":"text","text":"ran mcp:forge:create_issue"}]}}`; err != nil || string(envelope) != want {
			t.Errorf("call: %s, %v; want %s", envelope, err, want)
		}
		return sandbox.Outcome{Value: json.RawMessage(`{"done":true}`), Logs: []sandbox.Log{{Level: "warn", Text: "hm"}}}
	})
	got, _ := b.run(t, `{"code":"return 1"}`)
	want := reply{
		OK: true, Value: json.RawMessage(`{"done":true}`), Logs: []CodeLog{{"warn", "hm"}},
		Telemetry: CodeTelemetry{CatalogSize: 4, Sources: map[toolcrib.Source]int{"mcp": 3, "plugin": 1}, Searches: 1, Describes: 1, Calls: 1},
	}
	got.Telemetry.MS = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("another reply than wanted:\n%s", diff)
	}
	request := b.caller.got[0]
	if request.ID != "c1:3" || request.Via != CodeControl || request.Scope.Session != "s1" || string(request.Args) != `{"title":"x"}` || request.Waiting == nil {
		t.Errorf("the caller got %+v", request)
	}
	var kinds []string
	for _, e := range b.recorder.events {
		kinds = append(kinds, string(e.Kind)+" "+e.CallID)
	}
	if want := []string{"search c1:1", "describe c1:2", "code c1"}; !cmp.Equal(kinds, want) { // calls are recorded by the caller
		t.Errorf("recorded %v, want %v", kinds, want)
	}
	if s.got.Code != "return 1" || s.got.Seed == [32]byte{} || s.got.Now.IsZero() || s.got.Limits.Wall != DefaultCodeTimeout || len(s.got.Functions) != 3 {
		t.Errorf("the script is %+v", s.got)
	}
}

// TestCodeFailures: each failure keeps its kind, says what already ran, and advises with what code has.
func TestCodeFailures(t *testing.T) {
	ran := func(f sandbox.Failure) func(host) sandbox.Outcome {
		return func(call host) sandbox.Outcome {
			if _, err := call("call", `["stop"]`); err != nil {
				t.Error(err)
			}
			return sandbox.Outcome{Failure: &f}
		}
	}
	for _, tt := range []struct {
		name string
		code string
		f    sandbox.Failure
		kind CodeKind
		says string
	}{
		{"syntax", "let let", sandbox.Failure{Kind: "syntax", Message: "unexpected token", Line: 1, Column: 5, Excerpt: "let let"}, CodeSyntax, "return VALUE"},
		{"a function that isn't there", "openclaw.tools.list()", sandbox.Failure{Kind: "runtime", Message: "not a function"}, CodeRuntime, "describe(id)"},
		{"timeout", "for(;;);", sandbox.Failure{Kind: "timeout", Limit: "wall", Message: "10 s are over"}, CodeTimeout, "Promise.all"},
		{"limit", "", sandbox.Failure{Kind: "limit", Limit: "calls", Message: "100 calls"}, CodeLimit, ""},
		{"a word of the code's own", "throw", sandbox.Failure{Kind: "mine", Message: "no"}, CodeRuntime, ""},
		{"no runtime", "", sandbox.Failure{Kind: "internal", Message: "no"}, CodeInternal, ""},
	} {
		if tt.code == "" {
			tt.code = "x"
		}
		b, _ := openCode(t, small(), ran(tt.f))
		quoted, _ := json.Marshal(tt.code)
		got, _ := b.run(t, `{"code":`+string(quoted)+`}`)
		if got.Error.Kind != tt.kind || got.Error.Message != tt.f.Message || !strings.Contains(got.Error.Hint, tt.says) || !strings.Contains(got.Error.Hint, "already ran") {
			t.Errorf("%s: %+v", tt.name, got.Error)
		}
		if got.Error.Line != tt.f.Line || got.Error.Column != tt.f.Column || got.Error.Excerpt != tt.f.Excerpt {
			t.Errorf("%s: the place is lost: %+v", tt.name, got.Error)
		}
		if len(got.Calls) != 1 || got.Calls[0].ID != "plugin:garden:stop" || got.Calls[0].N != 1 || !got.Calls[0].OK {
			t.Errorf("%s: calls %+v", tt.name, got.Calls)
		}
	}
}

// TestCodeErrors: what code can catch has a kind, the tool, and advice that code can follow; uncaught it
// keeps the kind of the contract.
func TestCodeErrors(t *testing.T) {
	refusal := func(kind toolcrib.Kind) error {
		return toolcrib.NewError(kind, "it said no", "ask later").WithOp("call plugin:garden:water_plants")
	}
	for _, tt := range []struct {
		name, function, args string
		refuse               error
		inside               toolcrib.Kind
		outside              CodeKind
		says                 []string
	}{
		{"unknown", "call", `["create_isue"]`, nil, "not_found", CodeTool, []string{"mcp:forge:create_issue", "openclaw.tools.search"}},
		{"unknown to describe", "describe", `["zzz"]`, nil, "not_found", CodeTool, []string{"openclaw.tools.search"}},
		{"ambiguous", "call", `["create_issue"]`, nil, "ambiguous", CodeTool, []string{"mcp:tracker:create_issue"}},
		{"a control", "call", `["tool_search_code"]`, nil, "input", CodeTool, []string{"openclaw.tools has"}},
		{"no id", "call", `[]`, nil, "input", CodeTool, []string{"hit.id"}},
		{"a strange id", "describe", `[[1]]`, nil, "input", CodeRuntime, []string{"a list"}},
		{"a strange query", "search", `[true]`, nil, "input", CodeRuntime, []string{"a boolean"}},
		{"a strange limit", "search", `["x",{"limit":-1}]`, nil, "input", CodeRuntime, []string{"at least 1"}},
		{"down", "call", `["mcp:mail:send_mail"]`, nil, "unavailable", CodeTool, []string{"connection refused"}},
		{"blocked", "call", `["water_plants"]`, refusal("blocked"), "blocked", CodeBlocked, []string{"it said no (ask later)"}},
		{"timeout", "call", `["water_plants"]`, refusal("timeout"), "timeout", CodeTimeout, []string{"plugin:garden:water_plants"}},
		{"output", "call", `["water_plants"]`, refusal("output"), "output", CodeTool, nil},
		{"a foreign error", "call", `["water_plants"]`, errors.New("secret"), "internal", CodeInternal, []string{"something went wrong"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, _ := openCode(t, small(), func(call host) sandbox.Outcome {
				_, err := call(tt.function, tt.args)
				var e *sandbox.HostError
				if !errors.As(err, &e) {
					t.Fatalf("got %v", err)
				}
				if e.Kind != string(tt.inside) || strings.Contains(e.Message, "secret") || strings.Contains(e.Message, CallControl) {
					t.Errorf("inside: %s %q", e.Kind, e.Message)
				}
				for _, w := range tt.says {
					if !strings.Contains(e.Message, w) {
						t.Errorf("%q is not in %q", w, e.Message)
					}
				}
				return sandbox.Outcome{Failure: &sandbox.Failure{Kind: e.Kind, Message: e.Message, Data: e.Data}}
			})
			b.caller.answer = func(Request) (toolcrib.Result, error) { return toolcrib.Result{}, tt.refuse }
			got, _ := b.run(t, `{"code":"x"}`)
			if got.Error.Kind != tt.outside {
				t.Errorf("outside: %+v, want kind %s", got.Error, tt.outside)
			}
			if tt.refuse != nil && (got.Error.Tool != "plugin:garden:water_plants" || got.Calls[0].OK || got.Calls[0].Error == "") {
				t.Errorf("%+v, calls %+v", got.Error, got.Calls)
			}
		})
	}
}

// TestCodeSaysNothingOfTheDenied: a tool that policy took out answers like one that isn't there.
func TestCodeSaysNothingOfTheDenied(t *testing.T) {
	c := catalog.Plan([]toolcrib.Listing{listing(
		tool(toolcrib.SourcePlugin, "a", "allowed", "Do it."), tool(toolcrib.SourcePlugin, "a", "secret", "Do the other."),
	)}, func(t *toolcrib.Tool) bool { return t.Name != "secret" })
	b, _ := openCode(t, c, func(call host) sandbox.Outcome {
		for _, f := range []string{"call", "describe"} {
			_, denied := call(f, `["plugin:a:secret"]`)
			_, absent := call(f, `["plugin:a:absent"]`)
			if strings.ReplaceAll(denied.Error(), "secret", "absent") != absent.Error() {
				t.Errorf("%s: denied %q, absent %q", f, denied, absent)
			}
		}
		hits, _ := call("search", `["secret other"]`)
		return sandbox.Outcome{Value: hits}
	})
	if got, _ := b.run(t, `{"code":"return 1"}`); strings.Contains(string(got.Value), "secret") {
		t.Errorf("found %s", got.Value)
	}
}

// TestCodeOpenCalls: a call that was cut off is not told as one that failed or succeeded.
func TestCodeOpenCalls(t *testing.T) {
	release, done := make(chan struct{}), make(chan struct{})
	b, _ := openCode(t, small(), func(call host) sandbox.Outcome {
		go func() {
			defer close(done)
			call("call", `["stop"]`)
		}()
		<-release
		return sandbox.Outcome{Failure: &sandbox.Failure{Kind: "timeout", Limit: "wall", Message: "over"}}
	})
	hold := make(chan struct{})
	b.caller.answer = func(Request) (toolcrib.Result, error) {
		close(release)
		<-hold
		return toolcrib.Result{}, nil
	}
	got, _ := b.run(t, `{"code":"x"}`)
	close(hold)
	<-done
	if len(got.Calls) != 1 || got.Calls[0].ID != "plugin:garden:stop" || got.Calls[0].OK || !strings.Contains(got.Calls[0].Error, "may have happened") {
		t.Errorf("calls %+v", got.Calls)
	}
}

// TestCodeProgress: whoever waits for the body hears of each call, in numbers that grow, and nothing after its end.
func TestCodeProgress(t *testing.T) {
	var report func(toolcrib.Progress)
	b, _ := openCode(t, small(), func(call host) sandbox.Outcome {
		call("search", `["issue"]`)
		call("call", `["stop"]`)
		return sandbox.Outcome{}
	})
	b.caller.answer = func(r Request) (toolcrib.Result, error) {
		report = r.Progress
		r.Progress(toolcrib.Progress{Done: 0.5, Total: 1, Message: "half"})
		return toolcrib.Result{}, nil
	}
	var heard []string
	last := 0.0
	b.RunCode(t.Context(), CodeRequest{Code: "x", CallID: "c", Progress: func(p toolcrib.Progress) {
		if p.Done <= last {
			t.Errorf("%v comes after %v", p.Done, last)
		}
		last = p.Done
		heard = append(heard, p.Message)
	}})
	report(toolcrib.Progress{Done: 1, Message: "too late"})
	if want := []string{"search issue", "plugin:garden:stop: half", "call plugin:garden:stop"}; !cmp.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

// TestCodeWaits: the caller can stop the script's clock while a person is asked.
func TestCodeWaits(t *testing.T) {
	b, _ := openCode(t, small(), nil)
	var seen []string
	b.caller.answer = func(r Request) (toolcrib.Result, error) {
		resume := r.Waiting()
		seen = append(seen, "asked")
		resume()
		return toolcrib.Result{}, nil
	}
	bridge := newBridge(b.Surface, CodeRequest{CallID: "c"}, b.opt.Now())
	ctx := sandbox.WithClock(t.Context(), func() func() {
		seen = append(seen, "stopped")
		return func() { seen = append(seen, "goes on") }
	})
	if _, err := bridge.answer(ctx, callFunction, json.RawMessage(`["stop"]`)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"stopped", "asked", "goes on"}; !cmp.Equal(seen, want) {
		t.Errorf("saw %v, want %v", seen, want)
	}
}

// TestCodeRuntimeFails: an error of the runtime's own is internal and shows nothing of it.
func TestCodeRuntimeFails(t *testing.T) {
	b, s := openCode(t, small(), returning("1"))
	s.err = errors.New("fork: secret path")
	got, r := b.run(t, `{"code":"x"}`)
	if got.Error.Kind != CodeInternal || strings.Contains(r.Text, "secret") {
		t.Error(r.Text)
	}
}
