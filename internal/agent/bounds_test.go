package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// forever is a model that calls a tool again and again.
func forever(modelmock.Prompt) modelmock.Turn {
	return modelmock.Turn{Text: "on", Calls: []modelmock.Call{use("mine", `{}`)}}
}

func TestBudgetsEndWithANotice(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		for stopped, budgets := range map[string]Budgets{
			"steps":  {Steps: 3},
			"tokens": {Tokens: 300}, // the mock takes 110 a step
			"time":   {Time: time.Nanosecond},
		} {
			tools := &box{tools: []model.Tool{tool("mine")}, call: calls{"mine": say("of mine")}}
			b := newBench(t, forever, tools)
			b.work.Budgets = budgets
			h := b.ask(stream, "", user)
			if h.Outcome.Stopped != stopped || h.Reason != "length" || !strings.Contains(h.Text, "[Stopped before the work was done: the run has used its") || h.Done != stream {
				t.Errorf("%s: %+v", stopped, h)
			}
			if stopped != "time" && (h.Outcome.Steps != 3 || len(tools.ran) != 2) {
				t.Errorf("%s: %d steps, %d calls", stopped, h.Outcome.Steps, len(tools.ran))
			}
		}
	})
}

func TestStepsCountOverTheWholeRun(t *testing.T) {
	b := newBench(t, func(modelmock.Prompt) modelmock.Turn { return modelmock.Use("body", `{}`) }, bodyBox([]string{"x"}))
	b.work.Budgets.Steps = 2
	h := b.ask(false, "", user)
	h = b.ask(false, "", user, h.message(), result(h.Calls[0].ID, "X"))
	if h.Outcome.Stopped != "steps" || h.Outcome.Steps != 2 {
		t.Errorf("%+v", h)
	}
}

// The time that a tool takes counts, and its context ends with it.
func TestTheTimeEndsATool(t *testing.T) {
	b := newBench(t, forever, &box{tools: []model.Tool{tool("mine")}, call: calls{"mine": func(ctx context.Context, _ model.Call) Answer {
		<-ctx.Done()
		return Answer{Text: "cut off"}
	}}})
	b.work.Budgets.Time = 50 * time.Millisecond
	if h := b.ask(true, "", user); h.Outcome.Stopped != "time" || h.Reason != "length" {
		t.Errorf("%+v", h)
	}
}

