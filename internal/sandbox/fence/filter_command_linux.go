//go:build amd64 || arm64

package fence

import (
	"slices"

	"golang.org/x/sys/unix"
)

// newest is the last system call that this filter was written for. Later ones
// look as if the kernel had none.
const newest = unix.SYS_LISTNS

// namespaces are the flags of clone that make namespaces. CLONE_NEWTIME isn't
// among clone's: there its bit is a signal's.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// datagram is the bit of a socket's type that datagram and raw sockets have, and
// streams don't: a datagram socket can be pointed at others.
const datagram = unix.SOCK_DGRAM

// reachedBy are what the filter for commands depends on.
type reachedBy struct {
	// signals says that Landlock keeps signals within.
	signals bool
	// metadata says that files elsewhere are on a mount that can't be written, so
	// that their owners, modes and times, which Landlock doesn't cover, are safe.
	metadata bool
	// root says that the user owns the system's files.
	root bool
}

// commandFilter is the filter for commands and all that they start.
func commandFilter(by reachedBy) []unix.SockFilter {
	rules := slices.Concat(foreign(), sockets(), partly(), extraRefusals())
	if !by.signals {
		rules = append(rules, signals()...)
	}
	if !by.metadata {
		rules = append(rules, metadata(by.root)...)
	}
	return assembleOpen(rules)
}

// foreign are refused whatever their arguments: they reach other processes, the
// machine, or the walls themselves.
func foreign() []rule {
	return refusals(unix.EPERM,
		// other processes
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_KCMP,
		unix.SYS_PROCESS_MADVISE, unix.SYS_PROCESS_MRELEASE, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_PERF_EVENT_OPEN,
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMCTL, unix.SYS_SEMTIMEDOP, unix.SYS_SEMOP, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
		unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
		// namespaces and mounts
		unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
		unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT,
		unix.SYS_LISTNS, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
		// the kernel
		unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_KEXEC_LOAD,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_LOOKUP_DCOOKIE,
		unix.SYS_VHANGUP, unix.SYS_NFSSERVCTL, unix.SYS_MEMFD_SECRET,
	)
}

// sockets leaves a pair of streams between processes, and no way to name a peer.
// io_uring, by which there would be, is absent.
func sockets() []rule {
	return slices.Concat(
		[]rule{allow(unix.SYS_SOCKETPAIR, is(0, unix.AF_UNIX), hasNone(1, datagram))},
		refusals(unix.EPERM, unix.SYS_SOCKETPAIR, unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4),
		refusals(unix.ENOSYS, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER),
	)
}

// partly are let through for the caller itself.
func partly() []rule {
	var rules []rule
	for _, call := range []uintptr{unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR} {
		rules = append(rules, allow(call, is(0, 0)))
	}
	rules = append(rules, allow(unix.SYS_PRLIMIT64, isZero(2)))
	for _, call := range []uintptr{unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET} {
		rules = append(rules, allow(call, is(0, 0), is(1, 0)), allow(call, is(0, 1), is(1, 0)))
	}
	return slices.Concat(rules,
		refusals(unix.EPERM, unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET),
		[]rule{
			allow(unix.SYS_CLONE, hasNone(0, namespaces)),
			// Its flags can't be seen; the C libraries turn to clone.
			refuse(unix.SYS_CLONE3, unix.ENOSYS),
			refuse(unix.SYS_CLONE, unix.EPERM),
			// Who gets a descriptor's signals, and what a terminal is typed into.
			deny(unix.SYS_FCNTL, is(1, unix.F_SETOWN)), deny(unix.SYS_FCNTL, is(1, unix.F_SETOWN_EX)),
			deny(unix.SYS_IOCTL, is(1, unix.SIOCSPGRP)), deny(unix.SYS_IOCTL, is(1, fiosetown)), deny(unix.SYS_IOCTL, is(1, unix.TIOCSTI)),
			deny(unix.SYS_IOCTL, is(1, unix.TIOCLINUX)), deny(unix.SYS_IOCTL, is(1, unix.TIOCSETD)),
		})
}

const fiosetown = 0x8901

// signals leaves a process its own group and its own threads, for kernels whose
// Landlock can't tell.
func signals() []rule {
	return slices.Concat(
		[]rule{allow(unix.SYS_KILL, is(0, 0))},
		refusals(unix.EPERM, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO))
}

// metadata refuses, by path, what Landlock doesn't cover. By descriptor it leaves
// what an ordinary user may do to files that could be opened; root owns more than
// that.
func metadata(root bool) []rule {
	rules := slices.Concat(
		[]rule{allow(unix.SYS_UTIMENSAT, isZero(1))},
		refusals(unix.EPERM,
			unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
			unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR),
		extraMetadata())
	if root {
		rules = append(rules, refusals(unix.EPERM, unix.SYS_FCHMOD, unix.SYS_FCHOWN, unix.SYS_FSETXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_UTIMENSAT)...)
		rules = slices.DeleteFunc(rules, func(r rule) bool { return r.call == unix.SYS_UTIMENSAT && r.verdict == unix.SECCOMP_RET_ALLOW })
	}
	return rules
}

// refusals answers each of these calls with an error.
func refusals(with unix.Errno, numbers ...uintptr) []rule {
	var rules []rule
	for _, n := range numbers {
		rules = append(rules, refuse(n, with))
	}
	return rules
}

// deny is a rule that answers a call with EPERM under conditions.
func deny(call uintptr, when ...condition) rule {
	return rule{call: call, when: when, verdict: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
}

// assembleOpen turns rules into a program that lets through what no rule names,
// but for calls of a foreign architecture and those newer than the rules.
func assembleOpen(rules []rule) []unix.SockFilter {
	program := assemble(rules)
	program[len(program)-1] = unix.SockFilter{Code: giveBack, K: unix.SECCOMP_RET_ALLOW}
	absent := []unix.SockFilter{
		{Code: jumpNotLow, K: newest + 1, Jf: 1},
		{Code: giveBack, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
	}
	at := len(program) - 1
	return slices.Insert(program, at, absent...)
}
