package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

// failure is one way in which a hook is no clear yes.
type failure struct {
	name string
	hook Hook
	says string
}

// bothEvents are the failures of a hook whatever its event.
func bothEvents(t *testing.T) []failure {
	quick := func(h Hook) Hook { h.Timeout = 300 * time.Millisecond; return h }
	return []failure{
		{"exit 1", fake(t, "h", "exit", "1", "oops"), "it exited with code 1"},
		{"exit 3", fake(t, "h", "exit", "3", ""), "it exited with code 3"},
		{"exit 2", fake(t, "h", "exit", "2", "too late in the day"), "blocked by hook h: too late in the day"},
		{"exit 2 in silence", fake(t, "h", "exit", "2", ""), "blocked by hook h: it gave no reason"},
		{"panic", fake(t, "h", "panic"), "blocked by hook h"}, // a Go program exits with 2, which blocks as well
		{"signal", fake(t, "h", "signal"), "it was ended by a signal"},
		{"hangs", quick(fake(t, "h", "hang", t.TempDir()+"/pids")), "it gave no answer within 300ms"},
		{"no such command", Hook{Command: "no-such-command-here"}, "its command was not found"},
		{"no such folder", Hook{Command: "/bin/true", Cwd: "/no/such/folder"}, "its command can't be started"},
		{"prints more than 1 MiB", fake(t, "h", "endless"), "longer than 1 MiB"},
		{"no JSON", fake(t, "h", "say", "all good"), "not a JSON object"},
		{"half JSON", fake(t, "h", "say", `{"decision": "allow"`), "not JSON"},
		{"two objects", fake(t, "h", "say", `{"decision": "block"} {"decision": "allow"}`), "more than one JSON object"},
		{"a list", fake(t, "h", "say", `[{"decision": "allow"}]`), "not a JSON object"},
		{"null", fake(t, "h", "say", `null`), "not a JSON object"},
		{"a misspelt key", fake(t, "h", "say", `{"desicion": "block"}`), `unknown key "desicion"`},
		{"a key in capitals", fake(t, "h", "say", `{"Decision": "allow"}`), `unknown key "Decision"`},
		{"a key twice", fake(t, "h", "say", `{"decision": "block", "decision": "allow"}`), `"decision" twice`},
		{"another decision", fake(t, "h", "say", `{"decision": "yes"}`), `none of allow, block and ask`},
		{"an empty decision", fake(t, "h", "say", `{"decision": ""}`), `none of allow, block and ask`},
		{"null decision", fake(t, "h", "say", `{"decision": null}`), `"decision" in its answer is not a string`},
		{"a number", fake(t, "h", "say", `{"decision": 1}`), `"decision" in its answer is not a string`},
		{"not UTF-8", fake(t, "h", "say", "{\"reason\": \"\xff\"}"), "not UTF-8"},
		{"blocks", fake(t, "h", "say", `{"decision": "block", "reason": "no\u0007pe"}`), "blocked by hook h: nope"},
		{"an approval without ask", fake(t, "h", "say", `{"approval": {"title": "x"}}`), ""},
	}
}

// beforeOnly are failures of a hook before a call.
func beforeOnly(t *testing.T) []failure {
	return []failure{
		{"args null", fake(t, "h", "say", `{"args": null}`), "not a JSON object"},
		{"args list", fake(t, "h", "say", `{"args": [1]}`), "not a JSON object"},
		{"args text", fake(t, "h", "say", `{"args": "{}"}`), "not a JSON object"},
		{"a result", fake(t, "h", "say", `{"result": {"content": []}}`), "has not run yet"},
		{"asks with nothing to allow", fake(t, "h", "say", `{"decision": "ask", "approval": {"decisions": ["deny"]}}`), "no way to allow"},
		{"asks for another decision", fake(t, "h", "say", `{"decision": "ask", "approval": {"decisions": ["allow-once", "maybe"]}}`), "none of allow-once"},
		{"asks in another severity", fake(t, "h", "say", `{"decision": "ask", "approval": {"severity": "red"}}`), "none of info"},
		{"asks for no time", fake(t, "h", "say", `{"decision": "ask", "approval": {"timeoutMs": 0}}`), "no time"},
		{"asks with an unknown key", fake(t, "h", "say", `{"decision": "ask", "approval": {"titel": "x"}}`), `"approval.titel"`},
		{"asks with no object", fake(t, "h", "say", `{"decision": "ask", "approval": "x"}`), "approval"},
	}
}

// afterOnly are failures of a hook after a call.
func afterOnly(t *testing.T) []failure {
	return []failure{
		{"asks", fake(t, "h", "say", `{"decision": "ask"}`), "did run already"},
		{"args", fake(t, "h", "say", `{"args": {}}`), "did run already"},
		{"result null", fake(t, "h", "say", `{"result": null}`), "result"},
		{"result text", fake(t, "h", "say", `{"result": "x"}`), "result"},
		{"unknown key", fake(t, "h", "say", `{"result": {"contents": []}}`), `"result.contents"`},
		{"content null", fake(t, "h", "say", `{"result": {"content": null}}`), "wrong type"},
		{"a block without type", fake(t, "h", "say", `{"result": {"content": [{"text": "x"}]}}`), "block 1"},
	}
}

