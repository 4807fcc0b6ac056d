package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/model"
	"github.com/toolcrib/toolcrib/internal/modelmock"
)

// mixed is a model that calls a tool of ours and one of the caller's in one step.
func mixed() modelmock.Script {
	return modelmock.Steps(
		modelmock.Turn{Text: "First.", Calls: []modelmock.Call{use("mine", `{"a":1}`), use("theirs", `{"b":2}`)}},
		modelmock.Use("mine", `{"a":3}`),
		modelmock.Use("theirs", `{"b":4}`),
		modelmock.Text("All done."),
	)
}

func mixedBox() (*box, string) {
	theirs, raw := clientTool("theirs")
	return &box{tools: []model.Tool{theirs, tool("mine")}, call: calls{"mine": say("of mine")}}, `"tools":[` + raw + `],`
}

// trueHistory is what the model must have seen before its last answer, whatever
// the caller's own history is like.
const trueHistory = `[{"role":"user","content":"go"},` +
	`{"role":"assistant","content":"First.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"mine","arguments":"{\"a\":1}"}},{"id":"call_2","type":"function","function":{"name":"theirs","arguments":"{\"b\":2}"}}]},` +
	`{"role":"tool","tool_call_id":"call_1","content":"of mine"},` +
	`{"role":"tool","tool_call_id":"call_2","content":"one"},` +
	`{"role":"assistant","content":"","tool_calls":[{"id":"call_3","type":"function","function":{"name":"mine","arguments":"{\"a\":3}"}}]},` +
	`{"role":"tool","tool_call_id":"call_3","content":"of mine"},` +
	`{"role":"assistant","content":"","tool_calls":[{"id":"call_4","type":"function","function":{"name":"theirs","arguments":"{\"b\":4}"}}]},` +
	`{"role":"tool","tool_call_id":"call_4","content":"two"}]`

// sorted writes JSON with its members in order, to compare what comes whole
// with what comes in pieces.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestTheCallersToolsAreHandedToIt(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		tools, members := mixedBox()
		b := newBench(t, mixed(), tools)
		first := b.ask(stream, members, user)
		if len(first.Calls) != 1 || first.Calls[0].Name != "theirs" || first.Calls[0].Args != `{"b":2}` || first.Reason != "tool_calls" || first.Text != "First." {
			t.Fatalf("%+v", first)
		}
		if id := first.Calls[0].ID; !regexp.MustCompile(`^[a-z0-9]{1,40}$`).MatchString(id) || first.Outcome.Handed != 1 {
			t.Errorf("id %q, %+v", id, first.Outcome)
		}
		second := b.ask(stream, members, user, first.message(), result(first.Calls[0].ID, "one"))
		if len(second.Calls) != 1 || second.Calls[0].Args != `{"b":4}` {
			t.Fatalf("%+v", second)
		}
		third := b.ask(stream, members, user, first.message(), result(first.Calls[0].ID, "one"), second.message(), result(second.Calls[0].ID, "two"))
		if third.Text != "All done." || third.Reason != "stop" || third.Outcome.Steps != 4 {
			t.Errorf("%+v", third)
		}
		if diff := cmp.Diff(sorted(t, trueHistory), sorted(t, b.lastMessages())); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{`mine{"a":1}`, `theirs{"b":2}`, `mine{"a":3}`, `theirs{"b":4}`}, tools.ran, cmp.Transformer("set", func(s []string) map[string]int {
			m := map[string]int{}
			for _, x := range s {
				m[x]++
			}
			return m
		})); diff != "" {
			t.Error(diff)
		}
	})
}

// What a later request of the same conversation repeats of a run is the same to
// the byte, so that a provider's cache keeps hitting.
func TestARunStaysInTheHistoryAsItWas(t *testing.T) {
	tools, members := mixedBox()
	b := newBench(t, mixed(), tools)
	first := b.ask(false, members, user)
	history := []string{user, first.message(), result(first.Calls[0].ID, "one")}
	second := b.ask(false, members, history...)
	for _, more := range [][]string{{second.message(), result(second.Calls[0].ID, "two")}, {`{"role":"assistant","content":"All done."}`, user}} {
		history = append(history, more...)
		before := b.lastMessages()
		b.ask(false, members, history...)
		if after := b.lastMessages(); !strings.HasPrefix(after, strings.TrimSuffix(before, "]")+",") {
			t.Errorf("before %s\nafter %s", before, after)
		}
	}
}

