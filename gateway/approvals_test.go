package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/invoke"
	"github.com/toolcrib/toolcrib/internal/sandbox"
)

const asksAll = `tools.approvals=[{"match": "plugin:app:*"}]`

var salute = json.RawMessage(`{"text":"hello"}`)

// call calls a tool in the background and returns what gives what came of it.
func call(t *testing.T, s *Session, id string) func() error {
	done := make(chan error, 1)
	go func() {
		_, _, err := s.Call(t.Context(), id, salute)
		done <- err
	}()
	return func() error { return <-done }
}

// waiting waits until a question is asked, and returns it.
func waiting(t *testing.T, api *client.Client) client.Approval {
	t.Helper()
	for {
		list, err := api.Approvals(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			return list[0]
		}
		time.Sleep(time.Millisecond)
	}
}

func TestAProgramApproves(t *testing.T) {
	var asked []toolcrib.Question
	var answer toolcrib.Decision
	var failure error
	_, s := open(t, Options{Tools: []Tool{echo("first")}, Settings: []string{asksAll}, Approver: func(_ context.Context, q toolcrib.Question) (toolcrib.Decision, error) {
		asked = append(asked, q)
		return answer, failure
	}}, SessionOptions{})
	for _, c := range []struct {
		decision toolcrib.Decision
		failure  error
		kind     toolcrib.Kind
		says     string
	}{
		{toolcrib.Deny, nil, toolcrib.KindBlocked, "call plugin:app:first: blocked: tools.approvals[0] wants a person's approval, and the program denied it; it did not run"},
		{"", errors.New("away"), toolcrib.KindBlocked, "there is nobody to ask"},
		{"perhaps", nil, toolcrib.KindBlocked, "is not offered"},
		{toolcrib.AllowOnce, nil, "", ""},
		{toolcrib.AllowAlways, nil, "", ""},
	} {
		answer, failure = c.decision, c.failure
		_, _, err := s.Call(t.Context(), "first", salute)
		if toolcrib.KindOf(err) != c.kind || !strings.Contains(fmt.Sprint(err), c.says) && c.says != "" {
			t.Errorf("%q, %v: %v", c.decision, c.failure, err)
		}
	}
	n := len(asked)
	if _, _, err := s.Call(t.Context(), "first", salute); err != nil || len(asked) != n {
		t.Errorf("after an answer always it was asked again: %v", err)
	}
	q := asked[0]
	if q.Title != "Run first of app?" || string(q.Args) != string(salute) || q.Scope.Agent != "main" || q.Rule != "tools.approvals[0]" {
		t.Errorf("asked %+v", q)
	}
}

func TestNobodyToAskIsNo(t *testing.T) {
	g, s := open(t, Options{Tools: []Tool{echo("first")}, Settings: []string{asksAll}}, SessionOptions{})
	_, _, err := s.Call(t.Context(), "first", salute)
	if toolcrib.KindOf(err) != toolcrib.KindBlocked || !strings.Contains(err.Error(), "there is nobody to ask") {
		t.Errorf("got %v", err)
	}
	history, err := client.New(client.InProcess(g.Control()), "").ApprovalHistory(t.Context(), 5)
	if err != nil || len(history) != 1 || history[0].Decision != toolcrib.Deny || history[0].Reason != "there is nobody to ask" {
		t.Errorf("history: %+v, %v", history, err)
	}
}

// A program answers through the control API, and its user's answers last.
func TestAnOperatorOfAProgram(t *testing.T) {
	dir := t.TempDir()
	o := Options{Tools: []Tool{echo("first")}, Settings: []string{asksAll}, Operators: true, StateDir: dir}
	g, s := open(t, o, SessionOptions{})
	api := client.New(client.InProcess(g.Control()), "")
	answer := call(t, s, "first")
	q := waiting(t, api)
	if _, err := api.Resolve(t.Context(), q.ID, "sometimes"); toolcrib.KindOf(err) != toolcrib.KindInput {
		t.Errorf("an answer that isn't offered: %v", err)
	}
	settled, err := api.Resolve(t.Context(), q.ID, toolcrib.AllowAlways)
	if err != nil || settled.Decision != toolcrib.AllowAlways || settled.By != "an operator" || settled.ID != q.ID {
		t.Errorf("settled: %+v, %v", settled, err)
	}
	if err := answer(); err != nil {
		t.Error(err)
	}
	s.Close()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}

	g, s = open(t, o, SessionOptions{}) // as after a restart
	api = client.New(client.InProcess(g.Control()), "")
	if _, _, err := s.Call(t.Context(), "first", salute); err != nil {
		t.Errorf("it was forgotten: %v", err)
	}
	grants, err := api.Grants(t.Context())
	want := client.Grant{Agent: "main", Tool: "plugin:app:first", Rule: `tools.approvals ["plugin:app:*"] when always`, By: "an operator", Uses: 1}
	if err != nil || len(grants) != 1 {
		t.Fatalf("grants: %+v, %v", grants, err)
	}
	got := grants[0]
	got.ID, got.Created, got.LastUsed = "", time.Time{}, time.Time{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("grant (-want +got):\n%s", diff)
	}
	if err := api.RevokeGrant(t.Context(), grants[0].ID); err != nil {
		t.Error(err)
	}
	answer = call(t, s, "first")
	if _, err := api.Resolve(t.Context(), waiting(t, api).ID, toolcrib.Deny); err != nil {
		t.Error(err)
	}
	if err := answer(); toolcrib.KindOf(err) != toolcrib.KindBlocked {
		t.Errorf("after it was taken back: %v", err)
	}
	if _, err := api.Approval(t.Context(), "none"); toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("an approval that there isn't: %v", err)
	}
}

