//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nobody is the id that a fenced child of root takes: the kernel's overflow
// id, which owns nothing on a sane system.
const nobody = 65534

// leaveRoot gives up root and its groups. Inside a user namespace that doesn't
// map the id, it gives up the capabilities alone.
func leaveRoot(Options) error {
	if unix.Geteuid() != 0 && unix.Getuid() == unix.Geteuid() {
		return nil
	}
	err := becomeNobody()
	if err == nil {
		return nil
	}
	if dropErr := dropCapabilities(); dropErr != nil {
		return errors.Join(err, dropErr)
	}
	return nil
}

// becomeNobody changes all ids, on all threads, and checks that it worked.
func becomeNobody() error {
	if err := unix.Setgroups(nil); err != nil && err != unix.EPERM {
		return fmt.Errorf("leave all groups: %w", err)
	}
	if err := unix.Setresgid(nobody, nobody, nobody); err != nil {
		return fmt.Errorf("take group %d: %w", nobody, err)
	}
	if err := unix.Setresuid(nobody, nobody, nobody); err != nil {
		return fmt.Errorf("take user %d: %w", nobody, err)
	}
	if unix.Setuid(0) == nil {
		return errors.New("root could be taken back")
	}
	return nil
}

// dropCapabilities empties the capability sets of all threads.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	_, _, errno := onThreads(allThreads, unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0)
	if errno != 0 {
		return fmt.Errorf("drop capabilities: %w", errno)
	}
	return nil
}

// dieWithParent asks for SIGKILL when the parent's thread ends. The kernel
// forgets an earlier request when the user changes, so this comes after it.
func dieWithParent(o Options) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	if parent := unix.Getppid(); o.Parent != 0 && parent != o.Parent {
		return fmt.Errorf("the parent is %d, not %d: it has died", parent, o.Parent)
	}
	return nil
}

// noNewPrivileges makes set-user-ID programs powerless and the process
// unreadable for others of the same user. Seccomp's installation carries the
// first to threads that this call can't reach.
func noNewPrivileges(Options) error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := onThreads(allThreads, unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0); errno != 0 {
		return errno
	}
	return nil
}

// threads says to which threads a step applies.
type threads bool

const (
	allThreads threads = true
	thisThread threads = false
)

// onThreads makes a system call on all threads, or on the calling one alone
// when that is asked for or when the program is built with cgo, whose threads
// Go doesn't know.
//
//go:uintptrescapes
func onThreads(on threads, trap, a, b, c uintptr) (reached threads, r uintptr, errno syscall.Errno) {
	if on == allThreads {
		r, _, errno = syscall.AllThreadsSyscall(trap, a, b, c)
		if errno != syscall.ENOTSUP {
			return allThreads, r, errno
		}
	}
	r, _, errno = syscall.RawSyscall(trap, a, b, c)
	return thisThread, r, errno
}