// A store keeps what the model said to the byte.
func TestWhatTheModelSaidIsKeptAsItWas(t *testing.T) {
	said := `{ "role":"assistant" , "content":"<b> & é\u00e9", "n":1.0 }`
	r := Run{ID: "r", Segments: []Segment{{Steps: []model.Step{{Said: model.Verbatim(said)}}, Waiting: []Waiting{{Wants: []Wanted{{ID: "call1", Here: true}}}}}}}
	m := NewMemory(MemoryOptions{})
	if err := m.Save(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	kept, ok, err := m.Find(t.Context(), "call1")
	if !ok || err != nil || string(kept.Segments[0].Steps[0].Said) != said {
		t.Errorf("%v %+v", err, kept)
	}
}

func TestIDsAreKnownAgainHoweverTheyAreWritten(t *testing.T) {
	for _, mangle := range []func(string) string{
		strings.ToUpper,
		func(s string) string { return s[:4] + "_" + s[4:] },
		func(s string) string { return strings.ReplaceAll(s, "", "-") },
	} {
		tools, members := mixedBox()
		b := newBench(t, mixed(), tools)
		h := b.ask(false, members, user)
		h.Calls[0].ID = mangle(h.Calls[0].ID)
		b.ask(false, members, user, h.message(), result(h.Calls[0].ID, "one"))
		if !strings.Contains(b.lastMessages(), "of mine") || strings.Contains(b.lastMessages(), h.Calls[0].ID) {
			t.Errorf("the run of %q isn't known: %s", h.Calls[0].ID, b.lastMessages())
		}
	}
}

// bodyBox has a tool of ours that wants the caller to run things: the lists of
// names in stages, all of one stage at a time.
func bodyBox(stages ...[]string) *box {
	wants := func(stage int) Answer {
		a := Answer{State: json.RawMessage(fmt.Sprint(stage))}
		for _, name := range stages[stage] {
			a.Wants = append(a.Wants, Want{Key: name, Name: name, Args: fmt.Sprintf(`{"of":%q}`, name)})
		}
		return a
	}
	b := &box{tools: []model.Tool{tool("body")}, call: calls{"body": func(context.Context, model.Call) Answer { return wants(0) }}}
	b.resume = func(_ context.Context, r Resumption) Answer {
		var stage int
		if err := json.Unmarshal(r.State, &stage); err != nil {
			return Answer{Text: err.Error()}
		}
		var said []string
		for _, d := range r.Results {
			if d.Missing {
				d.Text = "nothing"
			}
			said = append(said, d.Key+" says "+d.Text)
		}
		b.note(strings.Join(said, ", "))
		if stage++; stage < len(stages) {
			return wants(stage)
		}
		return Answer{Text: "the body is done"}
	}
	return b
}

func bodyScript() modelmock.Script {
	return modelmock.Steps(modelmock.Use("body", `{}`), modelmock.Text("Good."))
}

func TestABodyGoesOnInTheMiddle(t *testing.T) {
	both(t, func(t *testing.T, stream bool) {
		tools := bodyBox([]string{"x", "y"}, []string{"z"})
		b := newBench(t, bodyScript(), tools)
		first := b.ask(stream, "", user)
		if len(first.Calls) != 2 || first.Calls[1].Name != "y" || first.Calls[1].Args != `{"of":"y"}` {
			t.Fatalf("%+v", first)
		}
		history := []string{user, first.message(), result(first.Calls[1].ID, "Y"), result(first.Calls[0].ID, "X")}
		second := b.ask(stream, "", history...)
		if len(second.Calls) != 1 || second.Calls[0].Name != "z" || second.Reason != "tool_calls" || len(b.mock.Prompts()) != 1 {
			t.Fatalf("%+v after %d requests", second, len(b.mock.Prompts()))
		}
		if again := b.ask(stream, "", history...); cmp.Diff(second.Calls, again.Calls) != "" {
			t.Errorf("asked again: %+v, want %+v", again.Calls, second.Calls)
		}
		third := b.ask(stream, "", append(history, second.message(), result(second.Calls[0].ID, "Z"))...)
		if third.Text != "Good." {
			t.Errorf("%+v", third)
		}
		want := `[{"role":"user","content":"go"},{"role":"assistant","content":"","tool_calls":[{"id":"call_1","type":"function","function":{"name":"body","arguments":"{}"}}]},` +
			`{"role":"tool","tool_call_id":"call_1","content":"the body is done"}]`
		if diff := cmp.Diff(sorted(t, want), sorted(t, b.lastMessages())); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"body{}", "resume body", "x says X, y says Y", "resume body", "z says Z"}, tools.ran); diff != "" {
			t.Error(diff)
		}
	})
}

