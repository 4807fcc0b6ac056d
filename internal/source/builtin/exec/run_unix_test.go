//go:build unix

package exec

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

// bench is a source with a workspace, for tests.
type bench struct {
	*Source
	dir      string
	settings Settings
}

// open returns a source whose allow-list holds these entries.
func open(t testing.TB, allow ...string) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dir: dir, settings: Settings{Allow: patterns(t, allow...), Ask: AskOnMiss, Sandbox: SandboxAuto, Timeout: time.Minute, OutputBytes: 64 << 10}}
	b.Source, err = New(Options{
		Settings:  func() Settings { return b.settings },
		Workspace: func(string) (string, error) { return b.dir, nil },
		Able:      true, Environ: append(os.Environ(), "TOOLCRIB_TOKEN=s3cret", "AWS_SECRET_ACCESS_KEY=s3cret"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// call is a call with these arguments.
func (b *bench) call(raw json.RawMessage) toolcrib.Call {
	return toolcrib.Call{ID: "c1", Tool: toolcrib.Tool{ID: ToolID}, Args: raw, Scope: toolcrib.Scope{Session: "s", Agent: "main"}}
}

// approved runs a line that a person said yes to.
func (b *bench) approved(t testing.TB, command string, more ...any) output {
	t.Helper()
	call := b.call(args(t, command, more...))
	b.Permit(call)
	return b.out(t, call)
}

// listed runs a line of the allow-list.
func (b *bench) listed(t testing.TB, command string, more ...any) output {
	t.Helper()
	return b.out(t, b.call(args(t, command, more...)))
}

func (b *bench) out(t testing.TB, call toolcrib.Call) output {
	t.Helper()
	r, err := b.Execute(t.Context(), call)
	if err != nil {
		t.Fatalf("%s: %v", call.Args, err)
	}
	var o output
	if err := json.Unmarshal(r.Details, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestListedLines(t *testing.T) {
	t.Parallel()
	b := open(t, "echo *", "cat *", "printf *", "false", "true", "nosuchprogram", "ls *", "wc *", "pwd")
	for _, c := range []struct {
		line, stdin, out, err string
		code                  int
	}{
		{line: "echo hello  world", out: "hello world\n"},
		{line: `echo 'a  $b' "c d"`, out: "a  $b c d\n"},
		{line: "cat", stdin: "given", out: "given"},
		{line: "cat | wc -c", stdin: "12345", out: "5\n"},
		{line: "false", code: 1},
		{line: "false && echo no || echo yes; true", out: "yes\n"},
		{line: "true && echo a || echo b", out: "a\n"},
		{line: "false | true"},
		{line: "true | false", code: 1},
		{line: "nosuchprogram", code: 127, err: "nosuchprogram: not found\n"},
		{line: "cat /nosuchfile 2>&1 | wc -l", out: "1\n"},
		{line: "pwd", out: b.dir + "\n"},
	} {
		got := b.listed(t, c.line, "stdin", c.stdin)
		if got.ExitCode != c.code || got.Stdout != c.out || got.Stderr != c.err || got.Signal != "" || got.TimedOut || got.Truncated {
			t.Errorf("%s: got %+v", c.line, got)
		}
	}
}

func TestApprovedLines(t *testing.T) {
	t.Parallel()
	b := open(t)
	if err := os.Mkdir(filepath.Join(b.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	got := b.approved(t, `x=1; echo $((x+1)) > f; cat f; pwd; exit 7`, "cwd", "sub")
	if got.ExitCode != 7 || got.Stdout != "2\n"+b.dir+"/sub\n" {
		t.Errorf("got %+v", got)
	}
	if got := b.approved(t, "kill -TERM $$"); got.ExitCode != 143 || got.Signal != "SIGTERM" {
		t.Errorf("got %+v", got)
	}
}
