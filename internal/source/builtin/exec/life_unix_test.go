//go:build unix

package exec

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

// alive reports whether a process that a line wrote into a file still runs.
func alive(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil {
		return !bytes.Contains(stat, []byte(") Z "))
	}
	return runtime.GOOS != "linux" && syscall.Kill(pid, 0) == nil
}

// Each starts something that would outlive the line, and writes its number down.
var backgrounds = map[string]string{
	"background":          `sleep 1000 & echo $! > pid`,
	"nohup":               `nohup sleep 1000 > /dev/null 2>&1 & echo $! > pid`,
	"holds stdout":        `(trap '' HUP TERM; sleep 1000) & echo $! > pid`,
	"double fork":         `(sh -c 'sleep 1000 & echo $! > pid')`,
	"ignores all signals": `sh -c 'trap "" HUP INT TERM QUIT; echo $$ > pid; while :; do sleep 1; done' & while [ ! -s pid ]; do :; done`,
}

// Those that leave their session can only be found where the system tells who
// descends from whom.
var leaving = map[string]string{
	"setsid":       `setsid sh -c 'echo $$ > pid; exec sleep 1000' & while [ ! -s pid ]; do :; done`,
	"setsid twice": `setsid setsid sh -c 'setsid sh -c "echo \$\$ > pid; exec sleep 1000" & sleep 1' & while [ ! -s pid ]; do :; done`,
	"daemon":       `setsid sh -c '(setsid sh -c "echo \$\$ > pid; exec sleep 1000 > /dev/null 2>&1 < /dev/null" &)' ; while [ ! -s pid ]; do :; done`,
}

func lines() map[string]string {
	all := map[string]string{}
	maps.Copy(all, backgrounds)
	if runtime.GOOS == "linux" {
		maps.Copy(all, leaving)
	}
	return all
}

// TestNothingGoesOn: what a line started is gone when its call returns, although
// it holds the line's outputs open.
func TestNothingGoesOn(t *testing.T) {
	t.Parallel()
	for name, line := range lines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			if got := b.approved(t, line+"; echo done"); got.Stdout != "done\n" || got.ExitCode != 0 || got.TimedOut {
				t.Errorf("got %+v", got)
			}
			if alive(t, filepath.Join(b.dir, "pid")) {
				t.Error("it still runs")
			}
		})
	}
}

// TestTimeout: at the time everything is killed, whatever it ignores, and what was
// said until then is kept.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for name, line := range lines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			got := b.approved(t, line+`; echo before; trap "" TERM INT HUP; while :; do sleep 1; done`, "timeoutMs", 1500)
			if !got.TimedOut || got.Signal != "SIGKILL" || got.ExitCode != 137 || got.Stdout != "before\n" {
				t.Errorf("got %+v", got)
			}
			if alive(t, filepath.Join(b.dir, "pid")) {
				t.Error("it still runs")
			}
		})
	}
}

// TestCancel: a caller who goes away takes the line along.
func TestCancel(t *testing.T) {
	t.Parallel()
	b := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	call := b.call(args(t, `setsid sleep 1000 & echo $! > pid.new; mv pid.new pid; wait`))
	b.Permit(call)
	go func() {
		defer cancel()
		until(t, filepath.Join(b.dir, "pid"))
	}()
	_, err := b.Execute(ctx, call)
	if known := (*toolcrib.Error)(nil); !errors.As(err, &known) || known.Kind != toolcrib.KindCanceled {
		t.Errorf("got %v", err)
	}
	b.lines.Wait() // the answer doesn't wait for the end
	if alive(t, filepath.Join(b.dir, "pid")) {
		t.Error("it still runs")
	}
}

// until waits for a file to be there.
func until(t *testing.T, file string) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
	}
	t.Errorf("%s never came", file)
}

// TestClose: the gateway's end takes the lines along, and no more begin.
func TestClose(t *testing.T) {
	t.Parallel()
	b := open(t)
	call := b.call(args(t, `sleep 1000 & echo $! > pid.new; mv pid.new pid; wait`))
	b.Permit(call)
	ended := make(chan error)
	go func() {
		_, err := b.Execute(t.Context(), call)
		ended <- err
	}()
	until(t, filepath.Join(b.dir, "pid"))
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the call went well")
	}
	if alive(t, filepath.Join(b.dir, "pid")) {
		t.Error("it still runs")
	}
	b.Permit(call)
	if _, err := b.Execute(t.Context(), call); err == nil {
		t.Error("a line began after the end")
	}
}

// TestKilledLauncher: a line that kills who looks after it ends too.
func TestKilledLauncher(t *testing.T) {
	t.Parallel()
	b := open(t)
	got := b.approved(t, `sleep 1000 & echo $! > pid; kill -9 $PPID; sleep 1000`)
	if got.Signal != "SIGKILL" {
		t.Errorf("got %+v", got)
	}
	if alive(t, filepath.Join(b.dir, "pid")) {
		t.Error("it still runs")
	}
}

