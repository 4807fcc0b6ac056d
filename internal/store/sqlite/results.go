package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/toolcrib/toolcrib/internal/store"
)

// Results returns the kept results' part of the database.
func (d *DB) Results() store.Results { return results{d} }

type results struct{ *DB }

// PutResult implements store.Results.
func (x results) PutResult(ctx context.Context, r store.Result) error {
	if r.Bytes == nil {
		r.Bytes = []byte{} // NULL otherwise
	}
	return x.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO results (id, session, reader, bytes, dropped, expires) VALUES (?, ?, ?, ?, ?, ?)`,
			r.ID, r.Session, r.Reader, r.Bytes, r.Dropped, micros(r.Expires))
		return err
	})
}

// Result implements store.Results.
func (x results) Result(ctx context.Context, id, reader string, now time.Time) (store.Result, bool, error) {
	r := store.Result{ID: id, Reader: reader}
	var expires int64
	err := x.reader.QueryRowContext(ctx, `SELECT session, bytes, dropped, expires FROM results WHERE id = ? AND reader = ? AND expires > ?`, id, reader, micros(now)).
		Scan(&r.Session, &r.Bytes, &r.Dropped, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return store.Result{}, false, nil
	}
	r.Expires = at(expires)
	return r, err == nil, explain(x.path, err)
}

// EndSession implements store.Results.
func (x results) EndSession(ctx context.Context, session string) error {
	return x.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM results WHERE session = ?`, session)
		return err
	})
}

// trims forget what is beyond bounds. The length of a blob is read without the blob.
var trims = []string{
	`DELETE FROM results WHERE expires <= :now`,
	`DELETE FROM results WHERE session = :session AND rowid NOT IN (
		SELECT rowid FROM results WHERE session = :session ORDER BY expires DESC, rowid DESC LIMIT :most)`,
	`DELETE FROM results WHERE rowid IN (
		SELECT rowid FROM (SELECT rowid, SUM(length(bytes) + :cost) OVER (ORDER BY expires DESC, rowid DESC) AS upto FROM results) WHERE upto > :total)`,
}

// TrimResults implements store.Results.
func (x results) TrimResults(ctx context.Context, b store.ResultBounds) error {
	bounds := []any{
		sql.Named("now", micros(b.Now)), sql.Named("session", b.Session), sql.Named("most", b.PerSession),
		sql.Named("cost", store.ResultCost), sql.Named("total", b.Total),
	}
	return x.write(ctx, func(tx *sql.Tx) error {
		for _, trim := range trims {
			if _, err := tx.ExecContext(ctx, trim, bounds...); err != nil {
				return err
			}
		}
		return nil
	})
}

// Expire implements store.Results.
func (x results) Expire(ctx context.Context, now time.Time) (int, error) {
	var n int
	err := x.write(ctx, func(tx *sql.Tx) (err error) {
		n, err = affected(tx.ExecContext(ctx, `DELETE FROM results WHERE expires <= ?`, micros(now)))
		return err
	})
	return n, err
}
