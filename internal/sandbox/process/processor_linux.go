package process

import (
	"time"

	"golang.org/x/sys/unix"
)

// boundProcessor has the kernel end a child that computes for longer than the
// script may take: so that none burns a core while its clock stands still.
func boundProcessor(pid int, wall time.Duration) {
	seconds := uint64(wall/time.Second) + 2
	// The clock holds it too, if this can't be had.
	_ = unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds}, nil)
}
