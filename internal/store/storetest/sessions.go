package storetest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/session"
)

// full is an event with every field.
func full() session.Event {
	return session.Event{
		Time: noon, Kind: session.KindCall, Session: "s1", Run: "r1", Agent: "main", Caller: "laptop", Client: "editor", Door: toolcrib.DoorMCP,
		CallID: "c1:2", Parent: "c1", Tool: "mcp:files:read", Source: toolcrib.SourceMCP, Query: "read “a” file\x00", Hits: []string{"mcp:files:read", "mcp:files:write"},
		Args: json.RawMessage(`{"path":"/tmp/ä"}`), Ms: 12, Outcome: session.Refused, Failure: toolcrib.KindBlocked, Reason: "no", Rule: "tools.deny[0]",
		Decision: toolcrib.Deny, By: "operator",
		Shown: &session.Shown{Mode: "tools", Schemas: 3, Bytes: 1700, DirectBytes: 90_000, Catalog: map[toolcrib.Source]int{toolcrib.SourceMCP: 40}},
		Model: "local/small", RequestBytes: 5000, Usage: &session.Usage{Input: 900, Output: 40},
	}
}

func events(t *testing.T, s Store) {
	x := s.Sessions()
	want := []session.Event{full(), {Time: noon, Kind: session.KindSearch, Session: "s1"}}
	ok(t, x.Append(t.Context(), want))
	ok(t, x.Append(t.Context(), nil))
	got := must[[]session.Event](t)(x.Events(t.Context(), "s1", 0, 0))
	for i := range got {
		if got[i].Seq <= 0 || i > 0 && got[i].Seq <= got[i-1].Seq {
			t.Errorf("event %d has number %d", i, got[i].Seq)
		}
		got[i].Seq = 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what came back differs (-want +got):\n%s", diff)
	}
	if none := must[[]session.Event](t)(x.Events(t.Context(), "s2", 0, 0)); len(none) > 0 {
		t.Errorf("another session has %d events", len(none))
	}
}

func order(t *testing.T, s Store) {
	x := s.Sessions()
	var batch []session.Event
	for i := range 50 {
		batch = append(batch, session.Event{Time: noon, Kind: session.KindCall, Session: fmt.Sprint("s", i%2), CallID: fmt.Sprint(i)})
	}
	ok(t, x.Append(t.Context(), batch))
	var ids []string
	after := int64(0)
	for {
		page := must[[]session.Event](t)(x.Events(t.Context(), "s1", after, 7))
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			ids, after = append(ids, e.CallID), e.Seq
		}
	}
	if len(ids) != 25 || ids[0] != "1" || ids[24] != "49" {
		t.Errorf("the pages hold %v", ids)
	}
	bad := []session.Event{{Time: noon, Session: "s3", Kind: session.KindCall}, {Time: noon, Session: "s3", Args: json.RawMessage(`{`)}}
	if x.Append(t.Context(), bad) == nil {
		t.Error("an event that can't be written was taken")
	}
	if half := must[[]session.Event](t)(x.Events(t.Context(), "s3", 0, 0)); len(half) > 0 {
		t.Error("half of what failed is there")
	}
	if _, known, err := x.Session(t.Context(), "s3"); known || err != nil {
		t.Errorf("the session of what failed is there: %v, %v", known, err)
	}
}