func TestACallerThatTakesOneCallAtATimeGetsOne(t *testing.T) {
	tools := bodyBox([]string{"x", "y"})
	b := newBench(t, bodyScript(), tools)
	const serial = `"parallel_tool_calls":false,`
	first := b.ask(false, serial, user)
	history := []string{user, first.message(), result(first.Calls[0].ID, "X")}
	second := b.ask(false, serial, history...)
	if len(first.Calls) != 1 || len(second.Calls) != 1 || second.Calls[0].Name != "y" {
		t.Fatalf("%+v, then %+v", first.Calls, second.Calls)
	}
	third := b.ask(false, serial, append(history, second.message(), result(second.Calls[0].ID, "Y"))...)
	if third.Text != "Good." {
		t.Errorf("%+v", third)
	}
	if diff := cmp.Diff([]string{"body{}", "resume body", "x says X, y says Y"}, tools.ran); diff != "" {
		t.Error(diff)
	}
}

func TestTwoOwnCallsAreHandedOneAfterTheOther(t *testing.T) {
	theirs, raw := clientTool("theirs")
	b := newBench(t, modelmock.Steps(
		modelmock.Turn{Calls: []modelmock.Call{use("theirs", `{"n":1}`), use("theirs", `{"n":2}`)}}, modelmock.Text("Good."),
	), &box{tools: []model.Tool{theirs}})
	members := `"parallel_tool_calls":false,"tools":[` + raw + `],`
	first := b.ask(false, members, user)
	history := []string{user, first.message(), result(first.Calls[0].ID, "one")}
	second := b.ask(false, members, history...)
	third := b.ask(false, members, append(history, second.message(), result(second.Calls[0].ID, "two"))...)
	if third.Text != "Good." || second.Calls[0].Args != `{"n":2}` {
		t.Errorf("%+v, %+v", second, third)
	}
	if got := b.mock.Prompts()[1].Results; len(got) != 2 || got[0].Text != "one" || got[1].Text != "two" {
		t.Errorf("%+v", got)
	}
}

