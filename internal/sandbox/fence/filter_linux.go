//go:build amd64 || arm64

package fence

import (
	"slices"

	"golang.org/x/sys/unix"
)

// threadFlags are the flags that clone may have: those that the Go runtime and
// the C libraries start threads with. Everything else, namespaces above all,
// is refused, and so is a new process.
const threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD |
	unix.CLONE_SYSVSEM | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID | unix.CLONE_CHILD_SETTID

// compute lists what a running program needs to use its memory, its threads,
// the clock and the descriptors that it has. None of it opens, starts, finds or
// reaches anything.
func compute() []rule {
	own := uint32(unix.Getpid())
	return slices.Concat(calls(
		// descriptors that are open already
		unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_CLOSE, unix.SYS_FSTAT,
		unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
		// memory
		unix.SYS_MUNMAP, unix.SYS_MADVISE, unix.SYS_BRK,
		// threads and their waiting
		unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ,
		unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_RESTART_SYSCALL,
		// signals to itself
		unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
		// clocks and chance
		unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_GETTIMEOFDAY,
		unix.SYS_GETRANDOM,
	), []rule{
		allow(unix.SYS_CLONE, hasAny(0, unix.CLONE_THREAD), hasNone(0, ^uint32(threadFlags))),
		// The C libraries turn to clone, whose flags a filter can see.
		refuse(unix.SYS_CLONE3, unix.ENOSYS),
		allow(unix.SYS_TGKILL, is(0, own)),
		allow(unix.SYS_FCNTL, is(1, unix.F_GETFL)),
		allow(unix.SYS_FCNTL, is(1, unix.F_GETFD)),
		// reading a limit of one's own
		allow(unix.SYS_PRLIMIT64, is(0, 0), isZero(2)),
	}, extraCalls())
}

// calls lets each of these calls through, whatever its arguments.
func calls(numbers ...uintptr) []rule {
	var rules []rule
	for _, n := range numbers {
		rules = append(rules, allow(n))
	}
	return rules
}

// selfFilter is the filter for a Go program that stays what it is: no memory
// becomes code any more.
func selfFilter() []unix.SockFilter {
	return assemble(slices.Concat(compute(), []rule{
		allow(unix.SYS_MMAP, hasNone(2, unix.PROT_EXEC)),
		allow(unix.SYS_MPROTECT, hasNone(2, unix.PROT_EXEC)),
	}))
}
