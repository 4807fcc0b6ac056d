package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// member is a member of the n-th request that the model got.
func (b *bench) member(n int, key string) string {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(b.mock.Exchanges()[n].Body, &body); err != nil {
		b.t.Fatal(err)
	}
	return string(body[key])
}

func TestTheDutyToCallAToolEndsWithACall(t *testing.T) {
	tools := &box{tools: []model.Tool{tool("find"), tool("mine")}, call: calls{
		"mine": say("of mine"), "find": func(context.Context, model.Call) Answer { return Answer{Text: "found", Lookup: true} },
	}}
	b := newBench(t, modelmock.Steps(modelmock.Use("find", `{}`), modelmock.Use("mine", `{}`), modelmock.Text("Good.")), tools)
	b.ask(false, `"tool_choice": "required",`, user)
	var got []string
	for n := range 3 {
		got = append(got, b.member(n, "tool_choice"))
	}
	if diff := cmp.Diff([]string{`"required"`, `"required"`, `"auto"`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAToolThatMustBeCalledHasToBeThere(t *testing.T) {
	tools, members := mixedBox()
	b := newBench(t, mixed(), tools)
	_, err := b.try(t.Context(), false, members+`"tool_choice":{"type":"function","function":{"name":"hidden"}},`, user)
	if toolcrib.KindOf(err) != toolcrib.KindInput || !strings.Contains(err.Error(), "hidden") {
		t.Error(err)
	}
	if _, err := b.try(t.Context(), false, members+`"tool_choice":{"type":"function","function":{"name":"theirs"}},`, user); err != nil {
		t.Error(err)
	}
}

// Tools that come during a run stand after those which were there, and the
// bytes before them stay.
func TestToolsMayBeAddedDuringARun(t *testing.T) {
	tools := &box{tools: []model.Tool{tool("mine")}}
	tools.call = calls{"mine": func(context.Context, model.Call) Answer {
		tools.mu.Lock()
		defer tools.mu.Unlock()
		tools.tools = append(tools.tools, tool("more"))
		return Answer{Text: "ok"}
	}}
	b := newBench(t, modelmock.Steps(modelmock.Use("mine", `{}`), modelmock.Text("Good.")), tools)
	b.work.System = "There are tools:\n<a>"
	b.ask(false, "", `{"role":"developer","content":"Be kind."}`, user)
	first, second := b.member(0, "tools"), b.member(1, "tools")
	if !strings.HasPrefix(second, strings.TrimSuffix(first, "]")+",") {
		t.Errorf("%s, then %s", first, second)
	}
	if want := `[{"role":"developer","content":"Be kind."},{"role":"developer","content":"There are tools:\n<a>"},` + user; !strings.HasPrefix(b.lastMessages(), want) {
		t.Errorf("%s, want %s", b.lastMessages(), want)
	}
}

// Where the answer is to be JSON, what the model says before it is left out.
func TestAnAnswerInJSONIsNotMixedWithOtherText(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		b := newBench(t, modelmock.Steps(
			modelmock.Turn{Text: "Let me see.", Calls: []modelmock.Call{use("mine", `{}`)}}, modelmock.Text(`{"sky":"blue"}`),
		), &box{tools: []model.Tool{tool("mine")}, call: calls{"mine": say("of mine")}})
		if h := b.ask(stream, `"response_format":{"type":"json_object"},`, user); h.Text != `{"sky":"blue"}` || h.Reason != "stop" {
			t.Errorf("%+v", h)
		}
	})
}

// Tools of a kind that only the caller knows are offered as they are, and their
// calls handed over as they came.
func TestToolsOfOtherKindsAreTheCallers(t *testing.T) {
	const custom = `{"type":"custom", "custom":{"name":"grep","format":{"type":"text"}}}`
	const hosted = `{"type":"web_search_preview","size":1.0}`
	const call = `{"id":"c1","type":"custom","custom":{"name":"grep","input":"a b"},"extra":{"sig":"x"}}`
	n := 0
	var bodies []string
	tools := &box{tools: []model.Tool{tool("mine")}}
	b := benchOver(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Tools, Messages json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		bodies = append(bodies, string(body.Tools), string(body.Messages))
		w.Header().Set("Content-Type", "application/json")
		if n++; n == 1 {
			fmt.Fprint(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[`+call+`]},"finish_reason":"tool_calls"}]}`)
			return
		}
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"Good."},"finish_reason":"stop"}]}`)
	}), nil, tools)
	members := `"tools":[` + custom + `,` + hosted + `],`
	h := b.ask(false, members, user)
	if want := strings.Replace(call, "c1", h.Calls[0].ID, 1); !strings.Contains(h.Raw, want) {
		t.Errorf("%s, want %s in it", h.Raw, want)
	}
	if !strings.HasSuffix(bodies[0], ","+custom+","+hosted+"]") || len(tools.ran) != 0 {
		t.Errorf("offered %s, ran %q", bodies[0], tools.ran)
	}
	sent := fmt.Sprintf(`{"role":"tool", "tool_call_id":%q,"content":[{"type":"text","text":"hit","n":1.0}]}`, h.Calls[0].ID)
	b.ask(false, members, user, h.message(), sent)
	if want := strings.Replace(sent, h.Calls[0].ID, "c1", 1); !strings.Contains(bodies[3], want) || !strings.Contains(bodies[3], call) {
		t.Errorf("%s, want %s and %s in it", bodies[3], want, call)
	}
}

// An older form of request, or one for several choices, passes as it is.
func TestBareRequestsPass(t *testing.T) {
	const answer = `{"id":"x" ,"choices":[{"index":0,"message":{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},"finish_reason":"function_call"},{"index":1,"message":{"content":"b"}}],"usage":{"total_tokens":3}}`
	for _, members := range []string{`"functions":[{"name":"f"}],`, `"n":2,`} {
		var got string
		b := benchOver(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var raw json.RawMessage
			if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
				t.Error(err)
			}
			got = string(raw)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, answer)
		}), nil, &box{tools: []model.Tool{tool("mine")}})
		b.work.System = "more"
		h := b.ask(false, members, user)
		want := `{"model":"m","stream":false,"stream_options":{"include_usage":true},` + members + `"messages":[` + user + `]}`
		if got != want || h.Raw != answer {
			t.Errorf("%s became %s\nanswered %s", want, got, h.Raw)
		}
	}
}

// What happens is told as it happens.
func TestATurnIsObserved(t *testing.T) {
	tools, members := mixedBox()
	b := newBench(t, mixed(), tools)
	var got []string
	b.work.Observe = func(e Event) {
		line := fmt.Sprintf("%d %s %s%s", e.Step, e.Kind, e.Text, e.Call.Name)
		if e.Kind == EventAsk {
			line += fmt.Sprintf("%d tools of %d bytes", e.Tools, e.ToolBytes)
			if e.Bytes <= e.ToolBytes {
				t.Errorf("%+v", e)
			}
		}
		if e.Kind != EventCall && e.Kind != EventResult { // these come in any order
			got = append(got, line)
		}
	}
	b.ask(true, members, user)
	size := len(b.member(0, "tools"))
	want := []string{fmt.Sprintf("1 ask 2 tools of %d bytes", size), "1 text Fir", "1 text st.", "1 said ", "1 hand theirs"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