// TestFloods: an endless output costs no memory, and its start and end are kept.
func TestFloods(t *testing.T) {
	t.Parallel()
	b := open(t, "yes *", "head *", "cat *")
	b.settings.OutputBytes = 4096
	got := b.listed(t, "head -c 300000000 /dev/zero")
	if got.ExitCode != 0 || !got.Truncated || len(got.Stdout) > 4200 || !strings.Contains(got.Stdout, "[299995904 bytes left out]") {
		t.Errorf("got %d bytes, %+v", len(got.Stdout), got.ExitCode)
	}
	got = b.approved(t, "echo first; echo e1 >&2; yes | head -c 1000000; yes | head -c 1000000 >&2; echo last; echo e2 >&2")
	if !strings.HasPrefix(got.Stdout, "first\n") || !strings.HasSuffix(got.Stdout, "last\n") || !strings.HasPrefix(got.Stderr, "e1\n") || !strings.HasSuffix(got.Stderr, "e2\n") || !got.Truncated {
		t.Errorf("got %.40q … and %.40q …", got.Stdout, got.Stderr)
	}
	got = b.listed(t, "yes endless", "timeoutMs", 1000)
	if !got.TimedOut || !strings.HasPrefix(got.Stdout, "endless\n") || len(got.Stdout) > 4200 {
		t.Errorf("got %+v", got)
	}
	if got := b.listed(t, "yes | head -n 1"); got.Stdout != "y\n" || got.ExitCode != 0 || got.Truncated {
		t.Errorf("got %+v", got)
	}
}

// TestInput: input that nobody reads doesn't hold a line up.
func TestInput(t *testing.T) {
	t.Parallel()
	b := open(t, "true", "wc -c", "sleep 1000")
	big := strings.Repeat("x", maxStdin)
	if got := b.listed(t, "wc -c", "stdin", big); strings.TrimSpace(got.Stdout) != strconv.Itoa(maxStdin) {
		t.Errorf("got %+v", got)
	}
	if got := b.listed(t, "true", "stdin", big); got.ExitCode != 0 {
		t.Errorf("got %+v", got)
	}
	if got := b.listed(t, "sleep 1000", "stdin", big, "timeoutMs", 200); !got.TimedOut {
		t.Errorf("got %+v", got)
	}
}

// TestEnvironment: commands get nothing secret, a PATH of ours, and no descriptors.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	b := open(t, "env")
	for entry := range strings.SplitSeq(b.listed(t, "env").Stdout, "\n") {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "TOOLCRIB") || strings.Contains(value, "s3cret") || strings.HasPrefix(name, "AWS") {
			t.Errorf("%s", entry)
		}
		if name == "PATH" && value != strings.Join(usualPath, ":") {
			t.Errorf("%s", entry)
		}
	}
	if got := b.approved(t, "for f in 3 4 5 6 7 8 9; do (eval \"true <&$f\") 2>/dev/null && echo $f; done; true"); got.Stdout != "" {
		t.Errorf("open descriptors: %+v", got)
	}
}