func pages(t *testing.T, s Store) {
	x := s.Sessions()
	for i := range 7 {
		agent := "main"
		if i%2 == 1 {
			agent = "other"
		}
		ok(t, x.Append(t.Context(), []session.Event{{Time: noon, Kind: session.KindSearch, Session: fmt.Sprint("s", i), Agent: agent}}))
	}
	ok(t, x.Append(t.Context(), []session.Event{{Time: noon, Kind: session.KindSearch, Session: "s0", Agent: "main"}}))
	read := func(f session.Filter) (ids []string) {
		for {
			page := must[[]session.Summary](t)(x.Sessions(t.Context(), f))
			for _, one := range page {
				ids, f.Before = append(ids, one.ID), one.Last
			}
			if len(page) < f.Limit {
				return ids
			}
		}
	}
	if diff := cmp.Diff([]string{"s0", "s6", "s5", "s4", "s3", "s2", "s1"}, read(session.Filter{Limit: 2})); diff != "" {
		t.Errorf("the newest first (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"s5", "s3", "s1"}, read(session.Filter{Agent: "other", Limit: 2})); diff != "" {
		t.Errorf("of one agent (-want +got):\n%s", diff)
	}
	if all := must[[]session.Summary](t)(x.Sessions(t.Context(), session.Filter{})); len(all) != 7 {
		t.Errorf("%d sessions without a filter", len(all))
	}
}

func counted(t *testing.T, s Store) {
	x := s.Sessions()
	at := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }
	of := session.Event{Session: "s1", Agent: "main", Client: "editor", Caller: "laptop", Door: toolcrib.DoorMCP}
	event := func(n int, k session.Kind, o session.Outcome) session.Event {
		e := of
		e.Time, e.Kind, e.Outcome = at(n), k, o
		return e
	}
	start := event(0, session.KindStart, "")
	start.Shown = &session.Shown{Mode: "code"}
	ok(t, x.Append(t.Context(), []session.Event{start, event(1, session.KindSearch, session.OK)}))
	ok(t, x.Append(t.Context(), []session.Event{
		event(2, session.KindDescribe, session.OK), event(3, session.KindStarted, ""), event(4, session.KindCall, session.OK),
		event(5, session.KindCall, session.Failed), event(6, session.KindCall, session.Refused),
	}))
	got, known, err := x.Session(t.Context(), "s1")
	ok(t, err)
	want := session.Summary{
		ID: "s1", Agent: "main", Client: "editor", Caller: "laptop", Door: "mcp", Mode: "code", Started: at(0), Ended: at(6), Last: got.Last,
		Events: 7, Searches: 1, Describes: 1, Calls: 3, Failed: 1, Refused: 1, Cost: session.Cost{Shows: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" || !known || got.Last < 7 {
		t.Errorf("known %v, last %d (-want +got):\n%s", known, got.Last, diff)
	}
	if _, known, err := x.Session(t.Context(), "none"); known || err != nil {
		t.Errorf("a session that is none: %v, %v", known, err)
	}
}

func totals(t *testing.T, s Store) {
	x := s.Sessions()
	shown := &session.Shown{Mode: "tools", Bytes: 100, DirectBytes: 1000}
	at := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }
	ok(t, x.Append(t.Context(), []session.Event{
		{Time: at(0), Kind: session.KindStart, Session: "editor", Agent: "main", Door: toolcrib.DoorMCP, Shown: shown},
		{Time: at(0), Kind: session.KindList, Session: "editor", Agent: "main", Door: toolcrib.DoorMCP, Shown: shown},
		{Time: at(1), Kind: session.KindSearch, Session: "editor", Agent: "main", Door: toolcrib.DoorMCP},
		{Time: at(1), Kind: session.KindCall, Session: "editor", Agent: "main", Door: toolcrib.DoorMCP, Outcome: session.Refused},
	}))
	ok(t, x.Append(t.Context(), []session.Event{ // a start shows nothing where the gateway asks the model
		{Time: at(2), Kind: session.KindStart, Session: "chat", Agent: "main", Door: toolcrib.DoorChat, Shown: shown},
		{Time: at(2), Kind: session.KindRequest, Session: "chat", Agent: "main", Door: toolcrib.DoorChat, Shown: shown, Usage: &session.Usage{Input: 30, Output: 4}},
	}))
	ok(t, x.Append(t.Context(), []session.Event{{Time: at(2), Kind: session.KindCall, Session: "third", Agent: "a", Door: toolcrib.DoorCLI, Outcome: session.Failed}}))
	other := session.Total{Agent: "a", Sessions: 1, Calls: 1, Failed: 1}
	want := []session.Total{other, {
		Agent: "main", Sessions: 2, Searches: 1, Calls: 1, Refused: 1,
		Cost: session.Cost{Shows: 3, Bytes: 300, DirectBytes: 3000, InputTokens: 30, OutputTokens: 4},
	}}
	if diff := cmp.Diff(want, must[[]session.Total](t)(x.Totals(t.Context(), at(-1)))); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	want[1] = session.Total{Agent: "main", Sessions: 1, Cost: session.Cost{Shows: 1, Bytes: 100, DirectBytes: 1000, InputTokens: 30, OutputTokens: 4}}
	if diff := cmp.Diff(want, must[[]session.Total](t)(x.Totals(t.Context(), at(2)))); diff != "" {
		t.Errorf("since the last hour (-want +got):\n%s", diff)
	}
	if none := must[[]session.Total](t)(x.Totals(t.Context(), at(3))); len(none) > 0 {
		t.Errorf("since the future: %v", none)
	}
}

