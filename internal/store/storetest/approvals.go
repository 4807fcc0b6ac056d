package storetest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/approval"
)

func question(id string, asked time.Time) approval.Record {
	return approval.Record{Holder: "p1", Question: toolcrib.Question{
		ID: id, Title: "Send?", Description: "an \"e-mail\"", Severity: toolcrib.SeverityCritical,
		Decisions: []toolcrib.Decision{toolcrib.AllowOnce, toolcrib.Deny}, Tool: "mcp:mail:send", Source: toolcrib.SourceMCP, CallID: "c1:2",
		Args: json.RawMessage(`{"to":"a"}`), Scope: toolcrib.Scope{Agent: "main", Session: "s", Owner: true, Harness: "codex"},
		Rule: "tools.approvals[0]", BindArgs: true, Timeout: time.Minute, Asked: asked, Expires: asked.Add(time.Minute),
	}}
}

func settlement(d toolcrib.Decision, at time.Time) approval.Settlement {
	return approval.Settlement{Decision: d, By: "operator", Reason: "why", At: at}
}

func questions(t *testing.T, s Store) {
	x := s.Approvals()
	a, b, c := question("a", noon), question("b", noon.Add(time.Second)), question("c", noon)
	end := settlement(toolcrib.Deny, noon.Add(2*time.Second))
	c.Settled = &end
	for _, r := range []approval.Record{b, a, c} {
		ok(t, x.PutQuestion(t.Context(), r))
	}
	if diff := cmp.Diff([]approval.Record{a, b}, must[[]approval.Record](t)(x.Waiting(t.Context()))); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
	first := settlement(toolcrib.AllowOnce, noon.Add(time.Minute))
	settle := func(id string, by approval.Settlement) bool {
		t.Helper()
		return must[bool](t)(x.Settle(t.Context(), id, by, nil))
	}
	if !settle("a", first) || settle("a", settlement(toolcrib.Deny, noon)) || settle("c", first) || settle("z", first) {
		t.Error("a question is settled once, and only one that is there")
	}
	a.Settled = &first
	got, found, err := x.Question(t.Context(), "a")
	if diff := cmp.Diff(a, got); diff != "" || !found || err != nil {
		t.Errorf("found %v, %v (-want +got):\n%s", found, err, diff)
	}
	if _, found, err := x.Question(t.Context(), "z"); found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
	if diff := cmp.Diff([]approval.Record{a, c}, must[[]approval.Record](t)(x.History(t.Context(), 9))); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if n := must[int](t)(x.PruneQuestions(t.Context(), 1)); n != 1 {
		t.Errorf("%d were pruned", n)
	}
	if diff := cmp.Diff([]approval.Record{a}, must[[]approval.Record](t)(x.History(t.Context(), 9))); diff != "" {
		t.Errorf("history, pruned (-want +got):\n%s", diff)
	}
	if left := must[[]approval.Record](t)(x.Waiting(t.Context())); len(left) != 1 {
		t.Errorf("pruning took one that waits: %v", left)
	}
}

func grants(t *testing.T, s Store) {
	x := s.Approvals()
	grant := func(id, tool, hash string, created time.Time) approval.Grant {
		return approval.Grant{ID: id, Key: approval.Key{Agent: "main", Tool: tool, Rule: "r", ArgsHash: hash}, By: "operator", Created: created}
	}
	a, b := grant("a", "x", "", noon), grant("b", "x", "h", noon.Add(time.Second))
	ok(t, x.PutQuestion(t.Context(), question("q", noon)))
	ok(t, x.PutQuestion(t.Context(), question("p", noon)))
	if !must[bool](t)(x.Settle(t.Context(), "q", settlement(toolcrib.AllowAlways, noon), []approval.Grant{b, a})) {
		t.Fatal("it was not settled")
	}
	// A question that is settled leaves nothing, and a key has one grant.
	must[bool](t)(x.Settle(t.Context(), "q", settlement(toolcrib.AllowAlways, noon), []approval.Grant{grant("c", "y", "", noon)}))
	must[bool](t)(x.Settle(t.Context(), "p", settlement(toolcrib.AllowAlways, noon), []approval.Grant{grant("d", "x", "", noon)}))
	if diff := cmp.Diff([]approval.Grant{a, b}, must[[]approval.Grant](t)(x.Grants(t.Context()))); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
	a.Uses, a.LastUsed = 1, noon.Add(time.Hour)
	got, found, err := x.UseGrant(t.Context(), a.Key, a.LastUsed)
	if diff := cmp.Diff(a, got); diff != "" || !found || err != nil {
		t.Errorf("used %v, %v (-want +got):\n%s", found, err, diff)
	}
	for _, k := range []approval.Key{{Agent: "other", Tool: "x", Rule: "r"}, {Agent: "main", Tool: "y", Rule: "r"}, {Agent: "main", Tool: "x", Rule: "s"}, {Agent: "main", Tool: "x", Rule: "r", ArgsHash: "g"}} {
		if _, found, err := x.UseGrant(t.Context(), k, noon); found || err != nil {
			t.Errorf("%v was used: %v", k, err)
		}
	}
	if !must[bool](t)(x.DeleteGrant(t.Context(), "a")) || must[bool](t)(x.DeleteGrant(t.Context(), "a")) {
		t.Error("one is deleted once")
	}
	if _, found, _ := x.UseGrant(t.Context(), a.Key, noon); found {
		t.Error("it was used after it was deleted")
	}
}

// Of many answers to one question one counts.
func firstAnswer(t *testing.T, s Store) {
	x := s.Approvals()
	ok(t, x.PutQuestion(t.Context(), question("q", noon)))
	var wait sync.WaitGroup
	won := make(chan int, 20)
	for i := range cap(won) {
		wait.Go(func() {
			g := approval.Grant{ID: fmt.Sprint(i), Key: approval.Key{Tool: fmt.Sprint(i)}, Created: noon}
			first, err := x.Settle(t.Context(), "q", settlement(toolcrib.AllowAlways, noon), []approval.Grant{g})
			if err != nil {
				t.Error(err)
			}
			if first {
				won <- i
			}
		})
	}
	wait.Wait()
	close(won)
	left := must[[]approval.Grant](t)(x.Grants(t.Context()))
	if winner, one := <-won; !one || len(won) > 0 || len(left) != 1 || left[0].ID != fmt.Sprint(winner) {
		t.Errorf("%d more won; %v is left", len(won), left)
	}
}
