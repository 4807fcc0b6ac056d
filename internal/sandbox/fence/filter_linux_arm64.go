package fence

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	// foreignNumbers is 0: this architecture has one interface.
	foreignNumbers = 0
)

// extraCalls are what this architecture has besides.
func extraCalls() []rule { return nil }

// extraStartUp is what this architecture has besides for a program's start.
func extraStartUp() []rule { return calls(unix.SYS_FSTATAT) }

// extraRefusals are what this architecture has besides that commands can't have.
func extraRefusals() []rule { return refusals(unix.EPERM, unix.SYS_KEXEC_FILE_LOAD) }

// extraMetadata are this architecture's further ways to change a file's metadata by its path.
func extraMetadata() []rule { return nil }
