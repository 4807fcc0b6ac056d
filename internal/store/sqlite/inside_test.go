package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/session"
)

// A full disk and one that turned read-only refuse the write with the reason, and
// nothing of it is there; when there is room again it goes on.
func TestDiskFails(t *testing.T) {
	for name, test := range map[string]struct{ fail, heal, says string }{
		"full":      {`PRAGMA max_page_count = 1`, `PRAGMA max_page_count = 4294967294`, "the disk is full"},
		"read-only": {`PRAGMA query_only = 1`, `PRAGMA query_only = 0`, "it is read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Open(t.Context(), filepath.Join(t.TempDir(), "x.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			do := func(statement string) {
				t.Helper()
				if _, err := d.writer.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			var batch []session.Event
			for i := range 500 {
				batch = append(batch, session.Event{Time: time.Unix(1, 0), Session: "s", Kind: session.KindCall, Reason: strings.Repeat("x", 500), CallID: fmt.Sprint(i)})
			}
			do(test.fail)
			err = d.Sessions().Append(t.Context(), batch)
			if toolcrib.KindOf(err) != toolcrib.KindUnavailable || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v", err)
			}
			if _, known, err := d.Sessions().Session(t.Context(), "s"); known || err != nil {
				t.Errorf("some of it is there: %v", err)
			}
			do(test.heal)
			if err := d.Sessions().Append(t.Context(), batch); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// A database of each former form comes into the present one.
func TestMigratesFromEachForm(t *testing.T) {
	for from := range migrations {
		path := filepath.Join(t.TempDir(), "x.db")
		former := &DB{path: path}
		if err := prepare(path); err != nil {
			t.Fatal(err)
		}
		var err error
		if former.writer, err = connect(path, 1, writing...); err != nil {
			t.Fatal(err)
		}
		for i, m := range migrations[:from] {
			for _, statement := range m.statements {
				if _, err := former.writer.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := former.writer.ExecContext(t.Context(), `INSERT INTO migrations VALUES (?, ?, '')`, i+1, m.name); err != nil {
				t.Fatal(err)
			}
		}
		former.Close()
		d, err := Open(t.Context(), path)
		if err != nil {
			t.Fatalf("from form %d: %v", from, err)
		}
		var n int
		if err := d.reader.QueryRowContext(t.Context(), `SELECT count(*) FROM migrations`).Scan(&n); err != nil || n != len(migrations) {
			t.Errorf("from form %d: %d steps, %v", from, n, err)
		}
		d.Close()
	}
}

// A step that fails half-way leaves nothing of itself.
func TestStepFailsWhole(t *testing.T) {
	kept := migrations
	defer func() { migrations = kept }()
	path := filepath.Join(t.TempDir(), "x.db")
	migrations = append(kept[:len(kept):len(kept)], migration{"broken", []string{`CREATE TABLE half (a INTEGER)`, `CREATE NONSENSE`}})
	if d, err := Open(t.Context(), path); err == nil {
		d.Close()
		t.Fatal("it was opened")
	}
	migrations = kept
	d, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var n int
	if err := d.reader.QueryRowContext(t.Context(), `SELECT count(*) FROM sqlite_schema WHERE name = 'half'`).Scan(&n); err != nil || n != 0 {
		t.Errorf("half of the step is there: %v", err)
	}
}

// What was written ahead comes into the file while writing goes on, and doesn't
// grow for ever.
func TestCheckpoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	d, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	deadline := time.Now().Add(time.Minute)
	for i := 0; ; i++ {
		if err := d.Sessions().Append(t.Context(), []session.Event{{Time: time.Unix(1, 0), Session: "s", Kind: session.KindCall, Reason: strings.Repeat("x", 2000)}}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if i > checkpointEvery && info.Size() > 200*2000 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %d writes the file has %d bytes", i, info.Size())
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	d, err := Open(b.Context(), filepath.Join(b.TempDir(), "x.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	x := d.Sessions()
	for b.Loop() {
		if err := x.Append(b.Context(), []session.Event{{Time: time.Now(), Kind: session.KindStarted, Session: "s", CallID: "c", Tool: "mcp:a:b"}}); err != nil {
			b.Fatal(err)
		}
	}
}
