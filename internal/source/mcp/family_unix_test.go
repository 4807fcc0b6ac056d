//go:build unix

package mcp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

// startFamily starts a grandchild that ignores TERM and the end of its stdin, and
// writes both process ids into a file.
func startFamily(dir string) {
	cmd := exec.Command("/bin/sh", "-c", "trap '' TERM HUP INT; while :; do sleep 1; done")
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	text := fmt.Sprintf("%d %d", os.Getpid(), cmd.Process.Pid)
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("family-", os.Getpid())), []byte(text), 0o600); err != nil {
		os.Exit(1)
	}
}

// serveGateway is a gateway with three servers, until it is killed.
func serveGateway(dir string) int {
	self, err := os.Executable()
	if err != nil {
		return 1
	}
	var servers []Server
	for i := range 3 {
		servers = append(servers, Server{Name: fmt.Sprint("s", i), Command: self, Env: map[string]string{fakeEnv: "family=" + dir}, Enabled: true})
	}
	s, err := New(Options{Servers: servers, Environ: os.Environ()})
	if err != nil {
		return 1
	}
	s.Settle(context.Background(), toolcrib.Scope{})
	fmt.Println("ready")
	select {}
}

// families reads the process ids that a gateway's servers wrote.
func families(t *testing.T, dir string) (ids []int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "family-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var a, b int
		if _, err := fmt.Sscan(string(text), &a, &b); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, a, b)
	}
	return ids
}

// awaitGone waits until none of the processes lives.
func awaitGone(t *testing.T, ids []int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		left := 0
		for _, id := range ids {
			if alive(id) {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d processes still live", left, len(ids))
		}
	}
}

// alive reports whether a process runs; a zombie doesn't.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !os.IsNotExist(err) || !procFS()
	}
	for i := len(stat) - 1; i > 0; i-- {
		if stat[i] == ')' && i+2 < len(stat) {
			return stat[i+2] != 'Z' && stat[i+2] != 'X'
		}
	}
	return true
}

// procFS reports whether the system has /proc.
func procFS() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

// TestKillNine kills a gateway in the middle: its servers and what they started end.
func TestKillNine(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), fakeEnv+"=gateway="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var word string
	if _, err := fmt.Fscan(out, &word); err != nil || word != "ready" {
		t.Fatalf("gateway said %q, %v", word, err)
	}
	ids := families(t, dir)
	if len(ids) != 6 {
		t.Fatalf("want 3 servers with a child each, got processes %v", ids)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	awaitGone(t, ids)
}

// TestCloseEndsGroups closes a source whose servers have children that ignore TERM.
func TestCloseEndsGroups(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Servers: []Server{fake(t, "a", "family="+dir)}})
	ready(t, s, "a")
	ids := families(t, dir)
	if len(ids) != 2 {
		t.Fatalf("processes %v", ids)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, ids)
}

// TestCloseKillsStubborn ends a server that neither the end of its stdin nor TERM moves.
func TestCloseKillsStubborn(t *testing.T) {
	fast := quick
	fast.grace = 100 * time.Millisecond
	s := open(t, Options{Servers: []Server{fake(t, "a", "stubborn")}, tuning: fast})
	pid := ready(t, s, "a").pid
	if !alive(pid) {
		t.Fatal("it doesn't run")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if alive(pid) {
		t.Error("it still lives after Close")
	}
}
