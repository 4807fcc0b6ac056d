package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the kernel's unit of processor time in /proc, the same on all
// systems that Go runs on.
const tick = 10 * time.Millisecond

// computed is how long a process has used the processor; 0 when the system
// doesn't tell.
func computed(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	return computedIn(text)
}

// computedIn reads the 14th and 15th field of a process's stat; the second is
// a name in brackets, which may hold anything.
func computedIn(stat []byte) time.Duration {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0
	}
	var sum time.Duration
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(string(field), 10, 40)
		if err != nil {
			return 0
		}
		sum += time.Duration(n) * tick
	}
	return sum
}