// A caller that hangs up ends its tools, and its model.
func TestHangingUpEndsEverything(t *testing.T) {
	ctx, hangUp := context.WithCancel(t.Context())
	b := newBench(t, forever, &box{tools: []model.Tool{tool("mine")}, call: calls{"mine": func(ctx context.Context, _ model.Call) Answer {
		hangUp()
		<-ctx.Done()
		return Answer{Text: "cut off"}
	}}})
	_, err := b.try(ctx, true, "", user)
	if toolcrib.KindOf(err) != toolcrib.KindCanceled || len(b.mock.Exchanges()) != 1 {
		t.Errorf("%v after %d requests", err, len(b.mock.Exchanges()))
	}

	upstream := make(chan struct{})
	slow := benchOver(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"id":"a","choices":[{"index":0,"delta":{"role":"assistant","content":"wait"}}]}`+"\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(upstream)
	}), nil, &box{})
	ctx, hangUp = context.WithCancel(t.Context())
	slow.work.Sink = &sink{onWrite: hangUp}
	if _, err := slow.try(ctx, true, "", user); toolcrib.KindOf(err) != toolcrib.KindCanceled {
		t.Error(err)
	}
	<-upstream
}

// failing answers the requests from the n-th on with an error.
func failing(mock *modelmock.Server, n int, fail http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(mock.Exchanges()) >= n-1 {
			fail(w, r)
			return
		}
		mock.ServeHTTP(w, r)
	})
}

func TestWhatTheProviderRefusesIsPassedOn(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		const body = `{"error": {"message": "slow down", "code": 1.0}}`
		refuse := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.Header().Set("Set-Cookie", "a=b")
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(w, body)
		}
		tools := &box{tools: []model.Tool{tool("mine")}, call: calls{"mine": say("of mine")}}
		for n, silent := range []bool{true, false} {
			mock := modelmock.New(func(modelmock.Prompt) modelmock.Turn { return modelmock.Use("mine", `{}`) })
			b := benchOver(t, failing(mock, n+1, refuse), mock, tools)
			h, err := b.try(t.Context(), stream, "", user)
			var refusal *model.Refusal
			if !errors.As(err, &refusal) || refusal.Status != 429 || string(refusal.Body) != body || refusal.Header.Get("Retry-After") != "7" || refusal.Header.Get("Set-Cookie") != "" {
				t.Errorf("step %d: %v %+v", n+1, err, refusal)
			}
			if !h.Outcome.Begun && silent == (refusal.Header.Get("X-Should-Retry") == "false") {
				t.Errorf("step %d: a client that tries again would run tools again: %v", n+1, refusal.Header)
			}
			if h.Outcome.Begun != (h.Raw != "") || h.Outcome.Begun && h.Error != "slow down" {
				t.Errorf("step %d: %+v", n+1, h)
			}
		}
	})
}

func TestAStreamThatBreaksEndsInAnError(t *testing.T) {
	const begin = `data: {"id":"a","choices":[{"index":0,"delta":{"role":"assistant","content":"Let"}}]}` + "\n\n"
	for name, c := range map[string]struct{ rest, want string }{
		"the end in the middle": {"", "ends in the middle"},
		"no JSON":               {"data: {\n\n", "no JSON object"},
		"an error in it":        {"data: {\"error\":{\n\ndata: \"message\":\"overloaded\"}}\n\n", "no JSON object"},
		"an error":              {"data: {\"error\":{\"message\":\"overloaded\"}}\n\n", "overloaded"},
	} {
		b := benchOver(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, begin+c.rest)
		}), nil, &box{})
		h, err := b.try(t.Context(), true, "", user)
		if err == nil || !h.Outcome.Begun || h.Text != "Let" || !strings.Contains(h.Error, c.want) || h.Done {
			t.Errorf("%s: %v %+v", name, err, h)
		}
	}
}

// An answer that was cut off has perhaps half a call.
func TestCallsOfACutAnswerAreNotRun(t *testing.T) {
	tools := &box{tools: []model.Tool{tool("mine")}, call: calls{"mine": say("of mine")}}
	b := benchOver(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"I will","tool_calls":[{"id":"a","type":"function","function":{"name":"mine","arguments":"{\"a"}}]},"finish_reason":"length"}]}`)
	}), nil, tools)
	if h := b.ask(false, "", user); h.Reason != "length" || h.Text != "I will" || len(h.Calls) != 0 || len(tools.ran) != 0 {
		t.Errorf("%+v, ran %q", h, tools.ran)
	}
}

// noStore can't keep anything.
type noStore struct{ Memory }

func (*noStore) Save(context.Context, Run) error { return errors.New("disk full at /secret") }

func TestWhatCanNotBeKeptIsNotHandedOut(t *testing.T) {
	tools, members := mixedBox()
	b := newBench(t, mixed(), tools)
	b.agent.opt.Store = &noStore{*NewMemory(MemoryOptions{})}
	h, err := b.try(t.Context(), false, members, user)
	if toolcrib.KindOf(err) != toolcrib.KindUnavailable || strings.Contains(err.Error(), "secret") || h.Raw != "" {
		t.Errorf("%v %+v", err, h)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	now := time.Unix(0, 0)
	m := NewMemory(MemoryOptions{Runs: 3, Bytes: 2000, Age: time.Hour, Now: func() time.Time { return now }})
	save := func(id string, size int) {
		t.Helper()
		r := Run{ID: id, Session: strings.Repeat("x", size), Segments: []Segment{{Waiting: []Waiting{{Wants: []Wanted{{ID: "call" + id, Here: true}}}}}}}
		if err := m.Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	has := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			if _, ok, err := m.Find(t.Context(), "call"+id); !ok || err != nil {
				t.Errorf("%s isn't kept: %v", id, err)
			}
		}
		if m.Len() != len(ids) {
			t.Errorf("%d are kept, want %q", m.Len(), ids)
		}
	}
	for _, id := range []string{"a", "b", "c", "b", "d"} {
		save(id, 10)
	}
	has("c", "b", "d")
	save("e", 1900)
	has("e")
	save("f", 5000)
	has("f")
	now = now.Add(2 * time.Hour)
	has()
}
