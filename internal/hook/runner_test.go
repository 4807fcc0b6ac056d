package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
)

func TestOrderAndRewriting(t *testing.T) {
	t.Parallel()
	named := func(name, word string, priority int) Hook {
		h := fake(t, name, "append", word)
		h.Priority = priority
		return h
	}
	other := named("other", "never", 99)
	other.Match = []string{"another_tool"}
	b := open(t, named("b", "third", 0), named("z", "first", 5), named("a", "second", 0), other, named("last", "fourth", -1))
	call := aCall(`{}`)
	if _, err := b.Before(t.Context(), &call); err != nil {
		t.Fatal(err)
	}
	if got := string(call.Args); got != `{"words":["first","second","third","fourth"]}` {
		t.Errorf("args %s", got)
	}
	if diff := cmp.Diff([]string{"z:rewrote", "a:rewrote", "b:rewrote", "last:rewrote"}, b.effects()); diff != "" {
		t.Error(diff)
	}
}

func TestABlockIsFinal(t *testing.T) {
	t.Parallel()
	ran := false
	later := Hook{Name: "later", Event: Before, Priority: -1, BeforeFunc: func(context.Context, *Call) (Verdict, error) { ran = true; return Verdict{}, nil }}
	b := open(t, later, fake(t, "first", "exit", "2", "\n  no: hunter2\x1b[31m \n"+strings.Repeat("very ", 300)))
	call := aCall(`{}`)
	_, err := b.Before(t.Context(), &call)
	refused(t, err, toolcrib.KindBlocked, "blocked by hook first: no: [redacted][31m very very")
	if ran {
		t.Error("a later hook ran")
	}
	if n := len([]rune(err.(*toolcrib.Error).Message)); n > maxReason+len("blocked by hook first: ") {
		t.Errorf("the message has %d characters", n)
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	full := fmt.Sprintf(`{"decision": "ask", "reason": "r", "args": {"b": 2}, "approval": {"title": %q, "description": %q, "severity": "critical", "decisions": ["allow-always", "allow-always"], "timeoutMs": 9e9, "anyArgs": true}}`,
		strings.Repeat("é", 100), strings.Repeat("d", 600))
	b := open(t, fake(t, "a", "say", full), fake(t, "b", "say", `{"decision": "ask", "reason": "because"}`))
	call := aCall(`{}`)
	asks, err := b.Before(t.Context(), &call)
	if err != nil {
		t.Fatal(err)
	}
	base := toolcrib.Question{Tool: "mcp:github:create_issue", Source: toolcrib.SourceMCP, CallID: "c1:2", Scope: call.Scope}
	first, second := base, base
	first.Title, first.Description = strings.Repeat("é", 79)+"…", strings.Repeat("d", 511)+"…"
	first.Severity, first.Decisions = toolcrib.SeverityCritical, []toolcrib.Decision{toolcrib.AllowAlways, toolcrib.Deny}
	first.Rule, first.Timeout = "hooks.a", toolcrib.MaxApprovalFor
	second.Title, second.Description, second.Severity = "mcp:github:create_issue", "because", toolcrib.SeverityWarning
	second.Decisions = []toolcrib.Decision{toolcrib.AllowOnce, toolcrib.Deny}
	second.Rule, second.BindArgs, second.Timeout = "hooks.b", true, toolcrib.DefaultApprovalFor
	if diff := cmp.Diff([]toolcrib.Question{first, second}, asks); diff != "" {
		t.Error(diff)
	}
	if string(call.Args) != `{"b": 2}` {
		t.Errorf("args %s", call.Args)
	}
}

func TestRedactionAndWithholding(t *testing.T) {
	t.Parallel()
	h := fake(t, "h", "say", `{"result": {"content": [{"type": "text", "text": "hidden"}], "details": {"card": null}, "isError": true}}`)
	h.Event = After
	seen := ""
	own := Hook{Name: "z", Event: After, AfterFunc: func(_ context.Context, _ Call, r *toolcrib.Result) error {
		seen = r.Content[0].Text
		return nil
	}}
	b := open(t, h, own)
	result := aResult()
	if err := b.After(t.Context(), aCall(`{}`), result); err != nil {
		t.Fatal(err)
	}
	if result.Content[0].Text != "hidden" || string(result.Details) != `{"card": null}` || !result.IsError || seen != "hidden" {
		t.Errorf("result %+v, the second hook saw %q", result, seen)
	}
	if diff := cmp.Diff([]string{"h:redacted"}, b.effects()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAHookIsSent(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sent")
	h := fake(t, "h", "keep", file)
	h.Event, h.Env["OWN"] = After, "yes"
	b := open(t, h)
	if err := b.After(t.Context(), aCall(`{"html":"<a>&","n":12345678901234567890}`), aResult()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line, environ, _ := strings.Cut(string(data), "\n")
	want := `{"event":"after_tool_call","hook":"h","callId":"c1:2","tool":{"id":"mcp:github:create_issue","source":"mcp","owner":"github","name":"create_issue","annotations":{},"trusted":false},` +
		`"args":{"html":"<a>&","n":12345678901234567890},"agent":"main","session":"s1","run":"r1","caller":"t1","door":"mcp","client":"codex","result":{"content":[{"type":"text","text":"card 4111"}],"details":{"card":4111}}}`
	if diff := cmp.Diff(want, line); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(environ, "PLAIN_SECRET") || !strings.Contains(environ, "OWN=yes") || !strings.Contains(environ, "PATH=") {
		t.Errorf("environment %s", environ)
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		want := Sign("key", r.Header.Get("X-Toolcrib-Timestamp"), body)
		if r.Method != "POST" || r.Header.Get("X-Toolcrib-Signature") != want || r.Header.Get("X-Toolcrib-Hook") != "h" || r.Header.Get("X-Own") != "yes" || r.Header.Get("Cookie") != "" {
			w.WriteHeader(400)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		if !strings.Contains(string(body), `"rewrite":true`) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		fmt.Fprint(w, `{"args": {"new": 1}}`)
	}))
	t.Cleanup(s.Close)
	b := open(t, Hook{Name: "h", Event: Before, URL: s.URL, Secret: "key", Headers: map[string]string{"X-Own": "yes", "X-Toolcrib-Signature": "forged"}, Timeout: time.Minute})
	for args, want := range map[string]string{`{"rewrite":true}`: `{"new": 1}`, `{"a":1}`: `{"a":1}`} {
		call := aCall(args)
		if _, err := b.Before(t.Context(), &call); err != nil || string(call.Args) != want {
			t.Errorf("%s became %s, %v", args, call.Args, err)
		}
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	counting := Hook{Name: "count", Event: Before, Timeout: 5 * time.Minute, BeforeFunc: func(context.Context, *Call) (Verdict, error) {
		n := now.Add(1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		time.Sleep(time.Millisecond)
		now.Add(-1)
		return Verdict{}, nil
	}}
	word := Hook{Name: "word", Event: Before, Command: "/bin/sh", Args: []string{"-c", `echo '{"args": {"words":["x"]}}'`}, Timeout: 5 * time.Minute}
	b := openWith(t, Options{Hooks: []Hook{counting, word}, Parallel: 4})
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			call := aCall(`{}`)
			if _, err := b.Before(t.Context(), &call); err != nil || string(call.Args) != `{"words":["x"]}` {
				t.Errorf("%s, %v", call.Args, err)
			}
		})
	}
	all.Wait()
	if n := most.Load(); n > 4 {
		t.Errorf("%d runs at once", n)
	}
}

func TestNoTurnIsANo(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	entered := make(chan struct{}, 1)
	b := openWith(t, Options{Parallel: 1, Hooks: []Hook{{Name: "h", Event: Before, Timeout: 100 * time.Millisecond, BeforeFunc: func(context.Context, *Call) (Verdict, error) {
		entered <- struct{}{}
		<-hold
		return Verdict{}, nil
	}}}})
	call := aCall(`{}`)
	_, first := b.Before(t.Context(), &call)
	<-entered
	_, second := b.Before(t.Context(), &call) // the first function still has the turn
	close(hold)
	refused(t, first, toolcrib.KindBlocked, "no answer within")
	refused(t, second, toolcrib.KindBlocked, "it had no turn within")
}

func TestNoisyHookIsHeard(t *testing.T) {
	t.Parallel()
	b := open(t, fake(t, "h", "noisy"))
	call := aCall(`{}`)
	if _, err := b.Before(t.Context(), &call); err != nil {
		t.Error(err)
	}
}

func TestABigCall(t *testing.T) {
	t.Parallel()
	big := `{"x":"` + strings.Repeat("y", 4<<20) + `"}`
	b := open(t, fake(t, "reads", "append", "x"), Hook{Name: "deaf", Event: Before, Command: "/bin/true", Timeout: time.Minute})
	call := aCall(big)
	if _, err := b.Before(t.Context(), &call); err != nil {
		t.Error(err)
	}
}

func TestTheCallerGoesAway(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := open(t, Hook{Name: "h", Event: Before, BeforeFunc: func(ctx context.Context, _ *Call) (Verdict, error) { cancel(); <-ctx.Done(); return Verdict{}, nil }})
	call := aCall(`{}`)
	_, err := b.Before(ctx, &call)
	refused(t, err, toolcrib.KindCanceled, "it did not run")
}

func TestHooksThatCannotBe(t *testing.T) {
	t.Parallel()
	host := NewHost(HostOptions{})
	defer host.Close()
	for _, hooks := range [][]Hook{
		{{Name: "a b", Event: Before, Command: "x"}},
		{{Name: "h", Event: "never", Command: "x"}},
		{{Name: "h", Event: Before}},
		{{Name: "h", Event: Before, Command: "x", URL: "http://x"}},
		{{Name: "h", Event: After, BeforeFunc: func(context.Context, *Call) (Verdict, error) { return Verdict{}, nil }}},
		{{Name: "h", Event: Before, Command: "x"}, {Name: "h", Event: Before, Command: "y"}},
	} {
		if _, err := New(Options{Hooks: hooks, Host: host}); toolcrib.KindOf(err) != toolcrib.KindConfig {
			t.Errorf("%+v: %v", hooks, err)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"", `{}`, `{"decision":"ask","approval":{"title":"x","timeoutMs":1}}`, `{"args":{"a":1}}`, `{"result":{"content":[{"type":"text","text":"x"}]}}`, `{"decision":"block","decision":"allow"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, event := range Events() {
			a, err := parseAnswer(event, []byte(text))
			if err != nil {
				continue
			}
			if !json.Valid([]byte(text)) {
				t.Fatalf("%q was taken as an answer", text)
			}
			if a.args != nil && checkArgs(a.args) != nil || a.args != nil && event == After || a.result != nil && event == Before {
				t.Fatalf("%q at %s: args %s, result %v", text, event, a.args, a.result)
			}
			if a.decision != Allow && a.decision != Block && (a.decision != Ask || event == After) {
				t.Fatalf("%q: decision %q", text, a.decision)
			}
		}
	})
}

func BenchmarkCommand(b *testing.B) {
	benchmark(b, Hook{Name: "h", Event: Before, Command: "/bin/true", Timeout: time.Minute})
}

func BenchmarkWebhook(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, `{"decision":"allow"}`)
	}))
	defer s.Close()
	benchmark(b, Hook{Name: "h", Event: Before, URL: s.URL, Secret: "key", Timeout: time.Minute})
}

func benchmark(b *testing.B, h Hook) {
	r := open(b, h)
	for b.Loop() {
		call := aCall(`{"a":1}`)
		if _, err := r.Before(b.Context(), &call); err != nil {
			b.Fatal(err)
		}
	}
}
