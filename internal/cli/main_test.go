package cli

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Every kind of error has its row in the table of exit codes.
func TestEveryKindHasAnExitCode(t *testing.T) {
	tree, err := parser.ParseFile(token.NewFileSet(), "../../error.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Kind") {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		kinds++
		kind := toolcrib.Kind(text)
		if code := codeOf(toolcrib.NewError(kind, "x", "")); code == 0 || code == 1 && kind != toolcrib.KindInternal {
			t.Errorf("kind %q ends with code %d: give it a row in exitCodes", kind, code)
		}
		return true
	})
	if kinds < 10 {
		t.Errorf("found %d kinds in error.go, want all of them", kinds)
	}
}

func TestExitCodesAreDistinct(t *testing.T) {
	seen := map[int]string{}
	for _, row := range exitCodes() {
		if other, twice := seen[row.code]; twice {
			t.Errorf("%s and %s share the code %d", other, row.name, row.code)
		}
		seen[row.code] = row.name
	}
}

// The first request to end cancels; the second ends at once.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal, 2)
		codes := make(chan int, 1)
		canceled := make(chan struct{})
		p := Process{Signals: signals, Stderr: &bytes.Buffer{}, Exit: func(code int) { codes <- code }}
		go watchSignals(p, func() { close(canceled) }, make(chan struct{}))
		signals <- os.Interrupt
		<-canceled
		synctest.Wait()
		select {
		case code := <-codes:
			t.Fatalf("ended with %d after one signal", code)
		default:
		}
		signals <- os.Interrupt
		if code := <-codes; code != 130 {
			t.Errorf("the second signal ends with %d, want 130", code)
		}
	})
}

// A command that hangs after it was asked to end is ended.
func TestFarewellIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal, 1)
		codes := make(chan int, 1)
		p := Process{Signals: signals, Stderr: &bytes.Buffer{}, Exit: func(code int) { codes <- code }}
		go watchSignals(p, func() {}, make(chan struct{}))
		asked := time.Now()
		signals <- os.Interrupt
		if code := <-codes; code != 1 || time.Since(asked) != farewell {
			t.Errorf("ended with %d after %v, want 1 after %v", code, time.Since(asked), farewell)
		}
	})
}

// lockedBuffer is a buffer that two goroutines may use.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func TestProgress(t *testing.T) {
	for name, tt := range map[string]struct {
		terminal bool
		takes    time.Duration
		shown    bool
	}{
		"short on a terminal": {true, 900 * time.Millisecond, false},
		"long on a terminal":  {true, 1500 * time.Millisecond, true},
		"long into a file":    {false, 1500 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stderr lockedBuffer
				a := newApp(Process{Stderr: &stderr, Stdout: &bytes.Buffer{}, StderrTerminal: tt.terminal, Environ: []string{"TERM=xterm"}})
				p := a.progress()
				p.say("waiting for\x1b[2J a\nserver")
				time.Sleep(tt.takes)
				p.stop()
				if got := stderr.String(); strings.Contains(got, "waiting for[2J a server (1 s)") != tt.shown || (got != "") != tt.shown {
					t.Errorf("stderr is %q, want the progress shown: %t", got, tt.shown)
				}
				if tt.shown && !strings.HasSuffix(stderr.String(), "\r\x1b[K") {
					t.Errorf("the line is left on the screen: %q", stderr.String())
				}
			})
		})
	}
}

func TestColours(t *testing.T) {
	for name, tt := range map[string]struct {
		terminal bool
		environ  []string
		want     bool
	}{
		"terminal":            {true, []string{"TERM=xterm"}, true},
		"pipe":                {false, []string{"TERM=xterm"}, false},
		"NO_COLOR":            {true, []string{"TERM=xterm", "NO_COLOR=1"}, false},
		"empty NO_COLOR":      {true, []string{"TERM=xterm", "NO_COLOR="}, true},
		"dumb terminal":       {true, []string{"TERM=dumb"}, false},
		"the last value wins": {true, []string{"TERM=xterm", "NO_COLOR=1", "NO_COLOR="}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Process{Environ: tt.environ}).colours(tt.terminal); got != tt.want {
				t.Errorf("colours are %t, want %t", got, tt.want)
			}
		})
	}
}

// brokenPipe fails as a pipe does whose reader went away.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: errPipe}
}

func TestClosedPipeIsQuiet(t *testing.T) {
	var stderr bytes.Buffer
	code := Main(Process{Args: []string{"version"}, Stdout: brokenPipe{}, Stderr: &stderr})
	if code != 0 || stderr.Len() > 0 {
		t.Errorf("code %d, stderr %q: want 0 and nothing", code, stderr.String())
	}
}

// A disk that is full is not quiet.
func TestFailedWriteIsAnError(t *testing.T) {
	var stderr bytes.Buffer
	code := Main(Process{Args: []string{"version"}, Stdout: fullDisk{}, Stderr: &stderr})
	if code != 1 || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("code %d, stderr %q: want 1 and the reason", code, stderr.String())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// Commands that stay keep their memory small; the others rather end soon.
func TestCommandsThatStayAreSlim(t *testing.T) {
	for name, want := range map[string]bool{"serve": true, "mcp": true, "version": false} {
		slim := false
		p := Process{
			Args: []string{name, "--config", filepath.Join(t.TempDir(), "absent.json5")},
			Home: t.TempDir(), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Slim: func() { slim = true },
		}
		if Main(p); slim != want {
			t.Errorf("%s is slim: %t, want %t", name, slim, want)
		}
	}
}
