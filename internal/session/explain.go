package session

import (
	"slices"

	"github.com/toolcrib/toolcrib"
)

// Explanation is what a session's events say of it as a whole.
type Explanation struct {
	// Shown is what the model was shown when the session began; nil when nothing was
	// recorded of that.
	Shown *Shown
	// Searches, Describes and Bodies count what the model did, failures included,
	// and Requests how often it was asked.
	Searches, Describes, Bodies, Requests int
	// Found and Described are the ids of tools, each once, in the order in which
	// they first came.
	Found, Described []string
	// Calls are the calls in the order in which they ended, then those of which no
	// end is known.
	Calls []Called
	// Final is the last call that ran; nil when none did.
	Final *Called
}

// Called is one call of a tool.
type Called struct {
	CallID string
	// Tool is empty when what was asked for is no tool of the session.
	Tool    string
	Source  toolcrib.Source
	Ms      int64
	Outcome Outcome // empty when no end is known
	Failure toolcrib.Kind
	Reason  string
}

// Explain answers from events alone, in the order in which they were recorded:
// how many schemas the model saw up front, how many searches and describes it
// made, which tool it called in the end, and from which source that came.
func Explain(events []Event) Explanation {
	var x Explanation
	open := map[string]Event{}
	var order []string
	for _, e := range events {
		switch e.Kind {
		case KindStart:
			if x.Shown == nil {
				x.Shown = e.Shown
			}
		case KindSearch:
			x.Searches++
			x.Found = addNew(x.Found, e.Hits...)
		case KindDescribe:
			x.Describes++
			if e.Outcome == OK {
				x.Described = addNew(x.Described, e.Tool)
			}
		case KindCode:
			x.Bodies++
		case KindRequest:
			x.Requests++
		case KindStarted:
			open[e.CallID] = e
			order = append(order, e.CallID)
		case KindCall:
			delete(open, e.CallID)
			x.Calls = append(x.Calls, called(e))
		}
	}
	for _, id := range order {
		if e, ok := open[id]; ok {
			delete(open, id)
			x.Calls = append(x.Calls, called(e))
		}
	}
	x.Final = final(x.Calls)
	return x
}

// final is the last call that ran.
func final(calls []Called) *Called {
	for _, c := range slices.Backward(calls) {
		if c.Outcome != Refused {
			return &c
		}
	}
	return nil
}

func called(e Event) Called {
	return Called{CallID: e.CallID, Tool: e.Tool, Source: e.Source, Ms: e.Ms, Outcome: e.Outcome, Failure: e.Failure, Reason: e.Reason}
}

// addNew appends what isn't there yet.
func addNew(list []string, more ...string) []string {
	for _, s := range more {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
