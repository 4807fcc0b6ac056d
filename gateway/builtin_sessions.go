package gateway

import (
	"context"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/session"
	own "github.com/toolcrib/toolcrib/internal/source/builtin/sessions"
)

// sessionsSource is the source of session_status.
func (g *Gateway) sessionsSource(Options) (source, error) {
	return own.New(own.Options{Status: g.ownStatus, Logger: g.logger})
}

// ownStatus is what a caller may know of its own session.
func (g *Gateway) ownStatus(ctx context.Context, scope toolcrib.Scope) (own.Status, error) {
	status := own.Status{Agent: scope.Agent, Door: scope.Door, Client: scope.Client, Now: time.Now().Truncate(time.Second)}
	if of, ok := g.ownRecord(ctx, scope); ok {
		started := of.Started.Truncate(time.Second)
		status.Started = &started
		status.Done = &own.Done{Searches: of.Searches, Describes: of.Describes, Calls: of.Calls, Failed: of.Failed, Refused: of.Refused}
	}
	if s := g.sessions.of(scope); s != nil {
		s.describe(&status)
	}
	return status, nil
}

// of returns an open session of the caller; nil when there is none.
func (x *sessions) of(scope toolcrib.Scope) *Session {
	x.mu.Lock()
	defer x.mu.Unlock()
	for s := range x.open {
		o := s.scope
		if o.Session == scope.Session && o.Agent == scope.Agent && o.Caller == scope.Caller && o.Client == scope.Client && o.Door == scope.Door {
			return s
		}
	}
	return nil
}

// ownRecord is the record of the caller's session, if there is one that can be read.
// One of another caller or agent under the same name isn't the caller's.
func (g *Gateway) ownRecord(ctx context.Context, scope toolcrib.Scope) (of session.Summary, ok bool) {
	if g.recorder.off() {
		return of, false
	}
	record, err := g.readable(ctx)
	if err != nil {
		return of, false
	}
	of, ok, err = record.Session(ctx, scope.Session)
	return of, err == nil && ok && of.Agent == scope.Agent && of.Caller == scope.Caller
}

// describe adds what the session shows its model now.
func (s *Session) describe(status *own.Status) {
	s.mu.Lock()
	surface, plan, of := s.now, s.catalog, s.agent
	s.mu.Unlock()
	if surface == nil || plan == nil {
		return
	}
	shown := s.gateway.measure(surface, plan, s.look(of, surface.Mode()))
	status.Mode = shown.Mode
	status.Shown = &own.Shown{Tools: shown.Schemas, Bytes: shown.Bytes, DirectBytes: shown.DirectBytes}
	status.Tools, status.Down = counted(plan), []own.Down{}
	for _, o := range plan.Outages() {
		status.Down = append(status.Down, own.Down{Server: o.Server, State: o.State, Reason: s.gateway.secrets.redact(o.Reason)})
	}
}

// counted counts the tools of a catalog by their owners, in its order.
func counted(plan *catalog.Catalog) []own.Tools {
	list := []own.Tools{}
	for t := range plan.All() {
		at := slices.IndexFunc(list, func(c own.Tools) bool { return c.Source == t.Source && c.Owner == t.Owner })
		if at < 0 {
			at = len(list)
			list = append(list, own.Tools{Source: t.Source, Owner: t.Owner})
		}
		list[at].Tools++
	}
	return list
}
