//go:build linux && (amd64 || arm64)

package fence_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// waitChild enters the fence, says "ready", and lives until its input ends.
func waitChild(args []string) error {
	if len(args) == 0 {
		if err := fence.Enter(fence.Options{Data: 512 << 20}); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// stressChild makes the Go runtime do all it does, under the fence.
func stressChild() error {
	if err := fence.Enter(fence.Options{Data: 4 << 30}); err != nil {
		return err
	}
	end := time.Now().Add(time.Second)
	var rounds atomic.Int64
	var work sync.WaitGroup
	for range 100 {
		work.Go(func() {
			timer := time.NewTicker(time.Millisecond)
			defer timer.Stop()
			for time.Now().Before(end) {
				garbage := make([][]byte, 50)
				for i := range garbage {
					garbage[i] = make([]byte, 1000+i)
				}
				rounds.Add(int64(len(garbage[7])))
				<-timer.C
			}
		})
	}
	for range 20 { // new threads: goroutines that block theirs
		work.Go(func() {
			runtime.LockOSThread()
			for time.Now().Before(end) {
				_ = unix.Nanosleep(&unix.Timespec{Nsec: 1e6}, nil)
			}
		})
	}
	work.Go(func() { // preemption of loops without calls needs signals to oneself
		for time.Now().Before(end) {
			runtime.GC()
			debug.FreeOSMemory()
		}
	})
	work.Wait()
	if rounds.Load() == 0 {
		return errors.New("nothing was done")
	}
	fmt.Println("done")
	return nil
}

// greedChild takes memory until there is no more.
func greedChild() error {
	if err := fence.Enter(fence.Options{Data: 256 << 20}); err != nil {
		return err
	}
	var kept [][]byte
	for range 1024 {
		kept = append(kept, make([]byte, 1<<20))
	}
	return fmt.Errorf("took %d MiB", len(kept))
}

// crashChild shows that a crash still ends the process with a trace.
func crashChild() error {
	if err := fence.Enter(fence.Options{}); err != nil {
		return err
	}
	var nothing *testing.T
	nothing.Name()
	return nil
}

func TestTheRuntimeLivesBehindTheFence(t *testing.T) {
	needFence(t)
	path := binary(t)
	for _, u := range users() {
		t.Run(u.name, func(t *testing.T) {
			if out := u.run(t, path, "stress"); strings.TrimSpace(out) != "done" {
				t.Errorf("the child said %q", out)
			}
		})
	}
}

func TestMemoryIsBounded(t *testing.T) {
	needFence(t)
	out, err := users()[0].command(binary(t), "greed").CombinedOutput()
	if err == nil || strings.Contains(string(out), "took") {
		t.Errorf("got %v\n%.300s", err, out)
	}
}

func TestACrashBehindTheFenceLeavesATrace(t *testing.T) {
	needFence(t)
	out, err := users()[0].command(binary(t), "crash").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "nil pointer dereference") {
		t.Errorf("got %v\n%s", err, out)
	}
}

// started is a child that a Starter has started.
type started struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

func start(t testing.TB, s *fence.Starter, path string, args ...string) started {
	t.Helper()
	cmd := exec.Command(path, append([]string{childArg}, args...)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(cmd); err != nil {
		t.Fatal(err)
	}
	return started{cmd: cmd, stdin: stdin, out: bufio.NewReader(stdout)}
}

func (c started) expect(t testing.TB, want string) {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil || strings.TrimSpace(line) != want {
		t.Fatalf("the child said %q (%v), want %q", line, err, want)
	}
}

func TestCheckSeesTheFence(t *testing.T) {
	needFence(t)
	path := binary(t)
	s := fence.NewStarter()
	defer s.Close()

	fenced := start(t, s, path, "wait")
	fenced.expect(t, "ready")
	if err := fence.Check(fenced.cmd.Process.Pid); err != nil {
		t.Errorf("a fenced child fails: %v", err)
	}
	_ = fenced.stdin.Close()
	if err := fenced.cmd.Wait(); err != nil {
		t.Errorf("the fenced child ends with %v", err)
	}
	if err := fence.Check(fenced.cmd.Process.Pid); err == nil {
		t.Error("a process that is gone passes")
	}

	open := start(t, s, path, "wait", "open")
	open.expect(t, "ready")
	if err := fence.Check(open.cmd.Process.Pid); err == nil || !strings.Contains(err.Error(), "is 0") && !strings.Contains(err.Error(), "Cap") {
		t.Errorf("a child without a fence: %v", err)
	}
	if err := s.Kill(open.cmd); err != nil {
		t.Error(err)
	}
	_ = open.cmd.Wait()
	if err := s.Kill(open.cmd); err != nil {
		t.Errorf("killing twice: %v", err)
	}
}

// A child of root stays tied to its parent after it has become somebody else.
func TestAChildDiesWithItsStarter(t *testing.T) {
	needFence(t)
	s := fence.NewStarter()
	child := start(t, s, binary(t), "wait")
	child.expect(t, "ready")
	_ = s.Close()
	err := child.cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("the child ended with %v, want to be killed", err)
	}
}

// BenchmarkEnter is the time of a child from its start to being ready, with
// and without the fence: the difference is the fence's cost.
func BenchmarkEnter(b *testing.B) {
	needFence(b)
	path := binary(b)
	for name, args := range map[string][]string{"fenced": {"wait"}, "open": {"wait", "open"}} {
		b.Run(name, func(b *testing.B) {
			s := fence.NewStarter()
			defer s.Close()
			for b.Loop() {
				c := start(b, s, path, args...)
				c.expect(b, "ready")
				_ = s.Kill(c.cmd)
				_ = c.cmd.Wait()
			}
		})
	}
}
