package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// process is one line of the system's table of processes.
type process struct {
	pid, parent, group int
	command            string
}

func (p process) String() string {
	return fmt.Sprintf("%d (parent %d, group %d): %s", p.pid, p.parent, p.group, p.command)
}

// processes returns the living processes of a home: those that got its HOME,
// which every command and each of its children does.
func processes(t testing.TB, dir string) []process {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("it reads the table of processes in /proc")
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var all []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(v []byte) bool { return string(v) == "HOME="+dir }) {
			continue
		}
		if p, ok := readProcess(pid); ok {
			all = append(all, p)
		}
	}
	return all
}

// readProcess reads /proc/PID/stat; a process that has ended but was not waited for is none.
func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	after := stat[bytes.LastIndexByte(stat, ')')+1:] // the name before may hold anything
	fields := strings.Fields(string(after))
	if len(fields) < 3 || fields[0] == "Z" || fields[0] == "X" {
		return process{}, false
	}
	p := process{pid: pid}
	p.parent, _ = strconv.Atoi(fields[1])
	p.group, _ = strconv.Atoi(fields[2])
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	p.command = strings.TrimSpace(string(bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
	return p, true
}

// nobodyLeft waits until no process of a home is left.
func nobodyLeft(t testing.TB, dir string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	var left []process
	defer func() {
		if len(left) > 0 {
			t.Logf("left are %v", left)
		}
	}()
	eventually(t, "all processes of "+dir+" end", func() bool {
		left = processes(t, dir)
		return len(left) == 0
	})
}

// children returns the processes of a home whose command line holds a text.
func children(t testing.TB, dir, text string) []process {
	t.Helper()
	return slices.DeleteFunc(processes(t, dir), func(p process) bool { return !strings.Contains(p.command, text) })
}

// memory is a value of /proc/PID/status, in KiB.
func memory(t testing.TB, pid int, field string) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("it reads the memory in /proc")
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s for process %d", field, pid)
	return 0
}
