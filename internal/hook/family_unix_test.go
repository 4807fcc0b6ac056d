//go:build unix

package hook

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestNobodyIsLeft: what a hook starts ends with it, whether it is killed, or ends
// by itself and leaves something behind.
func TestNobodyIsLeft(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"hang", "leave"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pids")
			h := fake(t, "h", kind, file)
			if kind == "hang" {
				h.Timeout = 3 * time.Second
			}
			b := open(t, h)
			call := aCall(`{}`)
			if _, err := b.Before(t.Context(), &call); (err != nil) != (kind == "hang") {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var pids [2]int
			if _, err := fmt.Sscan(string(text), &pids[0], &pids[1]); err != nil {
				t.Fatal(err)
			}
			for _, pid := range pids {
				for deadline := time.Now().Add(time.Minute); lives(pid); time.Sleep(10 * time.Millisecond) {
					if time.Now().After(deadline) {
						t.Fatalf("process %d is left", pid)
					}
				}
			}
		})
	}
}

// lives reports whether a process runs; one that nobody has waited for doesn't.
func lives(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		return !bytes.Contains(stat, []byte(") Z "))
	}
	return syscall.Kill(pid, 0) == nil
}
