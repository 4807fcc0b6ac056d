package approval_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/approval"
	"github.com/toolcrib/toolcrib/internal/store/memory"
)

// answered asks, lets an operator answer, and returns what came of it.
func answered(t *testing.T, d *desk, r approval.Request, decision toolcrib.Decision) error {
	t.Helper()
	answer := asking(t.Context(), d, r)
	if err := d.Resolve(t.Context(), only(t, d).ID, decision, "ann"); err != nil {
		t.Error(err)
	}
	return answer()
}

func TestAlwaysIsForAgentToolAndRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), nil)
		if err := answered(t, d, request(wanted("r")), toolcrib.AllowAlways); err != nil {
			t.Fatal(err)
		}
		other := request(wanted("r"))
		other.Call.Args = json.RawMessage(`{"to":"someone else"}`)
		if err := d.Ask(t.Context(), other); err != nil {
			t.Errorf("the same again was asked: %v", err)
		}
		agent, tool := request(wanted("r")), request(wanted("r"))
		agent.Call.Scope.Agent, tool.Call.Tool.ID = "other", "mcp:mail:delete"
		for name, r := range map[string]approval.Request{"agent": agent, "tool": tool, "rule": request(wanted("s"))} {
			if err := answered(t, d, r, toolcrib.Deny); err == nil {
				t.Errorf("another %s was let through", name)
			}
		}
		grants, err := d.Grants(t.Context())
		if err != nil || len(grants) != 1 || grants[0].Uses != 1 || grants[0].By != "ann" {
			t.Fatalf("grants: %+v, %v", grants, err)
		}
		if err := d.Revoke(t.Context(), grants[0].ID); err != nil {
			t.Error(err)
		}
		refused(t, answered(t, d, request(wanted("r")), toolcrib.Deny), toolcrib.KindBlocked, "ann denied it")
		refused(t, d.Revoke(t.Context(), grants[0].ID), toolcrib.KindNotFound, "no grant")
	})
}

// Where a rule moved in its list, its grants move with it.
func TestARuleIsWhatItSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), nil)
		w := wanted("tools.approvals[0]")
		w.Rule = "mail"
		if err := answered(t, d, request(w), toolcrib.AllowAlways); err != nil {
			t.Fatal(err)
		}
		w.Question.Rule = "tools.approvals[3]"
		if err := d.Ask(t.Context(), request(w)); err != nil {
			t.Error(err)
		}
		w.Question.Rule, w.Rule = "tools.approvals[0]", "everything"
		if err := answered(t, d, request(w), toolcrib.Deny); err == nil {
			t.Error("another rule at the same place was let through")
		}
	})
}

func TestAlwaysForTheseArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), nil)
		w := wanted("r")
		w.Question.BindArgs = true
		if err := answered(t, d, request(w), toolcrib.AllowAlways); err != nil {
			t.Fatal(err)
		}
		same := request(w)
		same.Call.Args = json.RawMessage(` { "cc" : ["b"], "to":"\u0061" } `)
		if err := d.Ask(t.Context(), same); err != nil {
			t.Errorf("the same arguments were asked about: %v", err)
		}
		for _, args := range []string{`{}`, `{"to":"a","cc":["c"]}`, `{"to":"a","cc":["b"],"x":null}`, `{"to":"A","cc":["b"]}`} {
			other := request(w)
			other.Call.Args = json.RawMessage(args)
			if err := answered(t, d, other, toolcrib.Deny); err == nil {
				t.Errorf("%s was let through", args)
			}
		}
		// A rule that binds no longer, or from now on, asks anew.
		w.Question.BindArgs = false
		if err := answered(t, d, request(w), toolcrib.Deny); err == nil {
			t.Error("a grant for some arguments counted for all")
		}
	})
}

func TestQuestionsAreJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), nil)
		a, b := wanted("tools.approvals[0]"), wanted("hooks.guard")
		b.Question = toolcrib.Question{
			Title: "Really?", Description: "It can't be taken back.", Severity: toolcrib.SeverityCritical, Rule: "hooks.guard",
			Decisions: []toolcrib.Decision{toolcrib.Deny, toolcrib.AllowAlways}, Timeout: time.Minute,
		}
		answer := asking(t.Context(), d, request(a, b))
		q := only(t, d)
		want := toolcrib.Question{
			ID: q.ID, Title: "Really?", Description: "Send? · It can't be taken back.", Severity: toolcrib.SeverityCritical,
			Decisions: []toolcrib.Decision{toolcrib.AllowAlways, toolcrib.Deny}, Tool: "mcp:mail:send", Source: toolcrib.SourceMCP, CallID: "c1",
			Args: send.Args, Scope: send.Scope, Rule: "tools.approvals[0], hooks.guard", Timeout: time.Minute, Asked: q.Asked, Expires: q.Asked.Add(time.Minute),
		}
		if diff := cmp.Diff(want, q); diff != "" {
			t.Errorf("question (-want +got):\n%s", diff)
		}
		if err := d.Resolve(t.Context(), q.ID, toolcrib.AllowAlways, "ann"); err != nil {
			t.Error(err)
		}
		if err := answer(); err != nil {
			t.Error(err)
		}
		if grants, _ := d.Grants(t.Context()); len(grants) != 2 {
			t.Errorf("grants: %v", grants)
		}
		if err := d.Ask(t.Context(), request(b, a)); err != nil {
			t.Errorf("it was asked again: %v", err)
		}
		// With one of them granted, the other is asked alone.
		c := wanted("hooks.other")
		answer = asking(t.Context(), d, request(a, c))
		if q := only(t, d); q.Rule != "hooks.other" {
			t.Errorf("asked for %q", q.Rule)
		}
		d.Close()
		answer()
	})
}

