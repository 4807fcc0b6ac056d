//go:build linux && (amd64 || arm64)

package fence

import (
	"testing"

	"golang.org/x/sys/unix"
)

// verdict runs a filter on one call, as the kernel would.
func verdict(t *testing.T, filter []unix.SockFilter, arch, call uint32, args ...uint64) uint32 {
	t.Helper()
	var words [16]uint32
	words[0], words[1] = call, arch
	for i, a := range args {
		words[4+2*i], words[5+2*i] = uint32(a), uint32(a>>32)
	}
	var loaded uint32
	for at := 0; at < len(filter); at++ {
		in := filter[at]
		jump := false
		switch in.Code {
		case loadWord:
			loaded = words[in.K/4]
			continue
		case giveBack:
			return in.K
		case jumpEqual:
			jump = loaded == in.K
		case jumpNotLow:
			jump = loaded >= in.K
		case jumpAnyBit:
			jump = loaded&in.K != 0
		default:
			t.Fatalf("instruction %+v", in)
		}
		if jump {
			at += int(in.Jt)
		} else {
			at += int(in.Jf)
		}
	}
	t.Fatal("it ran out of its program")
	return 0
}

// TestCommandFilter holds the filter for commands against what it should say, for
// systems too that this one isn't.
func TestCommandFilter(t *testing.T) {
	t.Parallel()
	const allowed = unix.SECCOMP_RET_ALLOW
	eperm, enosys := unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM), unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)
	best := commandFilter(reachedBy{signals: true, metadata: true})
	worst := commandFilter(reachedBy{root: true})
	plain := commandFilter(reachedBy{})
	for _, c := range []struct {
		name         string
		call         uint32
		args         []uint64
		best, worst  uint32
		withoutMount uint32 // for an ordinary user
	}{
		{"read", unix.SYS_READ, nil, allowed, allowed, allowed},
		{"openat", unix.SYS_OPENAT, []uint64{0, 0, unix.O_CREAT}, allowed, allowed, allowed},
		{"execve", unix.SYS_EXECVE, nil, allowed, allowed, allowed},
		{"fork", unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, allowed, allowed, allowed},
		{"clone into a user namespace", unix.SYS_CLONE, []uint64{unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)}, eperm, eperm, eperm},
		{"clone into a mount namespace", unix.SYS_CLONE, []uint64{unix.CLONE_NEWNS}, eperm, eperm, eperm},
		{"clone3", unix.SYS_CLONE3, nil, enosys, enosys, enosys},
		{"unshare", unix.SYS_UNSHARE, []uint64{unix.CLONE_NEWUSER}, eperm, eperm, eperm},
		{"socket", unix.SYS_SOCKET, []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, eperm, eperm, eperm},
		{"stream pair", unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allowed, allowed, allowed},
		{"packet pair", unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET}, allowed, allowed, allowed},
		{"datagram pair", unix.SYS_SOCKETPAIR, []uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, eperm, eperm, eperm},
		{"inet pair", unix.SYS_SOCKETPAIR, []uint64{unix.AF_INET, unix.SOCK_STREAM}, eperm, eperm, eperm},
		{"own limits", unix.SYS_PRLIMIT64, []uint64{0, 1, 99}, allowed, allowed, allowed},
		{"another's limits read", unix.SYS_PRLIMIT64, []uint64{7, 1, 0}, allowed, allowed, allowed},
		{"another's limits", unix.SYS_PRLIMIT64, []uint64{7, 1, 1 << 40}, eperm, eperm, eperm},
		{"own priority", unix.SYS_SETPRIORITY, []uint64{0, 0, 5}, allowed, allowed, allowed},
		{"another's priority", unix.SYS_SETPRIORITY, []uint64{0, 7, 5}, eperm, eperm, eperm},
		{"a user's priority", unix.SYS_SETPRIORITY, []uint64{2, 0, 5}, eperm, eperm, eperm},
		{"signal", unix.SYS_KILL, []uint64{7, 9}, allowed, eperm, eperm},
		{"signal all", unix.SYS_KILL, []uint64{1<<64 - 1, 9}, allowed, eperm, eperm},
		{"signal the group", unix.SYS_KILL, []uint64{0, 9}, allowed, allowed, allowed},
		{"signal a thread", unix.SYS_TGKILL, []uint64{7, 7, 9}, allowed, eperm, eperm},
		{"owner of a descriptor's signals", unix.SYS_FCNTL, []uint64{0, unix.F_SETOWN, 7}, eperm, eperm, eperm},
		{"duplicate", unix.SYS_FCNTL, []uint64{0, unix.F_DUPFD, 7}, allowed, allowed, allowed},
		{"type into a terminal", unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, eperm, eperm, eperm},
		{"size of a terminal", unix.SYS_IOCTL, []uint64{0, unix.TIOCGWINSZ}, allowed, allowed, allowed},
		{"mode by path", unix.SYS_FCHMODAT, nil, allowed, eperm, eperm},
		{"mode by descriptor", unix.SYS_FCHMOD, nil, allowed, eperm, allowed},
		{"times by path", unix.SYS_UTIMENSAT, []uint64{0, 1 << 40}, allowed, eperm, eperm},
		{"times by descriptor", unix.SYS_UTIMENSAT, []uint64{3, 0}, allowed, eperm, allowed},
		{"io_uring", unix.SYS_IO_URING_SETUP, nil, enosys, enosys, enosys},
		{"the newest call", newest, nil, eperm, eperm, eperm},
		{"a newer call", newest + 1, nil, enosys, enosys, enosys},
		{"a call of the future", 9999, nil, enosys, enosys, enosys},
	} {
		for name, x := range map[string]struct {
			filter []unix.SockFilter
			want   uint32
		}{"best": {best, c.best}, "worst": {worst, c.worst}, "plain": {plain, c.withoutMount}} {
			if got := verdict(t, x.filter, auditArch, c.call, c.args...); got != x.want {
				t.Errorf("%s, %s: %#x, want %#x", c.name, name, got, x.want)
			}
		}
	}
	if got := verdict(t, best, auditArch^1, unix.SYS_READ); got != unix.SECCOMP_RET_KILL_PROCESS {
		t.Errorf("another architecture: %#x", got)
	}
	if foreignNumbers != 0 {
		if got := verdict(t, best, auditArch, foreignNumbers|unix.SYS_READ); got != unix.SECCOMP_RET_KILL_PROCESS {
			t.Errorf("another interface: %#x", got)
		}
	}
}