func TestNoFailureLetsACallRun(t *testing.T) {
	t.Parallel()
	for _, f := range append(bothEvents(t), append(beforeOnly(t), append(webFailures(t), goBefore()...)...)...) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.hook.Name, f.hook.Event = "h", Before
			b := open(t, f.hook)
			call := aCall(`{"a":1}`)
			asks, err := b.Before(t.Context(), &call)
			refused(t, err, toolcrib.KindBlocked, f.says, "hook h", "it did not run")
			if len(asks) > 0 || string(call.Args) != `{"a":1}` {
				t.Errorf("asks %v, args %s", asks, call.Args)
			}
			if got := b.effects(); len(got) != 1 || got[0] != "h:failed" && got[0] != "h:blocked" {
				t.Errorf("recorded %v", got)
			}
		})
	}
}

func TestNoFailureShowsAResult(t *testing.T) {
	t.Parallel()
	for _, f := range append(bothEvents(t), append(afterOnly(t), append(webFailures(t), goAfter()...)...)...) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.hook.Name, f.hook.Event = "h", After
			b := open(t, f.hook)
			err := b.After(t.Context(), aCall(`{}`), aResult())
			refused(t, err, toolcrib.KindBlocked, f.says, "hook h", "the tool did run, but its result is withheld")
			if got := b.effects(); len(got) != 1 || got[0] != "h:failed" && got[0] != "h:withheld" {
				t.Errorf("recorded %v", got)
			}
		})
	}
}

// webFailures are those of webhooks.
func webFailures(t *testing.T) []failure {
	t.Helper()
	serve := func(f http.HandlerFunc) Hook {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // a server notices that a client has gone when it has read all
			f(w, r)
		}))
		t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
		return Hook{URL: s.URL + "/hunter2"}
	}
	answers := func(code int, text string) Hook {
		return serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); fmt.Fprint(w, text) })
	}
	allow := `{"decision": "allow"}`
	slow := serve(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	slow.Timeout = 200 * time.Millisecond
	drip := serve(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"decision"`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	drip.Timeout = 200 * time.Millisecond
	return []failure{
		{"web 500", answers(500, allow), "its endpoint answered 500"},
		{"web 404", answers(404, allow), "its endpoint answered 404"},
		{"web 401", answers(401, allow), "its endpoint answered 401"},
		{"web redirect", serve(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/yes" {
				fmt.Fprint(w, allow)
				return
			}
			http.Redirect(w, r, "/yes", http.StatusTemporaryRedirect)
		}), "redirects are not followed"},
		{"web empty", answers(200, ""), "not a JSON object"},
		{"web page", answers(200, "<html>hello</html>"), "not a JSON object"},
		{"web other keys", answers(200, `{"ok": true}`), `unknown key "ok"`},
		{"web too long", answers(200, `{"reason": "`+strings.Repeat("x", 1<<20)+`"}`), "longer than 1 MiB"},
		{"web slow", slow, "it gave no answer within 200ms"},
		{"web drips", drip, "it gave no answer within 200ms"},
		{"web cut", serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, allow)
		}), "its endpoint can't be reached"},
		{"web gone", Hook{URL: "http://127.0.0.1:1/"}, "its endpoint can't be reached"},
		{"web no TLS", func() Hook { h := answers(200, allow); h.URL = strings.Replace(h.URL, "http:", "https:", 1); return h }(), "its endpoint can't be reached"},
	}
}

func goBefore() []failure {
	before := func(f func(context.Context, *Call) (Verdict, error)) Hook {
		return Hook{BeforeFunc: f, Timeout: 200 * time.Millisecond}
	}
	return []failure{
		{"go error", before(func(context.Context, *Call) (Verdict, error) { return Verdict{}, errors.New("password is hunter2") }), "it returned an error"},
		{"go panic", before(func(context.Context, *Call) (Verdict, error) { panic("hunter2") }), "it crashed"},
		{"go slow", before(func(ctx context.Context, _ *Call) (Verdict, error) { <-ctx.Done(); return Verdict{}, nil }), "no answer within"},
		{"go deaf", before(func(context.Context, *Call) (Verdict, error) { select {} }), "no answer within"},
		{"go other decision", before(func(context.Context, *Call) (Verdict, error) { return Verdict{Decision: "yes"}, nil }), "none of allow"},
		{"go block", before(func(context.Context, *Call) (Verdict, error) { return Verdict{Decision: Block, Reason: "no"}, nil }), "blocked by hook h: no"},
		{"go args", before(func(_ context.Context, c *Call) (Verdict, error) {
			c.Args = json.RawMessage(`7`)
			return Verdict{}, nil
		}), "not a JSON object"},
		{"go no args", before(func(_ context.Context, c *Call) (Verdict, error) { c.Args = nil; return Verdict{}, nil }), "not a JSON object"},
	}
}

func goAfter() []failure {
	after := func(f func(context.Context, Call, *toolcrib.Result) error) Hook {
		return Hook{AfterFunc: f, Timeout: 200 * time.Millisecond}
	}
	return []failure{
		{"go error", after(func(context.Context, Call, *toolcrib.Result) error { return errors.New("x") }), "it returned an error"},
		{"go panic", after(func(context.Context, Call, *toolcrib.Result) error { panic("x") }), "it crashed"},
		{"go deaf", after(func(context.Context, Call, *toolcrib.Result) error { select {} }), "no answer within"},
		{"go bad details", after(func(_ context.Context, _ Call, r *toolcrib.Result) error {
			r.Details = json.RawMessage(`{`)
			return nil
		}), "not JSON"},
	}
}