// TestPrograms: names are looked for in the usual folders and those of the
// settings, never in the workspace.
func TestPrograms(t *testing.T) {
	t.Parallel()
	b := open(t, "ls", "mine", "./mine")
	for name, dir := range map[string]string{"ls": b.dir, "mine": b.dir} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho workspace\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.listed(t, "ls"); got.Stdout != "ls\nmine\n" {
		t.Errorf("got %+v", got)
	}
	if got := b.listed(t, "mine"); got.ExitCode != 127 {
		t.Errorf("got %+v", got)
	}
	if got := b.listed(t, "./mine"); got.Stdout != "workspace\n" {
		t.Errorf("got %+v", got)
	}
	b.settings.Path = []string{b.dir}
	if _, err := b.Execute(t.Context(), b.call(args(t, "mine"))); err == nil {
		t.Error("a folder of the workspace was searched")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(b.dir, link); err != nil {
		t.Fatal(err)
	}
	b.settings.Path = []string{link}
	if _, err := b.Execute(t.Context(), b.call(args(t, "mine"))); err == nil {
		t.Error("a link to the workspace was searched")
	}
}

// TestFolders: cwd stays in the workspace.
func TestFolders(t *testing.T) {
	t.Parallel()
	b := open(t, "pwd")
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(b.dir, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(b.dir, "a/b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for cwd, want := range map[string]string{"": b.dir, ".": b.dir, "a/b": b.dir + "/a/b", "a/../a": b.dir + "/a", b.dir + "/a": b.dir + "/a"} {
		if got := b.listed(t, "pwd", "cwd", cwd); got.Stdout != want+"\n" {
			t.Errorf("in %q: %+v", cwd, got)
		}
	}
	for _, cwd := range []string{"..", "/", "/tmp", outside, "out", "a/../..", "file", "none", "../" + filepath.Base(b.dir) + "x", "a\x00"} {
		_, err := b.Execute(t.Context(), b.call(args(t, "pwd", "cwd", cwd)))
		if known := (*toolcrib.Error)(nil); !errors.As(err, &known) || known.Kind != toolcrib.KindInput {
			t.Errorf("in %q: %v", cwd, err)
		}
	}
}

// TestMisses: without a permit a miss doesn't run, and a permit is good once, for
// its own call.
func TestMisses(t *testing.T) {
	t.Parallel()
	b := open(t, "echo listed")
	miss := b.call(args(t, "echo $((1+1)) >> ran"))
	blocked := func(c toolcrib.Call) {
		t.Helper()
		_, err := b.Execute(t.Context(), c)
		if known := (*toolcrib.Error)(nil); !errors.As(err, &known) || known.Kind != toolcrib.KindBlocked || known.Hint == "" {
			t.Errorf("%s: got %v", c.Args, err)
		}
	}
	blocked(miss)
	b.Permit(miss)
	for _, change := range []func(*toolcrib.Call){
		func(c *toolcrib.Call) { c.ID = "c2" }, func(c *toolcrib.Call) { c.Scope.Session = "other" }, func(c *toolcrib.Call) { c.Scope.Agent = "other" },
		func(c *toolcrib.Call) { c.Args = args(t, "echo $((1+2)) >> ran") }, func(c *toolcrib.Call) { c.Scope.Caller = "x" },
	} {
		other := miss
		change(&other)
		blocked(other)
	}
	b.out(t, miss)
	blocked(miss)
	if text, err := os.ReadFile(filepath.Join(b.dir, "ran")); err != nil || string(text) != "2\n" {
		t.Errorf("ran: %q %v", text, err)
	}
	listed := b.call(args(t, "echo listed"))
	b.settings.Ask = AskAlways
	if _, err := b.Execute(t.Context(), listed); err == nil {
		t.Error("a listed line ran without a question")
	}
	b.Permit(listed)
	b.out(t, listed)
}

// TestArguments: what the schema refuses is refused here too.
func TestArguments(t *testing.T) {
	t.Parallel()
	b := open(t, "true")
	for _, raw := range []json.RawMessage{
		args(t, ""), args(t, "  "), args(t, strings.Repeat("x", maxCommand+1)), args(t, "true\x00"), args(t, "true", "stdin", strings.Repeat("x", maxStdin+1)),
		args(t, "true", "timeoutMs", 1), args(t, "true", "timeoutMs", 3_600_001), args(t, "true", "timeoutMs", "x"),
	} {
		call := b.call(raw)
		b.Permit(call)
		_, err := b.Execute(t.Context(), call)
		if known := (*toolcrib.Error)(nil); !errors.As(err, &known) || known.Kind != toolcrib.KindInput {
			t.Errorf("%.60s: %v", raw, err)
		}
	}
}

// TestManyAtOnce: more lines than slots all run.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	b := open(t, "echo *")
	var wait sync.WaitGroup
	for range 3 * running {
		wait.Go(func() {
			if got := b.listed(t, "echo x"); got.Stdout != "x\n" {
				t.Errorf("got %+v", got)
			}
		})
	}
	wait.Wait()
}

// TestDown: without Child in the program's main there is nothing to run.
func TestDown(t *testing.T) {
	t.Parallel()
	b := open(t)
	s, err := New(Options{Settings: b.opt.Settings, Workspace: b.opt.Workspace})
	if err != nil {
		t.Fatal(err)
	}
	if l := s.Listings(t.Context(), toolcrib.Scope{}); l[0].State != toolcrib.StateDown || l[0].Reason == "" {
		t.Errorf("got %+v", l)
	}
	if _, err := s.Execute(t.Context(), b.call(args(t, "true"))); err == nil {
		t.Error("it ran")
	}
	if l := b.Listings(t.Context(), toolcrib.Scope{}); l[0].State != toolcrib.StateReady || l[0].Tools[0].ID != ToolID {
		t.Errorf("got %+v", l)
	}
}

// gatewayArg as the first argument makes the test binary a gateway that runs a
// line until it is killed.
const gatewayArg = "__gateway"

// TestKilledGateway: a gateway that is killed takes its lines along.
func TestKilledGateway(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"plain":  `sleep 1000 & echo $! > pid.new; mv pid.new pid; wait`,
		"setsid": `setsid sleep 1000 & echo $! > pid.new; mv pid.new pid; wait`,
	} {
		if name == "setsid" && runtime.GOOS != "linux" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0], gatewayArg, dir, line)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			until(t, filepath.Join(dir, "pid"))
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			for deadline := time.Now().Add(time.Minute); alive(t, filepath.Join(dir, "pid")); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("it still runs")
				}
			}
		})
	}
}

// gateway runs a line in a folder.
func gateway(dir, line string) {
	s, err := New(Options{
		Settings: func() Settings {
			return Settings{Ask: AskOnMiss, Sandbox: SandboxAuto, Timeout: time.Minute, OutputBytes: 1024}
		},
		Workspace: func(string) (string, error) { return dir, nil }, Able: true, Environ: os.Environ(),
	})
	if err != nil {
		panic(err)
	}
	raw, _ := json.Marshal(map[string]string{"command": line})
	call := toolcrib.Call{Tool: toolcrib.Tool{ID: ToolID}, Args: raw}
	s.Permit(call)
	_, _ = s.Execute(context.Background(), call)
}