// A caller's history may come back in any state.
func TestHistoriesThatWereChanged(t *testing.T) {
	const late = `{"role":"user","content":"hurry"}`
	for name, c := range map[string]struct {
		history func(h heard) []string
		// wants are in the request that follows; wantsNot aren't.
		wants, wantsNot []string
		ran             string
		steps           int
	}{
		"a message after the result": {
			func(h heard) []string { return []string{user, h.message(), result(h.Calls[0].ID, "X"), late} },
			[]string{`"content":"the body is done"},{"role":"user","content":"hurry"}]`},
			nil, "x says X", 2,
		},
		"no result but another message": {
			func(h heard) []string { return []string{user, h.message(), late} },
			[]string{`sent no result`, `"content":"hurry"}]`},
			[]string{"the body is done"},
			"abandon body", 1,
		},
		"no result and nothing else": {
			func(h heard) []string { return []string{user, h.message()} },
			[]string{`sent no result`},
			nil, "abandon body", 1,
		},
		"the call is gone, its result stayed": {
			func(h heard) []string { return []string{user, result(h.Calls[0].ID, "X")} },
			[]string{`"name":"body"`, `"content":"the body is done"}]`},
			nil, "x says X", 2,
		},
		"the result twice": {
			func(h heard) []string {
				return []string{user, h.message(), result(h.Calls[0].ID, "X"), result(h.Calls[0].ID, "other")}
			},
			[]string{`"content":"the body is done"}]`},
			[]string{"other"},
			"x says X", 2,
		},
		"another begin": {
			func(h heard) []string {
				return []string{`{"role":"system","content":"new"}`, h.message(), result(h.Calls[0].ID, "X")}
			},
			[]string{`[{"role":"system","content":"new"},{"content":"",`, `"content":"the body is done"}]`},
			nil, "x says X", 2,
		},
		"other arguments": {
			func(h heard) []string {
				h.Calls[0].Args, h.Text = `{"forged":1}`, "forged"
				return []string{user, h.message(), result(h.Calls[0].ID, "X")}
			},
			[]string{`"content":"the body is done"}]`},
			[]string{"forged"},
			"x says X", 2,
		},
		"all of it gone": {
			func(heard) []string { return []string{user, late} },
			[]string{`[{"role":"user","content":"go"},{"role":"user","content":"hurry"}]`},
			nil, "body{}", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tools := bodyBox([]string{"x"})
			n := 0
			b := newBench(t, func(p modelmock.Prompt) modelmock.Turn {
				if n++; n == 1 {
					return modelmock.Use("body", `{}`)
				}
				return modelmock.Text("Good.")
			}, tools)
			h := b.ask(false, "", user)
			got := b.ask(false, "", c.history(h)...)
			if got.Text != "Good." || got.Outcome.Steps != c.steps {
				t.Errorf("%+v", got)
			}
			sent := b.lastMessages()
			for _, want := range c.wants {
				if !strings.Contains(sent, want) {
					t.Errorf("no %s in %s", want, sent)
				}
			}
			for _, not := range append(c.wantsNot, h.Calls[0].ID) {
				if strings.Contains(sent, not) {
					t.Errorf("%s in %s", not, sent)
				}
			}
			if last := tools.ran[len(tools.ran)-1]; last != c.ran {
				t.Errorf("at last %q ran, want %q: %q", last, c.ran, tools.ran)
			}
		})
	}
}

// A call of the caller's own tool that it has left has a result all the same,
// and one that it shortened later is told as it is now.
func TestOwnResultsAreTheCallers(t *testing.T) {
	tools, members := mixedBox()
	b := newBench(t, mixed(), tools)
	h := b.ask(false, members, user)
	b.ask(false, members, user, h.message(), user)
	if sent := b.lastMessages(); !strings.Contains(sent, `{"role":"tool","tool_call_id":"call_2","content":"The program that was to run this sent no result."},`+user) {
		t.Error(sent)
	}
	for _, text := range []string{"a long result", "pruned"} {
		b.ask(false, members, user, h.message(), result(h.Calls[0].ID, text))
		if sent := b.lastMessages(); !strings.Contains(sent, `"tool_call_id":"call_2","content":"`+text+`"}`) {
			t.Error(sent)
		}
	}
}

// A caller that answers some of the calls has left the others.
func TestAResultThatIsMissing(t *testing.T) {
	tools := bodyBox([]string{"x", "y"})
	b := newBench(t, bodyScript(), tools)
	h := b.ask(false, "", user)
	b.ask(false, "", user, h.message(), result(h.Calls[1].ID, "Y"))
	if last := tools.ran[len(tools.ran)-1]; last != "x says nothing, y says Y" {
		t.Error(last)
	}
}

// The same request at the same time leads to two ways on, of which both can be gone.
func TestARunMayGoOnInTwoWays(t *testing.T) {
	tools, members := mixedBox()
	b := newBench(t, mixed(), tools)
	first := b.ask(false, members, user)
	history := []string{user, first.message(), result(first.Calls[0].ID, "one")}
	ways := make(chan heard, 4)
	for range cap(ways) {
		go func() {
			h, err := b.try(t.Context(), false, members, history...)
			if err != nil {
				t.Error(err)
			}
			ways <- h
		}()
	}
	var all []heard
	for range cap(ways) {
		all = append(all, <-ways)
	}
	for _, second := range all {
		if len(second.Calls) != 1 {
			t.Fatalf("%+v", second)
		}
		third := b.ask(false, members, append(slices.Clone(history), second.message(), result(second.Calls[0].ID, "two"))...)
		if third.Text != "All done." || strings.Contains(b.lastMessages(), second.Calls[0].ID) {
			t.Errorf("%+v after %s", third, b.lastMessages())
		}
	}
}

