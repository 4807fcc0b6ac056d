package session

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

func TestExplain(t *testing.T) {
	call := func(id, tool string, o Outcome) Event {
		return Event{Kind: KindCall, CallID: id, Tool: tool, Source: toolcrib.SourceMCP, Outcome: o}
	}
	started := func(id, tool string) Event {
		return Event{Kind: KindStarted, CallID: id, Tool: tool, Source: toolcrib.SourceMCP}
	}
	begun := Event{Kind: KindStart, Shown: &Shown{Mode: "tools", Schemas: 3, Bytes: 1700, DirectBytes: 90_000}}
	for name, test := range map[string]struct {
		events []Event
		want   Explanation
	}{
		"nothing": {nil, Explanation{}},
		"a whole session": {[]Event{
			begun,
			{Kind: KindSearch, Hits: []string{"a", "b"}, Outcome: OK},
			{Kind: KindSearch, Hits: []string{"b", "c"}, Outcome: OK},
			{Kind: KindDescribe, Tool: "b", Outcome: OK},
			{Kind: KindDescribe, Outcome: Failed},
			{Kind: KindList, Shown: &Shown{Mode: "tools", Schemas: 9}},
			started("1", "b"), call("1", "b", OK), call("2", "", Refused),
			{Kind: KindCode, Outcome: OK},
			{Kind: KindRequest, Outcome: OK},
			{Kind: KindEnd},
		}, Explanation{
			Shown: begun.Shown, Searches: 2, Describes: 2, Bodies: 1, Requests: 1,
			Found: []string{"a", "b", "c"}, Described: []string{"b"},
			Calls: []Called{{CallID: "1", Tool: "b", Source: toolcrib.SourceMCP, Outcome: OK}, {CallID: "2", Source: toolcrib.SourceMCP, Outcome: Refused}},
			Final: &Called{CallID: "1", Tool: "b", Source: toolcrib.SourceMCP, Outcome: OK},
		}},
		"a call whose end is missing": {[]Event{
			started("1", "a"), started("2", "b"), call("1", "a", Failed),
		}, Explanation{
			Calls: []Called{{CallID: "1", Tool: "a", Source: toolcrib.SourceMCP, Outcome: Failed}, {CallID: "2", Tool: "b", Source: toolcrib.SourceMCP}},
			Final: &Called{CallID: "2", Tool: "b", Source: toolcrib.SourceMCP},
		}},
		"refused alone": {[]Event{call("1", "a", Refused)}, Explanation{
			Calls: []Called{{CallID: "1", Tool: "a", Source: toolcrib.SourceMCP, Outcome: Refused}},
		}},
	} {
		if diff := cmp.Diff(test.want, Explain(test.events)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFrom(t *testing.T) {
	at := time.Unix(100, 0)
	for _, test := range []struct {
		event   toolcrib.Event
		outcome Outcome
		parent  string
		reason  string
	}{
		{toolcrib.Event{Kind: toolcrib.EventCall, CallID: "c", Ran: true}, OK, "", ""},
		{toolcrib.Event{Kind: toolcrib.EventCall, CallID: "c:12", Ran: true, ToolFailed: true}, Failed, "c", "the tool reported a failure of its own"},
		{toolcrib.Event{Kind: toolcrib.EventCall, CallID: "a:b:1", Failure: toolcrib.KindBlocked, Reason: "no"}, Refused, "a:b", "no"},
		{toolcrib.Event{Kind: toolcrib.EventCall, CallID: "a:b", Failure: toolcrib.KindTimeout, Ran: true}, Failed, "", ""},
		{toolcrib.Event{Kind: toolcrib.EventCall, CallID: ":1", Failure: toolcrib.KindNotFound}, Refused, "", ""},
		{toolcrib.Event{Kind: toolcrib.EventSearch, CallID: "1:", Failure: toolcrib.KindInput}, Failed, "", ""},
	} {
		test.event.Time, test.event.Duration = at, 1500*time.Millisecond
		e := From(test.event)
		if e.Outcome != test.outcome || e.Parent != test.parent || e.Reason != test.reason {
			t.Errorf("%+v became %+v", test.event, e)
		}
		if e.Ms != 1500 || !e.Time.Equal(at.Add(1500*time.Millisecond)) {
			t.Errorf("%s: %v, %d ms", fmt.Sprint(test.event.Kind), e.Time, e.Ms)
		}
	}
}
