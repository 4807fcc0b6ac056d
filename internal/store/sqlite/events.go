package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolcrib/toolcrib/internal/session"
)

// statements are those that every audited call runs, prepared once.
type statements struct{ insert, count *sql.Stmt }

const insertEvent = `INSERT INTO events (session, time, data) VALUES (?, ?, ?)`

// countSession counts events into their session; what is known first stays.
const countSession = `INSERT INTO sessions (id, agent, client, caller, door, mode, started, ended, last, events, searches, describes, calls, failed, refused,
		shows, bytes, direct_bytes, input_tokens, output_tokens)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (id) DO UPDATE SET
		agent = iif(agent = '', excluded.agent, agent), client = iif(client = '', excluded.client, client),
		caller = iif(caller = '', excluded.caller, caller), door = iif(door = '', excluded.door, door),
		mode = iif(excluded.mode = '', mode, excluded.mode), ended = excluded.ended, last = excluded.last,
		events = events + excluded.events, searches = searches + excluded.searches, describes = describes + excluded.describes,
		calls = calls + excluded.calls, failed = failed + excluded.failed, refused = refused + excluded.refused,
		shows = shows + excluded.shows, bytes = bytes + excluded.bytes, direct_bytes = direct_bytes + excluded.direct_bytes,
		input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens`

func (s *statements) prepare(ctx context.Context, db *sql.DB) (err error) {
	if s.insert, err = db.PrepareContext(ctx, insertEvent); err != nil {
		return err
	}
	s.count, err = db.PrepareContext(ctx, countSession)
	return err
}

func (s *statements) close() {
	for _, statement := range []*sql.Stmt{s.insert, s.count} {
		if statement != nil {
			statement.Close()
		}
	}
}

// Sessions returns the events' part of the database.
func (d *DB) Sessions() session.Store { return sessions{d} }

type sessions struct{ *DB }

// Append implements session.Store.
func (s sessions) Append(ctx context.Context, events []session.Event) error {
	if len(events) == 0 {
		return nil
	}
	rows := make([]string, len(events))
	for i, e := range events {
		e.Seq, e.Time = 0, e.Time.UTC()
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		rows[i] = string(data)
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		insert, count := tx.StmtContext(ctx, s.statements.insert), tx.StmtContext(ctx, s.statements.count)
		counted := map[string]*session.Summary{}
		for i, e := range events {
			done, err := insert.ExecContext(ctx, e.Session, micros(e.Time), rows[i])
			if err != nil {
				return err
			}
			if e.Seq, err = done.LastInsertId(); err != nil {
				return err
			}
			if counted[e.Session] == nil {
				counted[e.Session] = &session.Summary{}
			}
			counted[e.Session].Add(e)
		}
		for _, c := range counted {
			if _, err := count.ExecContext(ctx, c.ID, c.Agent, c.Client, c.Caller, c.Door, c.Mode, micros(c.Started), micros(c.Ended), c.Last,
				c.Events, c.Searches, c.Describes, c.Calls, c.Failed, c.Refused, c.Shows, c.Bytes, c.DirectBytes, c.InputTokens, c.OutputTokens); err != nil {
				return err
			}
		}
		return nil
	})
}

const summaryColumns = `id, agent, client, caller, door, mode, started, ended, last, events, searches, describes, calls, failed, refused, shows, bytes, direct_bytes, input_tokens, output_tokens`

func scanSummary(row interface{ Scan(...any) error }) (session.Summary, error) {
	var s session.Summary
	var started, ended int64
	err := row.Scan(&s.ID, &s.Agent, &s.Client, &s.Caller, &s.Door, &s.Mode, &started, &ended, &s.Last, &s.Events, &s.Searches, &s.Describes, &s.Calls, &s.Failed, &s.Refused,
		&s.Shows, &s.Bytes, &s.DirectBytes, &s.InputTokens, &s.OutputTokens)
	s.Started, s.Ended = at(started), at(ended)
	return s, err
}