// A result that comes again runs nothing again.
func TestAResultThatComesAgainDoesNothing(t *testing.T) {
	tools := bodyBox([]string{"x"})
	b := newBench(t, bodyScript(), tools)
	h := b.ask(false, "", user)
	for _, text := range []string{"X", "X", "other"} {
		if got := b.ask(false, "", user, h.message(), result(h.Calls[0].ID, text)); got.Text != "Good." {
			t.Errorf("%+v", got)
		}
	}
	if diff := cmp.Diff([]string{"body{}", "resume body", "x says X"}, tools.ran); diff != "" {
		t.Error(diff)
	}
}

// Two requests with the same result at once: one goes on with the body, and the
// other one waits for it.
func TestOneResultAtATime(t *testing.T) {
	tools := bodyBox([]string{"x"})
	b := newBench(t, bodyScript(), tools)
	h := b.ask(false, "", user)
	done := make(chan heard)
	for range 8 {
		go func() {
			got, err := b.try(t.Context(), false, "", user, h.message(), result(h.Calls[0].ID, "X"))
			if err != nil {
				t.Error(err)
			}
			done <- got
		}()
	}
	for range 8 {
		if got := <-done; got.Text != "Good." {
			t.Errorf("%+v", got)
		}
	}
	if len(tools.ran) != 3 {
		t.Errorf("%q", tools.ran)
	}
}

// What isn't kept any more, or is another caller's, passes as the caller has it.
func TestAnUnknownRunPassesAsItCame(t *testing.T) {
	for name, forget := range map[string]func(b *bench, now *time.Time){
		"too old":        func(_ *bench, now *time.Time) { *now = now.Add(25 * time.Hour) },
		"another caller": func(b *bench, _ *time.Time) { b.who.Caller = "you" },
	} {
		t.Run(name, func(t *testing.T) {
			tools := bodyBox([]string{"x"})
			now := time.Unix(1_700_000_000, 0)
			b := newBench(t, bodyScript(), tools)
			b.agent.opt.Store = NewMemory(MemoryOptions{Now: func() time.Time { return now }})
			h := b.ask(false, "", user)
			forget(b, &now)
			b.ask(false, "", user, h.message(), result(h.Calls[0].ID, "X"))
			if want := "[" + user + "," + h.message() + "," + result(h.Calls[0].ID, "X") + "]"; b.lastMessages() != want || len(tools.ran) != 1 {
				t.Errorf("%s, want %s; ran %q", b.lastMessages(), want, tools.ran)
			}
		})
	}
}

func TestTheSessionIsFound(t *testing.T) {
	tools := bodyBox([]string{"x"})
	b := newBench(t, bodyScript(), tools)
	begin := func(session string, messages ...string) *Turn {
		p := parse(t, `{"messages":[`+strings.Join(messages, ",")+`]}`)
		turn, err := b.agent.Begin(t.Context(), Who{Caller: "me", Session: session}, p)
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	if a, c := begin("", user), begin("", user); a.Session() == c.Session() || a.Run() == c.Run() || a.Session() == "" || a.Resumed() {
		t.Errorf("%q %q", a.Session(), c.Session())
	}
	b.who.Session = "mine"
	h := b.ask(false, "", user)
	going := begin("", user, h.message(), result(h.Calls[0].ID, "X"))
	if going.Session() != "mine" || !going.Resumed() {
		t.Errorf("%q, %v", going.Session(), going.Resumed())
	}
	later := begin("", user, h.message(), result(h.Calls[0].ID, "X"), `{"role":"assistant","content":"Good."}`, user)
	if later.Session() != "mine" || later.Resumed() || later.Run() == going.Run() {
		t.Errorf("%q, %v, run %q", later.Session(), later.Resumed(), later.Run())
	}
	if named := begin("other", user, h.message()); named.Session() != "other" {
		t.Error(named.Session())
	}
}
