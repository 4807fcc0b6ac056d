package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/approval"
)

// Approvals returns the grants' and questions' part of the database.
func (d *DB) Approvals() approval.Store { return approvals{d} }

type approvals struct{ *DB }

const grantColumns = `id, agent, tool, rule, args_hash, made_by, created, last_used, uses`

// UseGrant implements approval.Store. Most keys have none, and looking takes no lock.
func (x approvals) UseGrant(ctx context.Context, k approval.Key, now time.Time) (g approval.Grant, ok bool, err error) {
	const of = ` WHERE agent = ? AND tool = ? AND rule = ? AND args_hash = ?`
	var one int
	err = x.reader.QueryRowContext(ctx, `SELECT 1 FROM grants`+of, k.Agent, k.Tool, k.Rule, k.ArgsHash).Scan(&one)
	if err == nil {
		err = x.write(ctx, func(tx *sql.Tx) (err error) {
			g, err = scanGrant(tx.QueryRowContext(ctx, `UPDATE grants SET uses = uses + 1, last_used = ?`+of+` RETURNING `+grantColumns,
				micros(now), k.Agent, k.Tool, k.Rule, k.ArgsHash))
			if errors.Is(err, sql.ErrNoRows) { // revoked just now
				return nil
			}
			ok = err == nil
			return err
		})
		return g, ok && err == nil, err
	}
	if errors.Is(err, sql.ErrNoRows) {
		return g, false, nil
	}
	return g, false, explain(x.path, err)
}

func scanGrant(row interface{ Scan(...any) error }) (g approval.Grant, err error) {
	var created, used int64
	err = row.Scan(&g.ID, &g.Agent, &g.Tool, &g.Rule, &g.ArgsHash, &g.By, &created, &used, &g.Uses)
	g.Created, g.LastUsed = at(created), at(used)
	return g, err
}

// Grants implements approval.Store.
func (x approvals) Grants(ctx context.Context) ([]approval.Grant, error) {
	return list(ctx, x.DB, scanGrant, `SELECT `+grantColumns+` FROM grants ORDER BY created, id`)
}

// DeleteGrant implements approval.Store.
func (x approvals) DeleteGrant(ctx context.Context, id string) (bool, error) {
	var n int
	err := x.write(ctx, func(tx *sql.Tx) (err error) {
		n, err = affected(tx.ExecContext(ctx, `DELETE FROM grants WHERE id = ?`, id))
		return err
	})
	return n > 0, err
}

// PutQuestion implements approval.Store.
func (x approvals) PutQuestion(ctx context.Context, r approval.Record) error {
	data, err := json.Marshal(r.Question)
	if err != nil {
		return toolcrib.NewError(toolcrib.KindInternal, "a question can't be written as JSON", "").WithCause(err)
	}
	var s approval.Settlement
	if r.Settled != nil {
		s = *r.Settled
	}
	return x.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO pending (id, question, asked, expires, holder, decision, settled_by, reason, settled) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.Question.ID, string(data), micros(r.Question.Asked), micros(r.Question.Expires), r.Holder, string(s.Decision), s.By, s.Reason, micros(s.At))
		return err
	})
}

// Settle implements approval.Store.
func (x approvals) Settle(ctx context.Context, id string, s approval.Settlement, grants []approval.Grant) (bool, error) {
	var n int
	err := x.write(ctx, func(tx *sql.Tx) (err error) {
		n, err = affected(tx.ExecContext(ctx, `UPDATE pending SET decision = ?, settled_by = ?, reason = ?, settled = ? WHERE id = ? AND settled = 0`,
			string(s.Decision), s.By, s.Reason, micros(s.At), id))
		if err != nil || n == 0 {
			return err
		}
		for _, g := range grants {
			if _, err := tx.ExecContext(ctx, `INSERT INTO grants (`+grantColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (agent, tool, rule, args_hash) DO NOTHING`,
				g.ID, g.Agent, g.Tool, g.Rule, g.ArgsHash, g.By, micros(g.Created), micros(g.LastUsed), g.Uses); err != nil {
				return err
			}
		}
		return nil
	})
	return n > 0 && err == nil, err
}

const questionColumns = `question, holder, decision, settled_by, reason, settled`

func scanQuestion(row interface{ Scan(...any) error }) (r approval.Record, err error) {
	var data string
	var s approval.Settlement
	var settled int64
	if err = row.Scan(&data, &r.Holder, &s.Decision, &s.By, &s.Reason, &settled); err != nil {
		return r, err
	}
	if settled != 0 {
		s.At = at(settled)
		r.Settled = &s
	}
	err = json.Unmarshal([]byte(data), &r.Question)
	r.Question.Timeout = r.Question.Expires.Sub(r.Question.Asked)
	return r, err
}

// Question implements approval.Store.
func (x approvals) Question(ctx context.Context, id string) (approval.Record, bool, error) {
	r, err := scanQuestion(x.reader.QueryRowContext(ctx, `SELECT `+questionColumns+` FROM pending WHERE id = ?`, id))
	if errors.Is(err, sql.ErrNoRows) {
		return approval.Record{}, false, nil
	}
	return r, err == nil, explain(x.path, err)
}

// Waiting implements approval.Store.
func (x approvals) Waiting(ctx context.Context) ([]approval.Record, error) {
	return list(ctx, x.DB, scanQuestion, `SELECT `+questionColumns+` FROM pending WHERE settled = 0 ORDER BY asked, id`)
}

// History implements approval.Store.
func (x approvals) History(ctx context.Context, limit int) ([]approval.Record, error) {
	return list(ctx, x.DB, scanQuestion, `SELECT `+questionColumns+` FROM pending WHERE settled > 0 ORDER BY settled DESC, asked DESC, id DESC LIMIT ?`, limit)
}

// PruneQuestions implements approval.Store.
func (x approvals) PruneQuestions(ctx context.Context, keep int) (int, error) {
	var n int
	err := x.write(ctx, func(tx *sql.Tx) (err error) {
		n, err = affected(tx.ExecContext(ctx, `DELETE FROM pending WHERE id IN (
			SELECT id FROM pending WHERE settled > 0 ORDER BY settled DESC, asked DESC, id DESC LIMIT -1 OFFSET ?)`, keep))
		return err
	})
	return n, err
}
