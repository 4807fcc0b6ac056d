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
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO results (id, session, reader, bytes, expires) VALUES (?, ?, ?, ?, ?)`,
			r.ID, r.Session, r.Reader, r.Bytes, micros(r.Expires))
		return err
	})
}

// Result implements store.Results.
func (x results) Result(ctx context.Context, id, reader string, now time.Time) (store.Result, bool, error) {
	r := store.Result{ID: id, Reader: reader}
	var expires int64
	err := x.reader.QueryRowContext(ctx, `SELECT session, bytes, expires FROM results WHERE id = ? AND reader = ? AND expires > ?`, id, reader, micros(now)).
		Scan(&r.Session, &r.Bytes, &expires)
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

// Expire implements store.Results.
func (x results) Expire(ctx context.Context, now time.Time) (int, error) {
	var n int
	err := x.write(ctx, func(tx *sql.Tx) (err error) {
		n, err = affected(tx.ExecContext(ctx, `DELETE FROM results WHERE expires <= ?`, micros(now)))
		return err
	})
	return n, err
}
