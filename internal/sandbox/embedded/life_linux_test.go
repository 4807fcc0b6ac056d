package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
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

	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// children lists the processes that a process started, zombies too.
func children(t *testing.T, pid int) []int {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for word := range strings.FieldsSeq(string(text)) {
			if n, err := strconv.Atoi(word); err == nil {
				all = append(all, n)
			}
		}
	}
	return all
}

// eventually waits for what the kernel or a goroutine does in its own time.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Errorf("in ten seconds there was no time when %s", what)
}

func TestNothingIsStartedBeforeTheFirstScript(t *testing.T) {
	r, err := New(Options{Exe: program(t)})
	if err != nil {
		t.Fatal(err)
	}
	if got := children(t, os.Getpid()); len(got) > 0 {
		t.Errorf("there are the children %v", got)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestThePoolIsFilledAndEmptied(t *testing.T) {
	r, err := New(Options{Exe: program(t), Pool: 3})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if out, err := r.Run(t.Context(), sandbox.Script{Code: "return 1"}, nil); err != nil || out.Failure != nil {
			t.Fatal(err, out.Failure)
		}
		eventually(t, "three children wait", func() bool { return r.Ready() == 3 && len(children(t, os.Getpid())) == 3 })
	}
	// One that dies while it waits is reaped, and isn't used.
	victim := children(t, os.Getpid())[0]
	if err := syscall.Kill(victim, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the dead child is gone", func() bool { return len(children(t, os.Getpid())) == 2 })
	for range 4 {
		if out, err := r.Run(t.Context(), sandbox.Script{Code: "return 1"}, nil); err != nil || out.Failure != nil {
			t.Fatal(err, out.Failure)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if got := children(t, os.Getpid()); len(got) > 0 {
		t.Errorf("after Close there are the children %v", got)
	}
	if _, err := r.Run(t.Context(), sandbox.Script{Code: "return 1"}, nil); err == nil {
		t.Error("a script ran after Close")
	}
}

func TestTheChildIsConfined(t *testing.T) {
	r, err := New(Options{Exe: program(t), Pool: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	report, err := r.Warm(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !report.Kernel || len(report.Pieces) < 3 {
		t.Errorf("the isolation is %+v", report)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", children(t, os.Getpid())[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(string(status), line) {
			t.Errorf("the child's status has no line %q", line)
		}
	}
	wants := map[string]string{"environment": "[]"}
	for way := range waysOut {
		wants[way] = "true"
	}
	for probe, want := range wants {
		r, err := New(Options{Exe: program(t), Pool: 1, Probe: probe})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		report, err := r.Warm(t.Context())
		if err != nil || report.Pieces[0].Detail != want {
			t.Errorf("the probe %q finds %+v, %v; want %s", probe, report, err, want)
		}
	}
}

// The same ways are open without the fence, or their refusal would prove nothing.
func TestTheWaysOutAreOpenOutside(t *testing.T) {
	t.Cleanup(func() {
		for _, made := range []string{"/tmp/toolcrib-escape", "/tmp/toolcrib-escape.d", "/tmp/toolcrib-escape.sock"} {
			_ = os.Remove(made) // those that are there
		}
	})
	for way, try := range waysOut {
		if err := try(); err != nil {
			t.Errorf("outside of the sandbox one can't %s: %v", way, err)
		}
	}
}

func TestNoOrphanStaysWhenTheParentIsKilled(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "parent-of-orphan")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "busy\n" {
		t.Fatal(line, err)
	}
	orphans := children(t, cmd.Process.Pid)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if len(orphans) != 1 {
		t.Fatalf("the parent had the children %v, want one", orphans)
	}
	eventually(t, "the orphan is gone", func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", orphans[0]))
		return err != nil || strings.Contains(string(status), "State:\tZ") // init may be slow to wait
	})
}

func TestAProgramThatIsNoChildIsExplained(t *testing.T) {
	for _, exe := range []string{"/bin/true", "/bin/cat", "/bin/ls"} {
		r, err := New(Options{Exe: exe, StartTimeout: 500 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Run(t.Context(), sandbox.Script{Code: "return 1"}, nil)
		if err == nil || !strings.Contains(err.Error(), "call the sandbox's Child function first") {
			t.Errorf("%s as a child gives %v", exe, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	r, err := New(Options{Exe: "/nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Run(t.Context(), sandbox.Script{Code: "return 1"}, nil); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("a program that isn't there gives %v", err)
	}
}

// The clock stands still while a person is asked; a script that computes
// meanwhile is ended all the same.
func TestAScriptMustNotComputeWhileAPersonIsAsked(t *testing.T) {
	r := newRuntime(t)
	ask := func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		defer sandbox.Waiting(ctx)()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s := sandbox.Script{Code: "f(); for (;;);", Functions: []string{"f"}, Limits: sandbox.Limits{Wall: time.Second, Total: time.Minute}}
	out, err := r.Run(t.Context(), s, ask)
	if err != nil {
		t.Fatal(err)
	}
	if out.Failure == nil || out.Failure.Kind != sandbox.KindTimeout || out.Failure.Limit != sandbox.LimitWall {
		t.Errorf("it ends with %v", out.Failure)
	}
}

// Close in the midst of scripts ends them, and leaves none behind.
func TestCloseEndsWhatRuns(t *testing.T) {
	for round := range 5 {
		r, err := New(Options{Exe: program(t), Pool: 1, Running: 4})
		if err != nil {
			t.Fatal(err)
		}
		started := make(chan struct{}, 8)
		h := func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			started <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				out, err := r.Run(t.Context(), sandbox.Script{Code: "await f()", Functions: []string{"f"}}, h)
				if err == nil && (out.Failure == nil || out.Failure.Kind != sandbox.KindCanceled) {
					t.Errorf("a script ended with %s, %v", out.Value, out.Failure)
				}
			})
		}
		if round > 0 { // at other times than the first, some run
			<-started
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
		if left := children(t, os.Getpid()); len(left) > 0 {
			t.Errorf("there are the children %v", left)
		}
	}
}

// The parent's memory and descriptors are the same after many scripts.
func TestManyRunsLeaveNothingBehind(t *testing.T) {
	r, err := New(Options{Exe: program(t), Pool: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	some := func(n int) {
		for range n {
			s := sandbox.Script{Code: "console.log('x'.repeat(1000)); return await f('y'.repeat(10000))", Functions: []string{"f"}}
			if out, err := r.Run(t.Context(), s, echo); err != nil || out.Failure != nil {
				t.Fatal(err, out.Failure)
			}
		}
		eventually(t, "one child waits", func() bool { return r.Ready() == 1 && len(children(t, os.Getpid())) == 1 })
	}
	some(5)
	before := held(t)
	some(30)
	after := held(t)
	if after.descriptors > before.descriptors+3 || after.heap > before.heap+1<<20 || after.goroutines > before.goroutines+10 {
		t.Errorf("before %+v, after 30 runs %+v", before, after)
	}
}

type holding struct {
	descriptors, goroutines int
	heap                    uint64
}

func held(t *testing.T) holding {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return holding{descriptors: len(entries), goroutines: goroutines(), heap: heap()}
}

func goroutines() int { return runtime.NumGoroutine() }
