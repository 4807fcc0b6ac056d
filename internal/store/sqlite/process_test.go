package sqlite_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/toolcrib/toolcrib/internal/session"
)

// process is a child that writes.
type process struct {
	*exec.Cmd
	lines *bufio.Scanner
	input io.WriteCloser
}

func start(t *testing.T, path, name string, events int) process {
	t.Helper()
	p := process{Cmd: exec.CommandContext(t.Context(), os.Args[0], path, name, strconv.Itoa(events))}
	p.Env, p.Stderr = append(os.Environ(), childRole+"=1"), os.Stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.input, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	if !p.lines.Scan() || p.lines.Text() != "ready" {
		t.Fatalf("the child said %q", p.lines.Text())
	}
	return p
}

// begin lets the child go.
func (p process) begin(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(p.input, "\n"); err != nil {
		t.Fatal(err)
	}
}

// Several processes make, migrate and write one database at once, and nothing is
// lost.
func TestProcessesShareIt(t *testing.T) {
	const writers, each = 4, 500
	path := filepath.Join(t.TempDir(), "state", "x.db")
	var all []process
	for i := range writers {
		all = append(all, start(t, path, fmt.Sprint("s", i), each))
	}
	for _, p := range all {
		p.begin(t)
	}
	for _, p := range all {
		for p.lines.Scan() {
		}
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
	}
	x := open(t, path).Sessions()
	seen := map[int64]bool{}
	for i := range writers {
		events, err := x.Events(t.Context(), fmt.Sprint("s", i), 0, 0)
		if err != nil || len(events) != each {
			t.Fatalf("writer %d left %d events, %v", i, len(events), err)
		}
		for n, e := range events {
			if e.CallID != strconv.Itoa(n) || seen[e.Seq] {
				t.Fatalf("writer %d: event %d is %s, number %d", i, n, e.CallID, e.Seq)
			}
			seen[e.Seq] = true
		}
		s, known, err := x.Session(t.Context(), fmt.Sprint("s", i))
		if err != nil || !known || s.Events != each {
			t.Errorf("writer %d is counted as %d, %v", i, s.Events, err)
		}
	}
}

// What Append returned nil for is there after kill -9 in the middle of writing,
// and the database is whole.
func TestKilledWriterLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	for round := range 4 {
		name := fmt.Sprint("s", round)
		p := start(t, path, name, 0)
		p.begin(t)
		last := -1
		for range 40 + 30*round {
			if !p.lines.Scan() {
				t.Fatal("the child ended by itself")
			}
			n, err := strconv.Atoi(p.lines.Text())
			if err != nil {
				t.Fatal(err)
			}
			last = n
		}
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for p.lines.Scan() { // what it said before it died
			if n, err := strconv.Atoi(p.lines.Text()); err == nil {
				last = n
			}
		}
		_ = p.Wait() // says that it was killed
		events, err := open(t, path).Sessions().Events(t.Context(), name, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(events); got != last+1 && got != last+2 { // one may be written and not said
			t.Errorf("round %d: %d events are there, %d were promised", round, got, last+1)
		}
		for n, e := range events {
			if e.CallID != strconv.Itoa(n) || e.Kind != session.KindStarted {
				t.Fatalf("round %d: event %d is %+v", round, n, e)
			}
		}
	}
}