func pruneAge(t *testing.T, s Store) {
	x := s.Sessions()
	day := 24 * time.Hour
	ok(t, x.Append(t.Context(), []session.Event{
		{Time: noon.Add(-3 * day), Kind: session.KindCall, Session: "old"},
		{Time: noon.Add(-3 * day), Kind: session.KindCall, Session: "both"},
		{Time: noon, Kind: session.KindCall, Session: "both"},
	}))
	if n := must[int](t)(x.Prune(t.Context(), noon.Add(-day), 0)); n != 2 {
		t.Errorf("%d events went, want 2", n)
	}
	if _, known, err := x.Session(t.Context(), "old"); known || err != nil {
		t.Errorf("a session without events is still there: %v", err)
	}
	if left := must[[]session.Event](t)(x.Events(t.Context(), "both", 0, 0)); len(left) != 1 || !left[0].Time.Equal(noon) {
		t.Errorf("left of the other: %v", left)
	}
	last := must[[]session.Event](t)(x.Events(t.Context(), "both", 0, 0))[0].Seq
	if n := must[int](t)(x.Prune(t.Context(), noon.Add(day), 0)); n != 1 {
		t.Errorf("%d events went, want the last", n)
	}
	ok(t, x.Append(t.Context(), []session.Event{{Time: noon, Kind: session.KindCall, Session: "new"}}))
	if e := must[[]session.Event](t)(x.Events(t.Context(), "new", 0, 0)); len(e) != 1 || e[0].Seq <= last {
		t.Errorf("a number was given twice: %v after %d", e, last)
	}
}

func pruneNumber(t *testing.T, s Store) {
	x := s.Sessions()
	for i := range 30 {
		ok(t, x.Append(t.Context(), []session.Event{{Time: noon, Kind: session.KindCall, Session: fmt.Sprint("s", i/10), CallID: fmt.Sprint(i)}}))
	}
	if n := must[int](t)(x.Prune(t.Context(), time.Time{}, 12)); n != 18 {
		t.Errorf("%d events went, want 18", n)
	}
	if all := must[[]session.Summary](t)(x.Sessions(t.Context(), session.Filter{})); len(all) != 2 {
		t.Errorf("%d sessions are left, want 2", len(all))
	}
	if left := must[[]session.Event](t)(x.Events(t.Context(), "s1", 0, 0)); len(left) != 2 || left[0].CallID != "18" {
		t.Errorf("left: %v", left)
	}
	if n := must[int](t)(x.Prune(t.Context(), time.Time{}, 12)); n != 0 {
		t.Errorf("%d more went", n)
	}
}

func writers(t *testing.T, s Store) {
	x := s.Sessions()
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := range 25 {
				e := session.Event{Time: noon, Kind: session.KindCall, Session: fmt.Sprint("s", w), CallID: fmt.Sprint(i)}
				if err := x.Append(t.Context(), []session.Event{e}); err != nil {
					t.Error(err)
				}
				if _, err := x.Sessions(t.Context(), session.Filter{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for w := range 8 {
		if got := must[[]session.Event](t)(x.Events(t.Context(), fmt.Sprint("s", w), 0, 0)); len(got) != 25 {
			t.Errorf("writer %d has %d events", w, len(got))
		}
	}
}