// Sessions implements session.Store.
func (s sessions) Sessions(ctx context.Context, f session.Filter) ([]session.Summary, error) {
	f = f.Bounded()
	return list(ctx, s.DB, scanSummary, `SELECT `+summaryColumns+` FROM sessions
		WHERE (?1 = '' OR agent = ?1) AND (?2 = 0 OR last < ?2) ORDER BY last DESC LIMIT ?3`, f.Agent, f.Before, f.Limit)
}

// Session implements session.Store.
func (s sessions) Session(ctx context.Context, id string) (session.Summary, bool, error) {
	found, err := scanSummary(s.reader.QueryRowContext(ctx, `SELECT `+summaryColumns+` FROM sessions WHERE id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return session.Summary{}, false, nil
	}
	return found, err == nil, explain(s.path, err)
}

// Totals implements session.Store.
func (s sessions) Totals(ctx context.Context, since time.Time) ([]session.Total, error) {
	return list(ctx, s.DB, func(row interface{ Scan(...any) error }) (session.Total, error) {
		var t session.Total
		err := row.Scan(&t.Agent, &t.Sessions, &t.Searches, &t.Describes, &t.Calls, &t.Failed, &t.Refused,
			&t.Shows, &t.Bytes, &t.DirectBytes, &t.InputTokens, &t.OutputTokens)
		return t, err
	}, `SELECT agent, count(*), sum(searches), sum(describes), sum(calls), sum(failed), sum(refused),
		sum(shows), sum(bytes), sum(direct_bytes), sum(input_tokens), sum(output_tokens)
		FROM sessions WHERE ended >= ? GROUP BY agent ORDER BY agent`, micros(since))
}

// Events implements session.Store.
func (s sessions) Events(ctx context.Context, id string, after int64, limit int) ([]session.Event, error) {
	if limit <= 0 || limit > session.MaxEvents {
		limit = session.MaxEvents
	}
	return list(ctx, s.DB, func(row interface{ Scan(...any) error }) (session.Event, error) {
		var e session.Event
		var seq int64
		var data string
		if err := row.Scan(&seq, &data); err != nil {
			return e, err
		}
		err := json.Unmarshal([]byte(data), &e)
		e.Seq = seq
		return e, err
	}, `SELECT seq, data FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?`, id, after, limit)
}

// pruned is how many events go in one transaction, so that others can write between.
const pruned = 2000

// Prune implements session.Store.
func (s sessions) Prune(ctx context.Context, before time.Time, keep int) (int, error) {
	// Events come about in the order of their times, so the old ones are in front.
	gone, err := s.delete(ctx, `DELETE FROM events WHERE seq IN (SELECT seq FROM (SELECT seq, time FROM events ORDER BY seq LIMIT ?2) WHERE time < ?1)`, micros(before), pruned)
	if err == nil && keep > 0 {
		var more int
		more, err = s.delete(ctx, `DELETE FROM events WHERE seq IN (SELECT seq FROM events ORDER BY seq LIMIT min(?2, max(0, (SELECT count(*) FROM events) - ?1)))`, keep, pruned)
		gone += more
	}
	if err != nil || gone == 0 {
		return gone, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.session = sessions.id)`)
		return err
	})
	if err == nil {
		_, err = s.writer.ExecContext(ctx, `PRAGMA incremental_vacuum`)
	}
	return gone, explain(s.path, err)
}

// delete runs a statement until it deletes nothing more.
func (s sessions) delete(ctx context.Context, statement string, args ...any) (int, error) {
	gone := 0
	for {
		var n int
		err := s.write(ctx, func(tx *sql.Tx) (err error) {
			n, err = affected(tx.ExecContext(ctx, statement, args...))
			return err
		})
		gone += n
		if err != nil || n == 0 {
			return gone, err
		}
	}
}

// list reads all rows of a query.
func list[T any](ctx context.Context, d *DB, scan func(interface{ Scan(...any) error }) (T, error), query string, args ...any) ([]T, error) {
	rows, err := d.reader.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, explain(d.path, err)
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, explain(d.path, err)
		}
		all = append(all, one)
	}
	return all, explain(d.path, rows.Err())
}

// micros is a time as it is kept; 0 for none.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// at is the time of micros.
func at(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