// Two that can't be answered alike are asked one after the other, and both must
// be answered with a yes.
func TestQuestionsThatDontJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), nil)
		a, b := wanted("one"), wanted("two")
		a.Question.Decisions = []toolcrib.Decision{toolcrib.AllowOnce}
		b.Question.Decisions = []toolcrib.Decision{toolcrib.AllowAlways}
		answer := asking(t.Context(), d, request(a, b))
		if err := d.Resolve(t.Context(), only(t, d).ID, toolcrib.AllowOnce, "ann"); err != nil {
			t.Error(err)
		}
		if err := d.Resolve(t.Context(), only(t, d).ID, toolcrib.Deny, "ann"); err != nil {
			t.Error(err)
		}
		refused(t, answer(), toolcrib.KindBlocked, "two wants")
	})
}

func TestTextsAreCleaned(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                     "plain",
		"  a\n\tb\u2028c ":          "a b c",
		"pay \u202Eeman\u202C now":  "pay eman now",
		"a\u200Bb\uFEFFc\u00ADd":    "abcd",
		"\x1b[31mred\x1b[0m\x00\a":  "[31mred[0m",
		"bad \xff byte":             "bad \uFFFD byte",
		"tag \U000E0041\U000E0042!": "tag !",
		"été 日本":                    "été 日本",
		strings.Repeat("é", 81):     strings.Repeat("é", 79) + "…",
		strings.Repeat("é", 80):     strings.Repeat("é", 80),
		"\u2066\u2069":              "",
	} {
		if got := approval.Clean(in, toolcrib.MaxTitle); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestAQuestionShowsWhatItSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), func(o *approval.Options) {
			o.Text = func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }
			o.Args = func(a json.RawMessage) json.RawMessage {
				return json.RawMessage(strings.ReplaceAll(string(a), "hunter2", "[redacted]"))
			}
		})
		r := request(approval.Wanted{Question: toolcrib.Question{Description: strings.Repeat("x", 600) + "hunter2", Rule: "r", Severity: "odd"}})
		r.Call.Args = json.RawMessage("{\"p\":\"hunter2\",\"q\":\"a\u202Eb\U000E0041\"}")
		r.Call.Tool.Name = "send\u202E"
		answer := asking(t.Context(), d, r)
		q := only(t, d)
		if q.Title != "Run send?" || utf8.RuneCountInString(q.Description) != toolcrib.MaxDescription || q.Severity != toolcrib.SeverityWarning {
			t.Errorf("question: %+v", q)
		}
		if want := `{"p":"[redacted]","q":"a\u202eb\udb40\udc41"}`; string(q.Args) != want {
			t.Errorf("arguments: %s, want %s", q.Args, want)
		}
		d.Close()
		answer()
	})
}

// Where no arguments are to be kept, only who answers sees them.
func TestArgumentsAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, memory.New().Approvals(), func(o *approval.Options) { o.KeepArgs = func() bool { return false } })
		answer := asking(t.Context(), d, request(wanted("r")))
		q := only(t, d)
		kept, err := d.Find(t.Context(), q.ID)
		if err != nil || string(q.Args) != string(send.Args) || kept.Question.Args != nil {
			t.Errorf("shown %s, kept %s, %v", q.Args, kept.Question.Args, err)
		}
		d.Close()
		answer()
	})
}

// Arguments that two readers may take differently are put to nobody.
func TestUnclearArguments(t *testing.T) {
	d := newDesk(t, memory.New().Approvals(), nil)
	for args, says := range map[string]string{
		`{"cmd":"ls","cmd":"rm"}`:               "name a key twice",
		`{"a":[{"x":1,"\u0078":2}]}`:            "name a key twice",
		`{"a":"\ud800"}`:                        "can't be read",
		"{\"a\":\"\xff\"}":                      "no text",
		`{"a":1} {"a":2}`:                       "more than one value",
		`{"a":`:                                 "not JSON",
		strings.Repeat("[", 300):                "too deep",
		strings.Repeat(`{"a":`, 300) + `1`:      "too deep",
		`{"a":1]`:                               "not JSON",
		`{` + strings.Repeat(`"a":{"b":1},`, 2): "name a key twice",
	} {
		r := request(wanted("r"))
		r.Call.Args = json.RawMessage(args)
		refused(t, d.Ask(t.Context(), r), toolcrib.KindBlocked, says)
	}
}

// FuzzHashArgs holds that what has one hash means one thing.
func FuzzHashArgs(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"b":[1.0,{"c":"\u00e9"}],"a":null}`, `{"a":"<&>"}`, `{"a":1e400}`, ``, `{"a":"\ud83d\ude00"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		hash, err := approval.HashArgs(args)
		if err != nil {
			if toolcrib.KindOf(err) != toolcrib.KindBlocked {
				t.Fatal(err)
			}
			return
		}
		if len(strings.TrimSpace(string(args))) == 0 {
			return
		}
		if !json.Valid(args) {
			t.Fatalf("%q is no JSON, and has a hash", args)
		}
		d := json.NewDecoder(strings.NewReader(string(args)))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := approval.HashArgs(again); err != nil || other != hash {
			t.Fatalf("%q and %q: %s, %s, %v", args, again, hash, other, err)
		}
	})
}
