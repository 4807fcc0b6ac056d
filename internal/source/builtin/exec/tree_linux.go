package exec

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// own is the running program, even if its file was replaced or deleted.
func own() (string, error) { return "/proc/self/exe", nil }

// childAttr is for a command that dies with the launcher. Without a fence it stays
// in the launcher's group, by which the gateway finds it if it kills the launcher.
func childAttr(fenced bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: fenced, Pdeathsig: syscall.SIGKILL}
}

// adopt makes the launcher the parent of all that loses its own below it, and lets
// it outlive the gateway for as long as it takes to kill them.
func adopt() error {
	leaveTerminal()
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// Bounds of a clean-up: after so many rounds somebody gives in, and the gateway
// kills the launcher.
const (
	rounds     = 4000
	roundEvery = time.Millisecond
)

// cleanUp kills all below this process, however they tried to leave: first all are
// stopped, so that none makes more, then all are killed. With again it goes on
// after there are none, since there may be more to start.
func cleanUp(again func() bool) {
	for round, none := 0, 0; round < rounds; round++ {
		all := below(os.Getpid())
		if none++; len(all) > 0 || again() {
			none = 0
		}
		if none == 2 { // one that loses its parent while they are listed can be missed once
			return
		}
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
		}
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(roundEvery)
	}
}

// below lists the processes that descend from one and live.
func below(root int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if parent, dead := parentOf(pid); parent != 0 && !dead {
				children[parent] = append(children[parent], pid)
			} else if parent != 0 {
				children[parent] = append(children[parent], -pid)
			}
		}
	}
	return descend(children, root, nil)
}

// descend collects the living below root; the dead, whose numbers are negative,
// may still have living children for a moment.
func descend(children map[int][]int, root int, into []int) []int {
	for _, pid := range children[root] {
		if pid > 0 {
			into = append(into, pid)
		}
		into = descend(children, max(pid, -pid), into)
	}
	return into
}

// parentOf reads a process's parent, 0 when it is gone, and whether it is dead.
func parentOf(pid int) (parent int, dead bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, true
	}
	// The name, in parentheses, may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, true
	}
	parent, _ = strconv.Atoi(string(fields[1]))
	return parent, bytes.ContainsAny(fields[0], "ZX")
}