// What happens to questions stands in the record of the session.
func TestApprovalsAreRecorded(t *testing.T) {
	g, s := open(t, Options{Tools: []Tool{echo("first")}, Settings: []string{asksAll}, Approver: func(context.Context, toolcrib.Question) (toolcrib.Decision, error) {
		return toolcrib.Deny, nil
	}}, SessionOptions{})
	s.Call(t.Context(), "first", salute)
	if err := g.recorder.log.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	store, err := g.store.sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	events, err := store.Events(t.Context(), s.Scope().Session, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		if e.Kind == "approval" || e.Kind == "call" || e.Kind == "call.started" {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s", e.Kind, e.Tool, e.Outcome, e.Decision, e.By)))
		}
	}
	want := []string{"approval plugin:app:first", "approval plugin:app:first refused deny the program", "call plugin:app:first refused"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

func TestRulesFollowTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json5")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{}`)
	g, s := open(t, Options{Tools: []Tool{echo("first"), echo("second", ReadOnly())}, ConfigFile: path}, SessionOptions{})
	blocked := func(id string) bool {
		t.Helper()
		_, _, err := s.Call(t.Context(), id, salute)
		if err != nil && toolcrib.KindOf(err) != toolcrib.KindBlocked {
			t.Fatal(err)
		}
		return err != nil
	}
	if blocked("first") {
		t.Error("blocked without a rule")
	}
	for text, want := range map[string][2]bool{
		`{tools: {approvals: [{}]}}`:                                                  {true, true},
		`{tools: {approvals: [{match: "first"}]}}`:                                    {true, false},
		`{tools: {approvals: [{match: "other"}]}}`:                                    {false, false},
		`{tools: {approvals: [{when: "destructive"}]}}`:                               {true, false},
		`{tools: {approvals: [{when: "unknown"}]}}`:                                   {true, false},
		`{agents: {list: [{id: "main", tools: {approvals: [{match: "second"}]}}]}}`:   {false, true},
		`{agents: {list: [{id: "other", tools: {approvals: [{}]}}]}}`:                 {false, false},
		`{tools: {approvals: [{match: "SECOND"}, {match: ["group:mcp", "core:*"]}]}}`: {false, true},
	} {
		write(text)
		if err := g.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{blocked("first"), blocked("second")}; got != want {
			t.Errorf("%s: blocked %v, want %v", text, got, want)
		}
	}
	write(`{tools: {approvals: [{match: []}]}}`)
	if err := g.Reload(t.Context()); toolcrib.KindOf(err) != toolcrib.KindConfig {
		t.Errorf("a rule that is none was taken: %v", err)
	}
}

func TestWhenARuleApplies(t *testing.T) {
	yes, no := new(true), new(false)
	hints := map[string]toolcrib.Annotations{
		"nothing": {}, "reads": {ReadOnly: yes}, "writes": {ReadOnly: no}, "adds": {Destructive: no}, "destroys": {Destructive: yes}, "both": {ReadOnly: yes, Destructive: yes},
	}
	want := map[string]string{ // by trust and rule, those that are asked about
		"trusted destructive": "both destroys nothing writes", "trusted unknown": "nothing",
		"untrusted destructive": "adds both destroys nothing reads writes", "untrusted unknown": "adds both destroys nothing reads writes",
	}
	for _, trust := range []string{"trusted", "untrusted"} {
		for _, when := range []string{"destructive", "unknown"} {
			rules, err := newAskRules(configOf(t, `tools.approvals=[{"when":"`+when+`"}]`))
			if err != nil {
				t.Fatal(err)
			}
			var asked []string
			for name, h := range hints {
				tool := toolcrib.Tool{ID: "mcp:s:x", Source: toolcrib.SourceMCP, Owner: "s", Name: "x", Annotations: h, TrustedHints: trust == "trusted"}
				if rules.of(&tool, toolcrib.Scope{}) != nil {
					asked = append(asked, name)
				}
			}
			if got := sorted(asked); got != want[trust+" "+when] {
				t.Errorf("%s, %s: asked about %s, want %s", trust, when, got, want[trust+" "+when])
			}
		}
	}
}

// The same arguments alone are granted for a tool that runs programs.
func TestExecBindsItsArguments(t *testing.T) {
	rules, err := newAskRules(configOf(t, `tools.approvals=[{}]`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"exec": true, "EXEC": true, "execute": false} {
		tool := toolcrib.Tool{ID: "core:runtime:" + name, Source: toolcrib.SourceCore, Owner: "runtime", Name: name}
		if got := rules.of(&tool, toolcrib.Scope{}).wanted(&tool).Question.BindArgs; got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A call that waits says so at once and then every ten seconds, and nothing after.
func TestACallThatWaitsSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var said []toolcrib.Progress
		resumed := 0
		a := invoke.Approval{Waiting: func() func() { return func() { resumed++ } }}
		a.Call.Progress = func(p toolcrib.Progress) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, p)
		}
		resume := awaiting(a, toolcrib.Question{Title: "Send?"})
		time.Sleep(59 * time.Second)
		resume()
		time.Sleep(time.Minute)
		if len(said) != 6 || resumed != 1 {
			t.Fatalf("%d reports, resumed %d times", len(said), resumed)
		}
		for i, p := range said {
			if p.Message != "waiting for approval: Send?" || i > 0 && p.Done <= said[i-1].Done || p.Done >= 1 {
				t.Errorf("report %d: %+v", i, p)
			}
		}
	})
}

