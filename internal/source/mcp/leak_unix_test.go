//go:build unix

package mcp

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

// crashScript comes up, lists a tool, and dies at once.
const crashScript = `read a; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'
read b; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}'
read c; read d; echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"x","inputSchema":{}}]}}'
echo bye >&2; exit 5`

// TestThousandCrashes leaves no goroutine, file or process behind.
func TestThousandCrashes(t *testing.T) {
	crashes := 1000
	if testing.Short() {
		crashes = 50
	}
	fast := quick
	fast.retryMin, fast.retryMax = time.Millisecond, time.Millisecond
	routines, files := runtime.NumGoroutine(), openFiles(t)
	s := open(t, Options{
		Servers: []Server{{Name: "a", Command: "/bin/sh", Args: []string{"-c", crashScript}, Enabled: true}},
		LogDir:  t.TempDir(), CacheDir: t.TempDir(), tuning: fast,
	})
	got := await(t, s, "a", "crashed often enough", func(c condition) bool { return c.starts > crashes })
	if got.list == nil || len(got.list.tools) != 1 {
		t.Errorf("it never came up: %s", got.reason)
	}
	if n := s.Status()[0].Restarts; n < crashes {
		t.Errorf("%d restarts", n)
	}
	down := await(t, s, "a", "down", func(c condition) bool { return c.state == toolcrib.StateDown })
	if !strings.Contains(down.reason, "exited with code 5") || !strings.Contains(down.reason, "bye") {
		t.Errorf("reason %q", down.reason)
	}
	if n := runtime.NumGoroutine(); n > routines+40 {
		t.Errorf("%d goroutines while it crashes, %d before", n, routines)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	settle(t, "goroutines", routines+2, runtime.NumGoroutine)
	settle(t, "open files", files, func() int { return openFiles(t) })
	if n := children(t); n > 0 {
		t.Errorf("%d child processes are left", n)
	}
}

// settle waits until a count is down to what it was.
func settle(t *testing.T, what string, most int, count func() int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); count() > most; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d %s, at most %d expected\n%s", count(), what, most, buf[:runtime.Stack(buf, true)])
		}
	}
}

// openFiles counts this process's open files.
func openFiles(t *testing.T) int {
	t.Helper()
	if !procFS() {
		return 0
	}
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// children counts this process's children, zombies too.
func children(t *testing.T) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	n := 0
	for _, task := range tasks {
		if text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children"); err == nil {
			n += len(strings.Fields(string(text)))
		}
	}
	return n
}
