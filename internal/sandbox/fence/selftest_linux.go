//go:build amd64 || arm64

package fence

import (
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempt is one forbidden system call, made so that it would do no harm, and
// would not fail with EPERM, if it got through.
type attempt struct {
	name string
	call uintptr
	args [5]uintptr
}

var (
	rootPath  = [...]byte{'/', 0}
	emptyList = [1]uintptr{}
)

// attempts are the tries of the self-test: one for each kind of way out.
func attempts() []attempt {
	path := uintptr(unsafe.Pointer(&rootPath[0]))
	none := uintptr(unsafe.Pointer(&emptyList[0]))
	here := ^uintptr(99) // AT_FDCWD
	own := uintptr(unix.Getpid())
	return []attempt{
		{"open a folder", unix.SYS_OPENAT, [5]uintptr{here, path, unix.O_RDONLY | unix.O_DIRECTORY}},
		{"make a TCP socket", unix.SYS_SOCKET, [5]uintptr{unix.AF_INET, unix.SOCK_STREAM, 0}},
		{"make a UDP socket", unix.SYS_SOCKET, [5]uintptr{unix.AF_INET, unix.SOCK_DGRAM, 0}},
		{"make a Unix socket", unix.SYS_SOCKET, [5]uintptr{unix.AF_UNIX, unix.SOCK_STREAM, 0}},
		{"connect", unix.SYS_CONNECT, [5]uintptr{^uintptr(0), 0, 0}},
		{"run a program", unix.SYS_EXECVE, [5]uintptr{path, none, none}},
		{"signal itself", unix.SYS_KILL, [5]uintptr{own, 0}},
		{"signal the parent", unix.SYS_TGKILL, [5]uintptr{uintptr(unix.Getppid()), uintptr(unix.Getppid()), 0}},
		{"trace", unix.SYS_PTRACE, [5]uintptr{unix.PTRACE_CONT, own, 0, 0}},
		{"read another's memory", unix.SYS_PROCESS_VM_READV, [5]uintptr{own, 0, 0, 0, 0}},
		{"set up io_uring", unix.SYS_IO_URING_SETUP, [5]uintptr{0, 0}},
		{"change a namespace", unix.SYS_UNSHARE, [5]uintptr{0}},
		{"change the process", unix.SYS_PRCTL, [5]uintptr{unix.PR_GET_DUMPABLE, 0, 0, 0, 0}},
	}
}

// selfTest tries what the fence must refuse. The filter answers EPERM before
// the kernel looks at an argument, so that a refusal can be told from a mishap.
func selfTest() error {
	return tryAll(func(a attempt, answer unix.Errno) bool { return answer == unix.EPERM })
}

// selfTestProgram does the same for a program that is about to start: opening
// is left to Landlock, and io_uring looks absent.
func selfTestProgram() error {
	return tryAll(refusedProgram)
}

// refusedProgram judges an answer to a program.
func refusedProgram(a attempt, answer unix.Errno) bool {
	switch a.call {
	case unix.SYS_OPENAT:
		return answer == unix.EACCES
	case unix.SYS_IO_URING_SETUP:
		return answer == unix.ENOSYS
	}
	return answer == unix.EPERM
}

// selfTestCommand does so for a command, which may open and run what Landlock
// lets it, and have processes. Its mounts are tried too.
func selfTestCommand() error {
	path := uintptr(unsafe.Pointer(&rootPath[0]))
	some := append(attempts(),
		attempt{"mount", unix.SYS_MOUNT, [5]uintptr{path, path, 0, unix.MS_BIND, 0}},
		attempt{"listen", unix.SYS_LISTEN, [5]uintptr{^uintptr(0), 0}},
		attempt{"reach another's limits", unix.SYS_PRLIMIT64, [5]uintptr{uintptr(unix.Getppid()), unix.RLIMIT_CORE, path, 0}})
	theirs := []uintptr{unix.SYS_EXECVE, unix.SYS_KILL, unix.SYS_TGKILL, unix.SYS_PRCTL}
	some = slices.DeleteFunc(some, func(a attempt) bool { return slices.Contains(theirs, a.call) })
	return try(some, refusedProgram)
}

// tryAll makes all attempts, that to make a process too.
func tryAll(refused func(attempt, unix.Errno) bool) error {
	if err := try(attempts(), refused); err != nil {
		return err
	}
	return testFork()
}

// try makes attempts and has their answers judged.
func try(some []attempt, refused func(attempt, unix.Errno) bool) error {
	for _, a := range some {
		_, _, errno := unix.RawSyscall6(a.call, a.args[0], a.args[1], a.args[2], a.args[3], a.args[4], 0)
		if !refused(a, errno) {
			return fmt.Errorf("fence: self-test: could %s (answer: %v)", a.name, errno)
		}
	}
	return nil
}

// testFork tries to make a process. Should it work, the copy ends at once.
func testFork() error {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		for {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 1, 0, 0)
		}
	}
	if errno != unix.EPERM {
		return fmt.Errorf("fence: self-test: could fork (answer: %v)", errno)
	}
	return nil
}

// testLandlock makes sure, before the filter hides it, that Landlock refuses.
func testLandlock() error {
	fd, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	if err != unix.EACCES {
		return fmt.Errorf("fence: self-test: landlock lets / be opened (answer: %v)", err)
	}
	return nil
}
