package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/toolcrib/toolcrib"
)

// application is what the file's header says that it is: "tcrb".
const application = 0x74637262

// migrate brings the database into the present form, one step at a time, each in
// a transaction of its own. Several processes may do so at once: each step looks
// again, under the lock, whether it is still to be done.
func (d *DB) migrate(ctx context.Context) error {
	if err := d.fresh(ctx); err != nil {
		return explain(d.path, err)
	}
	for {
		var more bool
		err := transact(ctx, d.writer, func(tx *sql.Tx) (err error) {
			more, err = d.step(ctx, tx)
			return err
		})
		if err != nil || !more {
			return explain(d.path, err)
		}
	}
}

// fresh makes sure that the file is ours or empty, and makes an empty one into one
// that is written ahead and gives back the room that it doesn't need any more. Both
// stay with the file.
func (d *DB) fresh(ctx context.Context) error {
	at := 0
	err := transact(ctx, d.writer, func(tx *sql.Tx) (err error) {
		at, err = d.version(ctx, tx)
		return err
	})
	if err != nil || at > 0 {
		return err
	}
	for _, pragma := range []string{`PRAGMA auto_vacuum = INCREMENTAL`, `PRAGMA journal_mode = WAL`} {
		if _, err := d.writer.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	return nil
}

// transact runs work in a transaction of db.
func transact(ctx context.Context, db *sql.DB, work func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := work(tx); err != nil {
		_ = tx.Rollback() // the first error says more
		return err
	}
	return tx.Commit()
}

// step takes the next step, and reports whether there was one.
func (d *DB) step(ctx context.Context, tx *sql.Tx) (bool, error) {
	at, err := d.version(ctx, tx)
	if err != nil {
		return false, err
	}
	if at > len(migrations) {
		return false, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("the store %s was written by a newer toolcrib: its form is %d, and this one knows %d", d.path, at, len(migrations)),
			"run that one, or name another file in store.url")
	}
	if at == len(migrations) {
		return false, nil
	}
	next := migrations[at]
	for _, statement := range next.statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return false, fmt.Errorf("step %d, %s: %w", at+1, next.name, err)
		}
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO migrations (number, name, applied) VALUES (?, ?, ?)`, at+1, next.name, time.Now().UTC().Format(time.RFC3339))
	return true, err
}

// version is the number of the last step that was taken, 0 for a new file. A file
// that is another program's is refused.
func (d *DB) version(ctx context.Context, tx *sql.Tx) (int, error) {
	var id, tables int
	if err := tx.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&id); err != nil {
		return 0, err
	}
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE type = 'table'`).Scan(&tables); err != nil {
		return 0, err
	}
	if id != application && (id != 0 || tables > 0) {
		return 0, toolcrib.NewError(toolcrib.KindConfig, "the store "+d.path+" is another program's database", "name another file in store.url")
	}
	if tables == 0 {
		return 0, nil
	}
	var at int
	err := tx.QueryRowContext(ctx, `SELECT coalesce(max(number), 0) FROM migrations`).Scan(&at)
	return at, err
}
