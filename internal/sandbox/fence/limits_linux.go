//go:build amd64 || arm64

package fence

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// setLimits lowers the resource limits, soft and hard. A limit of 0 on file
// sizes also silences a standard stream that is a file. The number of processes
// isn't limited: that would count the threads of everybody with the same id.
func setLimits(o Options) error { return limit(o, limitTo{"fsize", unix.RLIMIT_FSIZE, 0, true}) }

// setCommandLimits does so for commands, which may write files and have processes.
func setCommandLimits(o Options) error {
	processes := uint64(running(unix.Getuid()) + CommandProcesses)
	return limit(o, limitTo{"fsize", unix.RLIMIT_FSIZE, CommandFile, true}, limitTo{"nproc", unix.RLIMIT_NPROC, processes, true})
}

// limitTo is one limit.
type limitTo struct {
	name     string
	resource int
	value    uint64
	set      bool
}

func limit(o Options, more ...limitTo) error {
	limits := append(more, []limitTo{
		{"core", unix.RLIMIT_CORE, 0, true},
		{"nofile", unix.RLIMIT_NOFILE, uint64(o.Descriptors), true},
		{"memlock", unix.RLIMIT_MEMLOCK, 0, true},
		{"msgqueue", unix.RLIMIT_MSGQUEUE, 0, true},
		{"data", unix.RLIMIT_DATA, uint64(o.Data), o.Data > 0},
		{"as", unix.RLIMIT_AS, uint64(o.AddressSpace), o.AddressSpace > 0},
	}...)
	for _, l := range limits {
		if !l.set {
			continue
		}
		var now unix.Rlimit
		if err := unix.Prlimit(0, l.resource, nil, &now); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		value := min(l.value, now.Max)
		if err := unix.Prlimit(0, l.resource, &unix.Rlimit{Cur: value, Max: value}, nil); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	return nil
}

// running counts the processes and threads of a user.
func running(user int) int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	count, uid := 0, strconv.Itoa(user)
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + e.Name() + "/status")
		if err != nil {
			continue // it ended
		}
		if ids := strings.Fields(statusValue(string(text), "Uid")); len(ids) > 0 && ids[0] == uid {
			threads, _ := strconv.Atoi(statusValue(string(text), "Threads"))
			count += threads
		}
	}
	return count
}

// statusValue is one line of a process's status.
func statusValue(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, _ := strings.Cut(line, ":"); key == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
