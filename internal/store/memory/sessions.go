package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib/internal/session"
)

// sessions keeps events in the form in which they would be written, so that what
// comes back is nobody else's.
type sessions struct {
	guarded
	seq   int64
	rows  []row // by seq
	known map[string]*known
}

type row struct {
	seq     int64
	session string
	time    time.Time
	data    []byte
}

// known is a session with how many of its events are still there.
type known struct {
	session.Summary
	kept int
}

// Append implements session.Store.
func (s *sessions) Append(_ context.Context, events []session.Event) error {
	rows := make([]row, len(events))
	for i, e := range events {
		e.Seq, e.Time = 0, e.Time.UTC()
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		rows[i] = row{session: e.Session, time: e.Time, data: data}
	}
	defer s.lock()()
	for i, e := range events {
		s.seq++
		e.Seq, e.Time, rows[i].seq = s.seq, e.Time.UTC().Truncate(time.Microsecond), s.seq
		of := s.known[e.Session]
		if of == nil {
			of = &known{}
			s.known[e.Session] = of
		}
		of.Add(e)
		of.kept++
	}
	s.rows = append(s.rows, rows...)
	s.drop(len(s.rows) - MaxEvents)
	return nil
}

// drop forgets the n oldest events.
func (s *sessions) drop(n int) {
	if n <= 0 {
		return
	}
	for _, r := range s.rows[:n] {
		s.forget(r)
	}
	s.rows = slices.Delete(s.rows, 0, n)
}

// forget counts an event out of its session.
func (s *sessions) forget(r row) {
	of := s.known[r.session]
	of.kept--
	if of.kept == 0 {
		delete(s.known, r.session)
	}
}

// Sessions implements session.Store.
func (s *sessions) Sessions(_ context.Context, f session.Filter) ([]session.Summary, error) {
	f = f.Bounded()
	defer s.lock()()
	var all []session.Summary
	for _, k := range s.known {
		if (f.Agent == "" || f.Agent == k.Agent) && (f.Before == 0 || k.Last < f.Before) {
			all = append(all, k.Summary)
		}
	}
	slices.SortFunc(all, func(a, b session.Summary) int { return cmp.Compare(b.Last, a.Last) })
	return all[:min(len(all), f.Limit)], nil
}

// Session implements session.Store.
func (s *sessions) Session(_ context.Context, id string) (session.Summary, bool, error) {
	defer s.lock()()
	k := s.known[id]
	if k == nil {
		return session.Summary{}, false, nil
	}
	return k.Summary, true, nil
}

// Totals implements session.Store.
func (s *sessions) Totals(_ context.Context, since time.Time) ([]session.Total, error) {
	defer s.lock()()
	by := map[string]*session.Total{}
	for _, k := range s.known {
		if k.Ended.Before(since) {
			continue
		}
		if by[k.Agent] == nil {
			by[k.Agent] = &session.Total{Agent: k.Agent}
		}
		by[k.Agent].Add(k.Summary)
	}
	var all []session.Total
	for _, agent := range slices.Sorted(maps.Keys(by)) {
		all = append(all, *by[agent])
	}
	return all, nil
}

// Events implements session.Store.
func (s *sessions) Events(_ context.Context, id string, after int64, limit int) ([]session.Event, error) {
	if limit <= 0 || limit > session.MaxEvents {
		limit = session.MaxEvents
	}
	defer s.lock()()
	var events []session.Event
	for _, r := range s.rows {
		if r.session != id || r.seq <= after {
			continue
		}
		if len(events) == limit {
			break
		}
		var e session.Event
		if err := json.Unmarshal(r.data, &e); err != nil {
			return nil, err
		}
		e.Seq = r.seq
		events = append(events, e)
	}
	return events, nil
}

// Prune implements session.Store.
func (s *sessions) Prune(_ context.Context, before time.Time, keep int) (int, error) {
	defer s.lock()()
	had := len(s.rows)
	s.rows = slices.DeleteFunc(s.rows, func(r row) bool {
		old := r.time.Before(before)
		if old {
			s.forget(r)
		}
		return old
	})
	if keep > 0 {
		s.drop(len(s.rows) - keep)
	}
	return had - len(s.rows), nil
}
