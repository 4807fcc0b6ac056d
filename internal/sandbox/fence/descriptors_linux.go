//go:build amd64 || arm64

package fence

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// highest bounds the search for descriptors where /proc is absent.
const highest = 1 << 16

// closeOthers closes every descriptor that isn't kept and isn't the Go
// runtime's own. What is inherited over exec never has the close-on-exec flag,
// so the runtime's own are those that have it and that its poller uses.
func closeOthers(o Options) error {
	if err := fillStandard(o.Keep); err != nil {
		return err
	}
	open, proc := openDescriptors()
	for _, fd := range open {
		if fd <= 2 || slices.Contains(o.Keep, fd) || runtimeOwn(fd, proc) {
			continue
		}
		if err := unix.Close(fd); err != nil && err != unix.EBADF {
			return fmt.Errorf("close descriptor %d: %w", fd, err)
		}
	}
	return nil
}

// fillStandard puts the null device in place of standard streams that go.
func fillStandard(keep []int) error {
	for fd := range 3 {
		if slices.Contains(keep, fd) {
			continue
		}
		null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("open %s in place of descriptor %d: %w", os.DevNull, fd, err)
		}
		if null == fd {
			continue
		}
		if err := unix.Dup3(null, fd, 0); err != nil {
			return fmt.Errorf("replace descriptor %d: %w", fd, err)
		}
		_ = unix.Close(null)
	}
	return nil
}

// openDescriptors lists the open descriptors; proc says that /proc told them.
func openDescriptors() (open []int, proc bool) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		for fd := range highest {
			open = append(open, fd)
		}
		return open, false
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil {
			open = append(open, fd)
		}
	}
	return open, true
}

// runtimeOwn reports whether a descriptor is the runtime's poller.
func runtimeOwn(fd int, proc bool) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil || flags&unix.FD_CLOEXEC == 0 {
		return false
	}
	if !proc {
		return true
	}
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	return err == nil && (name == "anon_inode:[eventpoll]" || name == "anon_inode:[eventfd]")
}
