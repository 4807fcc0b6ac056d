package sqlite

import (
	"context"
	"database/sql"

	"github.com/toolcrib/toolcrib/internal/store"
)

// Pins returns the pins' part of the database.
func (d *DB) Pins() store.Pins { return pins{d} }

type pins struct{ *DB }

// AddPins implements store.Pins.
func (p pins) AddPins(ctx context.Context, list []store.Pin) error {
	return p.put(ctx, list, `INSERT INTO pins (server, tool, hash, state, seen, form, waiting, rejected, flags) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
		ON CONFLICT (server, tool) DO NOTHING`)
}

// NotePins implements store.Pins.
func (p pins) NotePins(ctx context.Context, list []store.Pin) error {
	return p.put(ctx, list, `UPDATE pins SET waiting = ?7, flags = ?9, seen = ?5 WHERE server = ?1 AND tool = ?2`)
}

// PutPins implements store.Pins.
func (p pins) PutPins(ctx context.Context, list []store.Pin) error {
	return p.put(ctx, list, `INSERT INTO pins (server, tool, hash, state, seen, form, waiting, rejected, flags) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
		ON CONFLICT (server, tool) DO UPDATE SET hash = excluded.hash, state = excluded.state, seen = excluded.seen,
			form = excluded.form, waiting = excluded.waiting, rejected = excluded.rejected, flags = excluded.flags`)
}

// put runs a statement for each pin, in one transaction.
func (p pins) put(ctx context.Context, list []store.Pin, query string) error {
	return p.write(ctx, func(tx *sql.Tx) error {
		do, err := tx.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		defer do.Close()
		for _, pin := range list {
			if _, err := do.ExecContext(ctx, pin.Server, pin.Tool, pin.Hash, pin.State, micros(pin.Seen), pin.Form, pin.Waiting, pin.Rejected, string(pin.Flags)); err != nil {
				return err
			}
		}
		return marked(ctx, tx)
	})
}

// marked makes PinsMark another one.
func marked(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `UPDATE marks SET n = n + 1 WHERE name = 'pins'`)
	return err
}

// Pins implements store.Pins.
func (p pins) Pins(ctx context.Context, server string) ([]store.Pin, error) {
	return list(ctx, p.DB, func(row interface{ Scan(...any) error }) (store.Pin, error) {
		var pin store.Pin
		var seen int64
		var flags string
		err := row.Scan(&pin.Server, &pin.Tool, &pin.Hash, &pin.State, &seen, &pin.Form, &pin.Waiting, &pin.Rejected, &flags)
		pin.Seen = at(seen)
		if flags != "" {
			pin.Flags = []byte(flags)
		}
		return pin, err
	}, `SELECT server, tool, hash, state, seen, form, waiting, rejected, flags FROM pins WHERE ?1 = '' OR server = ?1 ORDER BY server, tool`, server)
}

// PinsMark implements store.Pins.
func (p pins) PinsMark(ctx context.Context) (int64, error) {
	marks, err := list(ctx, p.DB, func(row interface{ Scan(...any) error }) (n int64, err error) {
		return n, row.Scan(&n)
	}, `SELECT n FROM marks WHERE name = 'pins'`)
	if err != nil || len(marks) == 0 {
		return 0, err
	}
	return marks[0], nil
}

// DeletePin implements store.Pins.
func (p pins) DeletePin(ctx context.Context, server, tool string) (bool, error) {
	var n int
	err := p.write(ctx, func(tx *sql.Tx) (err error) {
		if n, err = affected(tx.ExecContext(ctx, `DELETE FROM pins WHERE server = ?1 AND (?2 = '' OR tool = ?2)`, server, tool)); err != nil {
			return err
		}
		return marked(ctx, tx)
	})
	return n > 0, err
}
