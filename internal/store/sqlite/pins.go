package sqlite

import (
	"context"
	"database/sql"

	"github.com/toolcrib/toolcrib/internal/store"
)

// Pins returns the pins' part of the database.
func (d *DB) Pins() store.Pins { return pins{d} }

type pins struct{ *DB }

// PutPin implements store.Pins.
func (p pins) PutPin(ctx context.Context, pin store.Pin) error {
	return p.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO pins (server, tool, hash, state, seen) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (server, tool) DO UPDATE SET hash = excluded.hash, state = excluded.state, seen = excluded.seen`,
			pin.Server, pin.Tool, pin.Hash, pin.State, micros(pin.Seen))
		return err
	})
}

// Pins implements store.Pins.
func (p pins) Pins(ctx context.Context, server string) ([]store.Pin, error) {
	return list(ctx, p.DB, func(row interface{ Scan(...any) error }) (store.Pin, error) {
		var pin store.Pin
		var seen int64
		err := row.Scan(&pin.Server, &pin.Tool, &pin.Hash, &pin.State, &seen)
		pin.Seen = at(seen)
		return pin, err
	}, `SELECT server, tool, hash, state, seen FROM pins WHERE ?1 = '' OR server = ?1 ORDER BY server, tool`, server)
}

// DeletePin implements store.Pins.
func (p pins) DeletePin(ctx context.Context, server, tool string) (bool, error) {
	var n int
	err := p.write(ctx, func(tx *sql.Tx) (err error) {
		n, err = affected(tx.ExecContext(ctx, `DELETE FROM pins WHERE server = ?1 AND (?2 = '' OR tool = ?2)`, server, tool))
		return err
	})
	return n > 0, err
}
