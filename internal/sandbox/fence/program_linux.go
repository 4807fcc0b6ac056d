//go:build amd64 || arm64

package fence

import (
	"slices"

	"golang.org/x/sys/unix"
)

const (
	// writing are the flags of open that could change or make a file, and O_PATH, which Landlock lets pass.
	writing = unix.O_PATH | unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC | unix.O_APPEND | (unix.O_TMPFILE &^ unix.O_DIRECTORY)
	// setVMA names memory for debuggers.
	setVMA = 0x53564d41
	// statusFlags are those that F_SETFL may set on a pipe: none that sends signals.
	statusFlags = unix.O_ACCMODE | unix.O_NONBLOCK | unix.O_APPEND | 0o100000 /* O_LARGEFILE */
)

// programFilter is the filter for a program that the process becomes through
// the descriptor given: what compute lists, what a C program with a loader and
// a compiler of its own needs to start, and one way to start it.
func programFilter(program int) []unix.SockFilter {
	return assemble(slices.Concat(
		[]rule{allow(unix.SYS_EXECVEAT, is(0, uint32(program)), is(4, unix.AT_EMPTY_PATH))},
		compute(), startUp(), extraStartUp()))
}

// startUp is what a program needs besides; Landlock decides which files it
// finds. pkey_alloc, io_uring and clone3 are refused as if the kernel had none, so
// that runtimes do without.
func startUp() []rule {
	return slices.Concat(calls(
		unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_MREMAP, unix.SYS_MINCORE, unix.SYS_MEMBARRIER,
		unix.SYS_LSEEK, unix.SYS_PREAD64, unix.SYS_PWRITE64, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_STATX, unix.SYS_READLINKAT,
		unix.SYS_GETCWD, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PIPE2, unix.SYS_PPOLL, unix.SYS_EPOLL_PWAIT2,
		unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID, unix.SYS_CAPGET,
		unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_GETRUSAGE, unix.SYS_TIMES, unix.SYS_GETCPU, unix.SYS_GETPRIORITY,
		unix.SYS_SET_TID_ADDRESS, unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_GETPARAM,
		unix.SYS_SCHED_GET_PRIORITY_MIN, unix.SYS_SCHED_GET_PRIORITY_MAX,
	), []rule{
		allow(unix.SYS_OPENAT, hasNone(2, writing)),
		allow(unix.SYS_PRCTL, is(0, unix.PR_SET_NAME)),
		allow(unix.SYS_PRCTL, is(0, unix.PR_GET_NAME)),
		allow(unix.SYS_PRCTL, is(0, setVMA)),
		allow(unix.SYS_FCNTL, is(1, unix.F_SETFD)),
		allow(unix.SYS_FCNTL, is(1, unix.F_DUPFD_CLOEXEC)),
		allow(unix.SYS_FCNTL, is(1, unix.F_SETFL), hasNone(2, ^uint32(statusFlags))),
		allow(unix.SYS_IOCTL, is(1, unix.TCGETS)),
		allow(unix.SYS_IOCTL, is(1, fionbio)),
		allow(unix.SYS_IOCTL, is(1, fioclex)),
		allow(unix.SYS_IOCTL, is(1, unix.TIOCGWINSZ)),
		refuse(unix.SYS_IO_URING_SETUP, unix.ENOSYS),
		refuse(unix.SYS_PKEY_ALLOC, unix.ENOSYS),
	})
}

// Requests of ioctl about a descriptor's own flags.
const (
	fionbio = 0x5421
	fioclex = 0x5451
)
