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
