package fence

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// foreignNumbers is where the numbers of the x32 interface begin.
	foreignNumbers = 0x40000000
)

// extraCalls are what this architecture has besides.
func extraCalls() []rule {
	return calls(unix.SYS_EPOLL_WAIT, unix.SYS_TIME)
}

// setFS is ARCH_SET_FS, by which a C library places its thread's memory.
const setFS = 0x1002

// extraStartUp is what this architecture has besides for a program's start.
func extraStartUp() []rule {
	return append(calls(unix.SYS_ACCESS, unix.SYS_NEWFSTATAT, unix.SYS_READLINK, unix.SYS_POLL, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_DUP2),
		allow(unix.SYS_OPEN, hasNone(1, writing)), allow(unix.SYS_ARCH_PRCTL, is(0, setFS)))
}

// extraRefusals are what this architecture has besides that commands can't have.
func extraRefusals() []rule {
	return refusals(unix.EPERM, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_CREATE_MODULE, unix.SYS__SYSCTL)
}

// extraMetadata are this architecture's further ways to change a file's metadata by its path.
func extraMetadata() []rule {
	return refusals(unix.EPERM, unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT)
}
