//go:build amd64 || arm64

package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights on files that each version of Landlock's interface added; see the
// kernel's Documentation/userspace-api/landlock.rst.
const (
	filesV1   = 1<<13 - 1
	filesV2   = unix.LANDLOCK_ACCESS_FS_REFER
	filesV3   = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	networkV4 = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	filesV5   = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	readFile   = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	readFolder = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
)

// signalScopeErratum is the bit of the kernel's list of mended faults that
// says: a scope on signals doesn't stop signals between threads of one process,
// which the Go runtime needs.
const signalScopeErratum = 1 << 1

// ruleset is a Landlock ruleset that refuses all it knows of but reading some
// paths. Without Landlock in the kernel its abi is 0 and it does nothing.
type ruleset struct {
	fd  int
	abi int
}

// landlockVersion returns the version of the kernel's interface, 0 for none.
func landlockVersion() int {
	r, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(r)
}

// handled is everything that this version of Landlock can refuse.
func handled(abi int) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: filesV1}
	if abi >= 2 {
		attr.Handled_access_fs |= filesV2
	}
	if abi >= 3 {
		attr.Handled_access_fs |= filesV3
	}
	if abi >= 4 {
		attr.Handled_access_net = networkV4
	}
	if abi >= 5 {
		attr.Handled_access_fs |= filesV5
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		if signalScopeMended() {
			attr.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
		}
	}
	return attr
}

func signalScopeMended() bool {
	r, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	return errno == 0 && r&signalScopeErratum != 0
}

// newRuleset makes a ruleset that lets only these paths be read and run.
func newRuleset(read []string) (*ruleset, error) {
	abi := landlockVersion()
	if abi == 0 {
		return &ruleset{fd: -1}, nil
	}
	attr := handled(abi)
	// The size of the structure's part that every version here knows: older kernels
	// accept a longer one whose unknown end is zero.
	fd, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Offsetof(attr.Quiet_access_fs), 0)
	if errno != 0 {
		return nil, fmt.Errorf("fence: landlock version %d: create a ruleset: %w", abi, errno)
	}
	rules := &ruleset{fd: int(fd), abi: abi}
	for _, path := range read {
		if err := rules.allow(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			rules.close()
			return nil, fmt.Errorf("fence: landlock: let %s be read: %w", path, err)
		}
	}
	return rules, nil
}

// allow lets one path be read, and all below it when it is a folder.
func (r *ruleset) allow(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return r.allowTo(path, readFolder)
	}
	return r.allowTo(path, readFile)
}

// allowTo gives rights to one path, and to all below it when it is a folder.
func (r *ruleset) allowTo(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// restrict puts the ruleset in force, for good.
func (r *ruleset) restrict(on threads) error {
	if r.abi == 0 {
		return nil
	}
	var flags uintptr
	if r.abi >= 8 && on == allThreads {
		flags, on = unix.LANDLOCK_RESTRICT_SELF_TSYNC, thisThread
	}
	if _, _, errno := onThreads(on, unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), flags, 0); errno != 0 {
		return fmt.Errorf("fence: landlock version %d: put it in force: %w", r.abi, errno)
	}
	return nil
}

func (r *ruleset) close() {
	if r.fd >= 0 {
		_ = unix.Close(r.fd)
		r.fd = -1
	}
}
