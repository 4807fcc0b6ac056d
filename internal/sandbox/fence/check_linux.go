//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Check looks at a child from outside: it returns an error unless every thread
// of the process stands behind a system-call filter and can't gain privileges,
// and none runs as root with capabilities. It says nothing about what the
// filter lets through; that is the child's own self-test.
func Check(pid int) error {
	folder := filepath.Join("/proc", strconv.Itoa(pid), "task")
	tasks, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("fence: look at process %d: %w", pid, err)
	}
	if len(tasks) == 0 {
		return fmt.Errorf("fence: process %d has no threads", pid)
	}
	for _, t := range tasks {
		text, err := os.ReadFile(filepath.Join(folder, t.Name(), "status"))
		if errors.Is(err, os.ErrNotExist) {
			continue // a thread that ended meanwhile
		}
		if err != nil {
			return fmt.Errorf("fence: look at thread %s of process %d: %w", t.Name(), pid, err)
		}
		if err := checkStatus(string(text)); err != nil {
			return fmt.Errorf("fence: thread %s of process %d: %w", t.Name(), pid, err)
		}
	}
	return nil
}

// checkStatus judges one thread's status file.
func checkStatus(text string) error {
	want := map[string]string{"NoNewPrivs": "1", "Seccomp": "2", "CapEff": "0000000000000000", "CapPrm": "0000000000000000"}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		expected, asked := want[name]
		if !asked {
			continue
		}
		if got := strings.TrimSpace(value); got != expected {
			return fmt.Errorf("%s is %s, not %s", name, got, expected)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		return fmt.Errorf("its status doesn't tell %v", want)
	}
	return nil
}
