package gateway

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/session"
)

// readable returns the record, with what was recorded until now in it.
func (g *Gateway) readable(ctx context.Context) (session.Store, error) {
	bounded, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_ = g.recorder.log.Flush(bounded) // what can't be written now isn't there
	return g.store.sessions(ctx)
}

// Sessions implements httpapi.SessionControl.
func (c control) Sessions(ctx context.Context, r client.SessionsRequest) (client.SessionList, error) {
	record, err := c.readable(ctx)
	if err != nil {
		return client.SessionList{}, err
	}
	f := session.Filter{Agent: r.Agent, Before: r.Before, Limit: r.Limit}.Bounded()
	found, err := record.Sessions(ctx, f)
	list := client.SessionList{Sessions: make([]client.RecordedSession, len(found))}
	for i, s := range found {
		list.Sessions[i] = wireSession(s)
	}
	if len(found) == f.Limit {
		list.Before = found[len(found)-1].Last
	}
	return list, err
}

// recorded returns the record with the session that is asked for.
func (c control) recorded(ctx context.Context, id string) (session.Store, session.Summary, error) {
	record, err := c.readable(ctx)
	if err != nil {
		return nil, session.Summary{}, err
	}
	of, ok, err := record.Session(ctx, id)
	if err == nil && !ok {
		err = toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("there is no record of a session %q", id), "toolcrib sessions list shows those that there are")
	}
	return record, of, err
}

// SessionRecord implements httpapi.SessionControl.
func (c control) SessionRecord(ctx context.Context, id string) (client.SessionRecord, error) {
	record, of, err := c.recorded(ctx, id)
	if err != nil {
		return client.SessionRecord{}, err
	}
	events, err := record.Events(ctx, id, 0, 0)
	if err != nil {
		return client.SessionRecord{}, err
	}
	x := session.Explain(events)
	out := client.SessionRecord{
		Session: wireSession(of), Found: orNone(x.Found), Described: orNone(x.Described), Events: make([]client.SessionEvent, len(events)),
		Truncated: len(events) == session.MaxEvents,
	}
	for i, e := range events {
		out.Events[i] = wireEvent(e)
		if e.Kind == session.KindStart && out.Shown == nil {
			out.Shown = out.Events[i].Shown
		}
		if x.Final != nil && e.CallID == x.Final.CallID && (e.Kind == session.KindCall || e.Kind == session.KindStarted && x.Final.Outcome == "") {
			out.Final = &out.Events[i]
		}
	}
	return out, nil
}

func wireSession(s session.Summary) client.RecordedSession {
	return client.RecordedSession{
		ID: s.ID, Agent: s.Agent, Client: s.Client, Caller: s.Caller, Door: toolcrib.Door(s.Door), Mode: s.Mode, Started: s.Started, Last: s.Ended,
		Searches: s.Searches, Describes: s.Describes, Calls: s.Calls, Failed: s.Failed, Refused: s.Refused,
	}
}

func wireEvent(e session.Event) client.SessionEvent {
	out := client.SessionEvent{
		Seq: e.Seq, Time: e.Time, Kind: string(e.Kind), Run: e.Run, CallID: e.CallID, Parent: e.Parent, Tool: e.Tool, Source: e.Source,
		Query: e.Query, Hits: e.Hits, Args: e.Args, Ms: e.Ms, Outcome: string(e.Outcome), Failure: e.Failure, Reason: e.Reason, Rule: e.Rule,
		Decision: e.Decision, By: e.By,
	}
	out.Shown, out.Usage = (*client.SessionShown)(e.Shown), (*client.SessionUsage)(e.Usage)
	out.Model, out.RequestBytes = e.Model, e.RequestBytes
	return out
}

// SessionEvents implements httpapi.SessionControl.
func (c control) SessionEvents(ctx context.Context, id string, after int64) (client.SessionEvents, error) {
	record, _, err := c.recorded(ctx, id)
	if err != nil {
		return client.SessionEvents{}, err
	}
	events, err := record.Events(ctx, id, after, 0)
	page := client.SessionEvents{Events: make([]client.SessionEvent, len(events))}
	for i, e := range events {
		page.Events[i] = wireEvent(e)
	}
	if len(events) == session.MaxEvents {
		page.After = events[len(events)-1].Seq
	}
	return page, err
}

// ExplainSession implements httpapi.SessionControl.
func (c control) ExplainSession(ctx context.Context, id string) (client.SessionExplanation, error) {
	record, _, err := c.recorded(ctx, id)
	if err != nil {
		return client.SessionExplanation{}, err
	}
	var all []session.Event
	for after, more := int64(0), true; more; {
		page, err := record.Events(ctx, id, after, 0)
		if err != nil {
			return client.SessionExplanation{}, err
		}
		all = append(all, page...)
		if more = len(page) == session.MaxEvents; more {
			after = page[len(page)-1].Seq
		}
	}
	x := session.Explain(all)
	out := client.SessionExplanation{
		Session: id, Shown: (*client.SessionShown)(x.Shown), Searches: x.Searches, Describes: x.Describes, Bodies: x.Bodies, Requests: x.Requests,
		Found: orNone(x.Found), Described: orNone(x.Described), Calls: make([]client.SessionCall, len(x.Calls)),
	}
	for i, called := range x.Calls {
		out.Calls[i] = wireCalled(called)
	}
	if x.Final != nil {
		out.Final = new(wireCalled(*x.Final))
	}
	return out, nil
}

func wireCalled(c session.Called) client.SessionCall {
	return client.SessionCall{CallID: c.CallID, Tool: c.Tool, Source: c.Source, Ms: c.Ms, Outcome: string(c.Outcome), Failure: c.Failure, Reason: c.Reason}
}

// orNone makes a list that JSON shows as [] where it would be null.
func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
