package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/store/sqlite"
)

func event(id string) []session.Event {
	return []session.Event{{Time: time.Unix(1, 0), Kind: session.KindStarted, Session: "s", CallID: id}}
}

// raw opens a database without this package.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of Unix")
	}
	folder := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(folder, "x.db")
	d := open(t, path)
	if err := d.Sessions().Append(t.Context(), event("a")); err != nil {
		t.Fatal(err)
	}
	want := map[string]fs.FileMode{folder: fs.ModeDir | 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600}
	check := func() {
		t.Helper()
		for name, mode := range want {
			info, err := os.Stat(name)
			if err != nil || info.Mode() != mode {
				t.Errorf("%s: %v, %v, want %v", filepath.Base(name), info, err, mode)
			}
		}
	}
	check()
	d.Close()
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	d = open(t, path)
	if err := d.Sessions().Append(t.Context(), event("b")); err != nil {
		t.Fatal(err)
	}
	check()
}

// Every file that can't be the store says what it is and what to do.
func TestOpenRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(t *testing.T, path string) (open string)
		kind    toolcrib.Kind
		says    string
	}{
		"no database": {func(t *testing.T, path string) string {
			if err := os.WriteFile(path, bytes.Repeat([]byte("this is text. "), 1000), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, toolcrib.KindConfig, "is no database, or a broken one"},
		"a broken one": {func(t *testing.T, path string) string {
			d := open(t, path)
			for i := range 200 {
				if err := d.Sessions().Append(t.Context(), event(fmt.Sprint(i))); err != nil {
					t.Fatal(err)
				}
			}
			d.Close()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i := 100; i < len(data); i++ { // all but the header
				data[i] ^= 0x5a
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, toolcrib.KindUnavailable, "is broken"},
		"another program's": {func(t *testing.T, path string) string {
			run(t, raw(t, path), `CREATE TABLE bookmarks (url TEXT)`)
			return path
		}, toolcrib.KindConfig, "is another program's database"},
		"another program's, marked": {func(t *testing.T, path string) string {
			run(t, raw(t, path), `PRAGMA application_id = 42`)
			return path
		}, toolcrib.KindConfig, "is another program's database"},
		"a newer toolcrib's": {func(t *testing.T, path string) string {
			open(t, path).Close()
			run(t, raw(t, path), `INSERT INTO migrations (number, name, applied) VALUES (99, 'later', '')`)
			return path
		}, toolcrib.KindConfig, "was written by a newer toolcrib: its form is 99"},
		"a folder": {func(t *testing.T, path string) string {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
			return path
		}, toolcrib.KindConfig, "is no file"},
		"below a file": {func(t *testing.T, path string) string {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(path, "x.db")
		}, toolcrib.KindConfig, "a part of its path is a file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := test.prepare(t, filepath.Join(t.TempDir(), "x.db"))
			before, _ := os.ReadFile(path)
			d, err := sqlite.Open(t.Context(), path)
			if err == nil {
				d.Close()
				t.Fatal("it was opened")
			}
			if toolcrib.KindOf(err) != test.kind || !strings.Contains(err.Error(), path+" ") && !strings.Contains(err.Error(), filepath.Dir(path)) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("kind %s: %v", toolcrib.KindOf(err), err)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

// A file that goes while it is open is noticed: what is written there is lost.
func TestFileGoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	d := open(t, path)
	if err := d.Sessions().Append(t.Context(), event("a")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := d.Sessions().Append(t.Context(), event("b")); !errors.Is(err, sqlite.ErrGone) || toolcrib.KindOf(err) != toolcrib.KindUnavailable {
		t.Errorf("removed: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Sessions().Append(t.Context(), event("c")); !errors.Is(err, sqlite.ErrGone) {
		t.Errorf("replaced: %v", err)
	}
}

// Another program that holds the lock makes a writer wait, and then fail with a
// reason.
func TestHeldByAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	d := open(t, path)
	other, err := raw(t, path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	err = d.Sessions().Append(t.Context(), event("a"))
	if toolcrib.KindOf(err) != toolcrib.KindUnavailable || !strings.Contains(err.Error(), "held by another program") {
		t.Errorf("held: %v", err)
	}
	if _, err := d.Sessions().Sessions(t.Context(), session.Filter{}); err != nil {
		t.Errorf("reading goes on: %v", err)
	}
	if _, err := other.ExecContext(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	if err := d.Sessions().Append(t.Context(), event("b")); err != nil {
		t.Errorf("let go: %v", err)
	}
}
