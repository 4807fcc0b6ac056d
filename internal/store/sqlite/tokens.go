package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolcrib/toolcrib/internal/token"
)

// Tokens returns the tokens' part of the database.
func (d *DB) Tokens() token.Store { return tokens{d} }

type tokens struct{ *DB }

const tokenColumns = `id, name, hash, agent, owner, harness, allow, deny, created, expires, last_used, revoked`

// scanToken reads a row of tokenColumns.
func scanToken(row interface{ Scan(...any) error }) (token.Kept, error) {
	var t token.Kept
	var hash []byte
	var allow, deny string
	var created, expires, used, revoked int64
	err := row.Scan(&t.ID, &t.Name, &hash, &t.Agent, &t.Owner, &t.Harness, &allow, &deny, &created, &expires, &used, &revoked)
	if err != nil {
		return t, err
	}
	copy(t.Hash[:], hash)
	t.Created, t.Expires, t.LastUsed, t.Revoked = at(created), at(expires), at(used), at(revoked)
	return t, errors.Join(json.Unmarshal([]byte(allow), &t.Allow), json.Unmarshal([]byte(deny), &t.Deny))
}

// AddToken implements token.Store.
func (x tokens) AddToken(ctx context.Context, t token.Kept) (bool, error) {
	allow, err := json.Marshal(t.Allow)
	if err != nil {
		return false, err
	}
	deny, err := json.Marshal(t.Deny)
	if err != nil {
		return false, err
	}
	var n int
	err = x.write(ctx, func(tx *sql.Tx) (err error) {
		n, err = affected(tx.ExecContext(ctx, `INSERT INTO tokens (`+tokenColumns+`) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
			WHERE NOT EXISTS (SELECT 1 FROM tokens WHERE name = ?2 AND revoked = 0 AND (expires = 0 OR expires > ?9))`,
			t.ID, t.Name, t.Hash[:], t.Agent, t.Owner, t.Harness, string(allow), string(deny), micros(t.Created), micros(t.Expires), micros(t.LastUsed), micros(t.Revoked)))
		return err
	})
	return n > 0, err
}

// FindToken implements token.Store.
func (x tokens) FindToken(ctx context.Context, h token.Hash) (token.Kept, bool, error) {
	return x.one(ctx, `SELECT `+tokenColumns+` FROM tokens WHERE hash = ?`, h[:])
}

// Token implements token.Store.
func (x tokens) Token(ctx context.Context, id string) (token.Token, bool, error) {
	t, ok, err := x.one(ctx, `SELECT `+tokenColumns+` FROM tokens WHERE id = ?`, id)
	return t.Token, ok, err
}

// one reads the token of a query. A file that isn't the one that was opened any
// more has nothing to say.
func (x tokens) one(ctx context.Context, query string, arg any) (token.Kept, bool, error) {
	if err := x.present(); err != nil {
		return token.Kept{}, false, err
	}
	t, err := scanToken(x.reader.QueryRowContext(ctx, query, arg))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return token.Kept{}, false, nil
	case err != nil:
		return token.Kept{}, false, explain(x.path, err)
	}
	return t, true, nil
}

// Tokens implements token.Store.
func (x tokens) Tokens(ctx context.Context) ([]token.Token, error) {
	if err := x.present(); err != nil {
		return nil, err
	}
	return list(ctx, x.DB, func(row interface{ Scan(...any) error }) (token.Token, error) {
		t, err := scanToken(row)
		return t.Token, err
	}, `SELECT `+tokenColumns+` FROM tokens ORDER BY created, id`)
}

// AnyToken implements token.Store.
func (x tokens) AnyToken(ctx context.Context) (bool, error) {
	if err := x.present(); err != nil {
		return false, err
	}
	var found bool
	err := x.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM tokens)`).Scan(&found)
	return found, explain(x.path, err)
}

// RevokeToken implements token.Store.
func (x tokens) RevokeToken(ctx context.Context, id string, now time.Time) (bool, error) {
	return x.change(ctx, `UPDATE tokens SET revoked = ?2 WHERE id = ?1 AND revoked = 0`, id, micros(now))
}

// UseToken implements token.Store.
func (x tokens) UseToken(ctx context.Context, id string, now time.Time) error {
	_, err := x.change(ctx, `UPDATE tokens SET last_used = ?2 WHERE id = ?1 AND last_used < ?2`, id, micros(now))
	return err
}

// DeleteToken implements token.Store.
func (x tokens) DeleteToken(ctx context.Context, id string) (bool, error) {
	return x.change(ctx, `DELETE FROM tokens WHERE id = ?`, id)
}

// change runs one statement, and reports whether it changed anything.
func (x tokens) change(ctx context.Context, statement string, args ...any) (bool, error) {
	var n int
	err := x.write(ctx, func(tx *sql.Tx) (err error) {
		n, err = affected(tx.ExecContext(ctx, statement, args...))
		return err
	})
	return n > 0, err
}
