package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/toolcrib/toolcrib"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	path string
	file os.FileInfo // as it was opened, to see when it goes
	// One connection writes, so that writers of this process wait in Go's queue
	// and not in SQLite's busy loop; some read beside it.
	writer, reader *sql.DB
	statements     statements
	checkpoints    checkpoints
}

// readers is how many connections read at the same time.
const readers = 2

// cacheKiB bounds the pages that one connection keeps in memory, in KiB. The
// database is read seldom, and the system caches its file.
const cacheKiB = 256

// idleReader is how long a connection for reading is kept unused.
const idleReader = 10 * time.Second

// pragmas are those of every connection, and writing those of the one that writes.
// Without a sync at each commit a commit costs a tenth of a millisecond; with WAL
// that is safe for the file.
var (
	pragmas = []string{"busy_timeout(5000)", "temp_store(MEMORY)", fmt.Sprintf("cache_size(-%d)", cacheKiB)}
	writing = append(pragmas[:len(pragmas):len(pragmas)], "synchronous(NORMAL)", "foreign_keys(1)", "journal_size_limit(16777216)", "wal_autocheckpoint(16384)")
)

// Open opens the database at path, makes it if there is none (mode 0600, folders
// 0700), and brings it into the present form. Errors are *toolcrib.Error: of
// KindConfig when the file is something else or of a newer toolcrib, of
// KindUnavailable when it can't be opened or written.
func Open(ctx context.Context, path string) (*DB, error) {
	if err := prepare(path); err != nil {
		return nil, err
	}
	d := &DB{path: path}
	var err error
	if d.writer, err = connect(path, 1, writing...); err != nil {
		return nil, explain(path, err)
	}
	if d.reader, err = connect(path, readers, append(pragmas[:len(pragmas):len(pragmas)], "query_only(1)")...); err != nil {
		d.Close()
		return nil, explain(path, err)
	}
	if err := d.open(ctx); err != nil {
		d.Close() // the first error says more
		return nil, err
	}
	return d, nil
}

func (d *DB) open(ctx context.Context) error {
	if err := d.migrate(ctx); err != nil {
		return err
	}
	var err error
	if d.file, err = os.Stat(d.path); err != nil {
		return explain(d.path, err)
	}
	if err := d.statements.prepare(ctx, d.writer); err != nil {
		return explain(d.path, err)
	}
	d.checkpoints.start(d.reader)
	return nil
}

// prepare makes the file and its folders with their modes, before SQLite would
// make it with others. What lies beside it takes its mode.
func prepare(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return explain(path, err)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return toolcrib.NewError(toolcrib.KindConfig, "the store "+path+" is no file", "name another in store.url")
	case err == nil && info.Mode().Perm()&0o077 != 0:
		err = os.Chmod(path, 0o600)
	case errors.Is(err, fs.ErrNotExist):
		var f *os.File
		if f, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
			err = f.Close()
		}
	}
	return explain(path, err)
}

// connect opens a pool of at most n connections. None is made before it is used.
func connect(path string, n int, pragmas ...string) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") && filepath.IsAbs(path) {
		slashed = "/" + slashed // C:/…
	}
	query := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}.Encode()
	where := (&url.URL{Path: slashed}).EscapedPath()
	db, err := sql.Open("sqlite", "file:"+where+"?"+query)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	if n > 1 {
		db.SetConnMaxIdleTime(idleReader)
	}
	return db, nil
}

// Close ends all work on the database.
func (d *DB) Close() error {
	var err error
	d.checkpoints.stop()
	d.statements.close()
	for _, db := range []*sql.DB{d.reader, d.writer} { // the writer last: it tidies up
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	return err
}

// Path is the file.
func (d *DB) Path() string { return d.path }

// ErrGone is wrapped by the error of a write to a database whose file was removed
// or replaced: what is written there is lost, so open it anew.
var ErrGone = errors.New("the file of the database was removed or replaced")

// write does some work in one transaction: all of it or nothing.
func (d *DB) write(ctx context.Context, work func(*sql.Tx) error) error {
	if err := d.present(); err != nil {
		return err
	}
	tx, err := d.writer.BeginTx(ctx, nil)
	if err != nil {
		return explain(d.path, err)
	}
	if err := work(tx); err != nil {
		_ = tx.Rollback() // the first error says more
		return explain(d.path, err)
	}
	err = tx.Commit()
	d.checkpoints.count()
	return explain(d.path, err)
}

// present sees whether the file is still the one that was opened.
func (d *DB) present() error {
	now, err := os.Stat(d.path)
	if err == nil && os.SameFile(now, d.file) {
		return nil
	}
	return toolcrib.NewError(toolcrib.KindUnavailable, "the store "+d.path+" was removed or replaced while it was open", "").WithCause(ErrGone)
}

// affected is how many rows a statement changed.
func affected(r sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}