// While a body of code waits for a person, its clock stands still.
func TestCodeWaitsForAPerson(t *testing.T) {
	clock := &stopped{calling: calling{tool: "plugin:app:first"}}
	o := Options{Tools: []Tool{echo("first")}, Settings: []string{"tools.toolSearch=true", asksAll}, Approver: func(context.Context, toolcrib.Question) (toolcrib.Decision, error) {
		if !clock.waits {
			return toolcrib.Deny, nil
		}
		return toolcrib.AllowOnce, nil
	}}
	_, s := openWith(t, o, func(context.Context, wantedRuntime) (sandbox.Runtime, error) { return clock, nil }, SessionOptions{})
	result, err := s.RunCode(t.Context(), "x", CodeOptions{})
	if err != nil || result.Error != nil || clock.stops != 1 || clock.waits {
		t.Errorf("%+v, %v; the clock stopped %d times", result, err, clock.stops)
	}
}

// stopped is a runtime with a clock that counts how often it was stopped.
type stopped struct {
	calling
	waits bool
	stops int
}

func (c *stopped) Run(ctx context.Context, s sandbox.Script, h sandbox.Host) (sandbox.Outcome, error) {
	ctx = sandbox.WithClock(ctx, func() func() {
		c.waits = true
		c.stops++
		return func() { c.waits = false }
	})
	return c.calling.Run(ctx, s, h)
}

// configOf is a configuration of one setting.
func configOf(t *testing.T, setting string) *config.Config {
	t.Helper()
	c, _, err := config.Load(config.Options{Home: t.TempDir(), Flags: []string{setting}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sorted(names []string) string {
	slices.Sort(names)
	return strings.Join(names, " ")
}

// TestClientsAnswerForOneCall: whatever program the client is, its answers don't
// last, and a rule may leave it out.
func TestClientsAnswerForOneCall(t *testing.T) {
	var asked []toolcrib.Question
	answer := toolcrib.AllowOnce
	ask := func(_ context.Context, q toolcrib.Question) (toolcrib.Decision, error) {
		asked = append(asked, q)
		return answer, nil
	}
	call := func(s *Session) Reply {
		return s.Surface(t.Context()).Call(t.Context(), SurfaceCall{Name: "first", Args: salute, CallID: "c", Scope: s.Scope(), Ask: ask})
	}
	_, s := open(t, Options{Tools: []Tool{echo("first")}, Settings: []string{asksAll}}, SessionOptions{Mode: "direct"})
	for i := range 2 {
		if r := call(s); r.IsError || len(asked) != i+1 {
			t.Fatalf("call %d: %+v, asked %d times", i, r, len(asked))
		}
	}
	if slices.Contains(asked[0].Decisions, toolcrib.AllowAlways) {
		t.Errorf("the client is offered %v", asked[0].Decisions)
	}
	answer = toolcrib.AllowAlways
	if r := call(s); !r.IsError {
		t.Error("an answer that was not offered let the call run")
	}
	answer = toolcrib.AllowOnce
	_, left := open(t, Options{Tools: []Tool{echo("first")}, Settings: []string{`tools.approvals=[{askClient: false}]`}}, SessionOptions{Mode: "direct"})
	before := len(asked)
	if r := call(left); !r.IsError || len(asked) != before {
		t.Errorf("a rule without the client: %+v, asked %d times", r, len(asked)-before)
	}
}
