//go:build linux && (amd64 || arm64)

package fence_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// probe is one way out, tried by a system call. It returns 0 when it worked.
type probe struct {
	name string
	try  func(w world) unix.Errno
}

// world is what the probes work with, made before the fence closes.
type world struct {
	dir    string // a folder that everybody may write to, with a file "file" in it
	parent int
	socket string // a Unix socket that somebody listens on
	fd     int    // a descriptor that was inherited and isn't kept
}

func call(nr uintptr, args ...uintptr) unix.Errno {
	a := [6]uintptr{}
	copy(a[:], args)
	_, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
	return errno
}

func text(s string) uintptr {
	b, err := unix.BytePtrFromString(s)
	if err != nil {
		panic(err)
	}
	pinned = append(pinned, b)
	return uintptr(unsafe.Pointer(b))
}

// block is zeroed memory for structures.
func block(n int) uintptr {
	b := make([]byte, n)
	pinned = append(pinned, &b[0])
	return uintptr(unsafe.Pointer(&b[0]))
}

// pinned keeps what the probes point to alive.
var pinned []*byte

const (
	here   = ^uintptr(99) // AT_FDCWD
	sigchl = uintptr(unix.SIGCHLD)
)

func open(path string, flags int) unix.Errno {
	return call(unix.SYS_OPENAT, here, text(path), uintptr(flags), 0o644)
}

func socket(family, kind, protocol int) func(world) unix.Errno {
	return func(world) unix.Errno {
		return call(unix.SYS_SOCKET, uintptr(family), uintptr(kind), uintptr(protocol))
	}
}

// fork makes a process by clone and ends the copy at once.
func fork(nr uintptr, args ...uintptr) unix.Errno {
	a := [6]uintptr{}
	copy(a[:], args)
	pid, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno == 0 && pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return errno
}

func list(s ...string) uintptr {
	p := make([]uintptr, len(s)+1)
	for i, x := range s {
		p[i] = text(x)
	}
	lists = append(lists, p)
	return uintptr(unsafe.Pointer(&p[0]))
}

var lists [][]uintptr

var fileProbes = []probe{
	{"open to read", func(w world) unix.Errno { return open(w.dir+"/file", unix.O_RDONLY) }},
	{"open to write", func(w world) unix.Errno { return open(w.dir+"/file", unix.O_WRONLY) }},
	{"open a path only", func(w world) unix.Errno { return open(w.dir+"/file", unix.O_PATH) }},
	{"create", func(w world) unix.Errno { return open(w.dir+"/new", unix.O_CREAT|unix.O_WRONLY) }},
	{"nameless file", func(w world) unix.Errno { return open(w.dir, unix.O_TMPFILE|unix.O_WRONLY) }},
	{"openat2", func(w world) unix.Errno {
		return call(unix.SYS_OPENAT2, here, text(w.dir+"/file"), block(24), 24)
	}},
	{"mkdir", func(w world) unix.Errno { return call(unix.SYS_MKDIRAT, here, text(w.dir+"/made"), 0o755) }},
	{"unlink", func(w world) unix.Errno { return call(unix.SYS_UNLINKAT, here, text(w.dir+"/gone"), 0) }},
	{"link", func(w world) unix.Errno {
		return call(unix.SYS_LINKAT, here, text(w.dir+"/file"), here, text(w.dir+"/linked"), 0)
	}},
	{"symlink", func(w world) unix.Errno {
		return call(unix.SYS_SYMLINKAT, text("/etc/passwd"), here, text(w.dir+"/symlinked"))
	}},
	{"rename", func(w world) unix.Errno {
		return call(unix.SYS_RENAMEAT2, here, text(w.dir+"/old"), here, text(w.dir+"/renamed"), 0)
	}},
	{"chmod", func(w world) unix.Errno { return call(unix.SYS_FCHMODAT, here, text(w.dir+"/own"), 0o777) }},
	{"chown", func(w world) unix.Errno {
		return call(unix.SYS_FCHOWNAT, here, text(w.dir+"/own"), ^uintptr(0), ^uintptr(0), 0)
	}},
	{"truncate", func(w world) unix.Errno { return call(unix.SYS_TRUNCATE, text(w.dir+"/file"), 0) }},
	{"make a pipe with a name", func(w world) unix.Errno {
		return call(unix.SYS_MKNODAT, here, text(w.dir+"/fifo"), unix.S_IFIFO|0o644, 0)
	}},
	{"stat", func(w world) unix.Errno { return call(unix.SYS_STATX, here, text(w.dir+"/file"), 0, 0x7ff, block(256)) }},
	{"access", func(w world) unix.Errno { return call(unix.SYS_FACCESSAT, here, text(w.dir+"/file"), 0) }},
	{"readlink", func(w world) unix.Errno { return call(unix.SYS_READLINKAT, here, text("/proc/self"), block(64), 64) }},
	{"own environment", func(w world) unix.Errno { return open("/proc/self/environ", unix.O_RDONLY) }},
	{"parent's environment", func(w world) unix.Errno {
		return open("/proc/"+strconv.Itoa(w.parent)+"/environ", unix.O_RDONLY)
	}},
	{"own memory", func(w world) unix.Errno { return open("/proc/self/mem", unix.O_RDWR) }},
	{"chdir", func(w world) unix.Errno { return call(unix.SYS_CHDIR, text(w.dir)) }},
	{"chroot", func(w world) unix.Errno { return call(unix.SYS_CHROOT, text(w.dir)) }},
	{"inherited descriptor", func(w world) unix.Errno { return call(unix.SYS_READ, uintptr(w.fd), block(8), 8) }},
	{"duplicate a descriptor", func(w world) unix.Errno { return call(unix.SYS_DUP, 1) }},
	{"memory file", func(w world) unix.Errno { return call(unix.SYS_MEMFD_CREATE, text("x"), 0) }},
	{"ask a descriptor for more", func(w world) unix.Errno { return call(unix.SYS_IOCTL, 1, unix.TIOCINQ, block(8)) }},
	{"send signals by a descriptor", func(w world) unix.Errno {
		return call(unix.SYS_FCNTL, 1, unix.F_SETOWN, uintptr(w.parent))
	}},
}

var networkProbes = []probe{
	{"TCP socket", socket(unix.AF_INET, unix.SOCK_STREAM, 0)},
	{"TCP over IPv6 socket", socket(unix.AF_INET6, unix.SOCK_STREAM, 0)},
	{"UDP socket", socket(unix.AF_INET, unix.SOCK_DGRAM, 0)},
	{"MPTCP socket", socket(unix.AF_INET, unix.SOCK_STREAM, 262)},
	{"Unix socket", socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)},
	{"netlink socket", socket(unix.AF_NETLINK, unix.SOCK_RAW, 0)},
	{"vsock socket", socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
	{"crypto socket", socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)},
	{"packet socket", socket(unix.AF_PACKET, unix.SOCK_RAW, 0)},
	{"pair of sockets", func(world) unix.Errno {
		return call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM, 0, block(8))
	}},
	{"connect to a Unix socket", func(w world) unix.Errno {
		fd, _, errno := unix.RawSyscall(unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if errno != 0 {
			return errno
		}
		address := block(110)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(pinned[len(pinned)-1])), 110), "\x01\x00"+w.socket)
		return call(unix.SYS_CONNECT, fd, address, uintptr(2+len(w.socket)))
	}},
	{"io_uring", func(world) unix.Errno { return call(unix.SYS_IO_URING_SETUP, 1, block(120)) }},
}

var processProbes = []probe{
	{"fork by clone", func(world) unix.Errno { return fork(unix.SYS_CLONE, sigchl) }},
	{"vfork by clone", func(world) unix.Errno { return fork(unix.SYS_CLONE, sigchl|unix.CLONE_VFORK) }},
	{"fork by clone3", func(world) unix.Errno {
		args := make([]uint64, 11)
		args[4] = uint64(sigchl)
		return fork(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args[0])), 88)
	}},
	{"new namespace by clone", func(world) unix.Errno { return fork(unix.SYS_CLONE, sigchl|unix.CLONE_NEWUSER) }},
	{"execve", func(w world) unix.Errno { return call(unix.SYS_EXECVE, text("/proc/self/exe"), list("x"), list()) }},
	{"execveat", func(w world) unix.Errno {
		return call(unix.SYS_EXECVEAT, here, text("/proc/self/exe"), list("x"), list(), 0)
	}},
	{"signal to the parent", func(w world) unix.Errno { return call(unix.SYS_KILL, uintptr(w.parent), 0) }},
	{"thread signal to the parent", func(w world) unix.Errno {
		return call(unix.SYS_TGKILL, uintptr(w.parent), uintptr(w.parent), 0)
	}},
	{"tkill to the parent", func(w world) unix.Errno { return call(unix.SYS_TKILL, uintptr(w.parent), 0) }},
	{"queued signal to the parent", func(w world) unix.Errno {
		return call(unix.SYS_RT_SIGQUEUEINFO, uintptr(w.parent), 0, block(128))
	}},
	{"signal to its group", func(w world) unix.Errno { return call(unix.SYS_KILL, 0, 0) }},
	{"ptrace of the parent", func(w world) unix.Errno { return call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(w.parent), 0, 0) }},
	{"be traced", func(w world) unix.Errno { return call(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0, 0) }},
	{"read the parent's memory", func(w world) unix.Errno {
		return call(unix.SYS_PROCESS_VM_READV, uintptr(w.parent), 0, 0, 0, 0, 0)
	}},
	{"write the parent's memory", func(w world) unix.Errno {
		return call(unix.SYS_PROCESS_VM_WRITEV, uintptr(w.parent), 0, 0, 0, 0, 0)
	}},
	{"descriptor of the parent", func(w world) unix.Errno { return call(unix.SYS_PIDFD_OPEN, uintptr(w.parent), 0) }},
	{"compare with the parent", func(w world) unix.Errno {
		return call(unix.SYS_KCMP, uintptr(w.parent), uintptr(w.parent), 0, 0, 0)
	}},
	{"lower the parent's priority", func(w world) unix.Errno { return call(unix.SYS_SETPRIORITY, 0, 0, 19) }},
	{"limits of the parent", func(w world) unix.Errno { return call(unix.SYS_PRLIMIT64, uintptr(w.parent), 0, 0, block(16)) }},
	{"new session", func(w world) unix.Errno { return call(unix.SYS_SETPGID, 0, 0) }},
}

var systemProbes = []probe{
	{"mount", func(w world) unix.Errno {
		return call(unix.SYS_MOUNT, text("none"), text(w.dir), text("tmpfs"), 0, 0)
	}},
	{"new mount by descriptor", func(w world) unix.Errno { return call(unix.SYS_FSOPEN, text("tmpfs"), 0) }},
	{"unshare", func(world) unix.Errno { return call(unix.SYS_UNSHARE, unix.CLONE_FS) }},
	{"enter a namespace", func(world) unix.Errno { return call(unix.SYS_SETNS, ^uintptr(0), 0) }},
	{"bpf", func(world) unix.Errno { return call(unix.SYS_BPF, 0, block(128), 128) }},
	{"performance counters", func(world) unix.Errno {
		attr := make([]uint32, 32)
		attr[0], attr[1] = 1, 128
		return call(unix.SYS_PERF_EVENT_OPEN, uintptr(unsafe.Pointer(&attr[0])), 0, ^uintptr(0), ^uintptr(0), 0)
	}},
	{"keys", func(world) unix.Errno { return call(unix.SYS_KEYCTL, 0, ^uintptr(2), 1) }},
	{"add a key", func(world) unix.Errno {
		return call(unix.SYS_ADD_KEY, text("user"), text("k"), text("v"), 1, ^uintptr(2))
	}},
	{"page faults", func(world) unix.Errno { return call(unix.SYS_USERFAULTFD, 1) }},
	{"watch files", func(world) unix.Errno { return call(unix.SYS_INOTIFY_INIT1, 0) }},
	{"change the process", func(world) unix.Errno { return call(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1) }},
	{"outlive the parent", func(world) unix.Errno { return call(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, 0) }},
	{"become root", func(world) unix.Errno { return call(unix.SYS_SETUID, 0) }},
	{"set capabilities", func(world) unix.Errno { return call(unix.SYS_CAPSET, block(8), block(24)) }},
	{"raise a limit", func(world) unix.Errno { return call(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_CORE, block(16), 0) }},
	{"another filter", func(world) unix.Errno { return call(unix.SYS_SECCOMP, 1, 0, block(16)) }},
	{"memory as code", func(world) unix.Errno {
		return call(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON, ^uintptr(0), 0)
	}},
	{"memory into code", func(world) unix.Errno {
		return call(unix.SYS_MPROTECT, block(4096)&^4095, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC)
	}},
	{"shared memory", func(world) unix.Errno { return call(unix.SYS_SHMGET, 0x7ead, 4096, 0o600) }},
	{"message queue", func(world) unix.Errno {
		return call(unix.SYS_MQ_OPEN, text("fence"), unix.O_RDWR, 0o600, 0)
	}},
	{"set the clock", func(world) unix.Errno { return call(unix.SYS_CLOCK_SETTIME, 0, block(16)) }},
	{"the machine's name", func(world) unix.Errno { return call(unix.SYS_UNAME, block(6*65)) }},
	{"load a module", func(world) unix.Errno { return call(unix.SYS_FINIT_MODULE, ^uintptr(0), text(""), 0) }},
	{"alarm for others", func(world) unix.Errno { return call(unix.SYS_TIMER_CREATE, 0, 0, block(8)) }},
}

func allProbes() []probe {
	return slices.Concat(fileProbes, networkProbes, processProbes, systemProbes, archProbes)
}

// probeChild enters the fence, or not, and tries all.
func probeChild(args []string) error {
	w := world{dir: args[1], parent: unix.Getppid(), socket: args[1] + "/socket", fd: 3}
	if args[0] == "fenced" {
		if err := fence.Enter(fence.Options{Parent: w.parent, Data: 512 << 20}); err != nil {
			return err
		}
	}
	only := ""
	if len(args) > 2 {
		only = args[2]
	}
	for _, p := range allProbes() {
		if only == "" || p.name == only {
			fmt.Printf("%s\t%d\n", p.name, p.try(w))
		}
	}
	return nil
}

// folder is the world of the probes, for every user.
func folder(t *testing.T, u user) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "probe")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "gone", "old", "own"} {
		if err := os.WriteFile(dir+"/"+name, []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir+"/"+name, 0o666); err != nil {
			t.Fatal(err)
		}
		if u.attr != nil {
			if err := os.Chown(dir+"/"+name, int(u.attr.Uid), int(u.attr.Gid)); err != nil {
				t.Fatal(err)
			}
		}
	}
	listen(t, dir+"/socket")
	return dir
}

func listen(t *testing.T, path string) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 8); err != nil {
		t.Fatal(err)
	}
}

// TestEveryWayOutIsRefused tries each way in a fenced child. That a way is one
// at all is shown by TestWaysAreOpenWithoutAFence.
func TestEveryWayOutIsRefused(t *testing.T) {
	needFence(t)
	path := binary(t)
	for _, u := range users() {
		t.Run(u.name, func(t *testing.T) {
			dir := folder(t, u)
			inherited, err := os.Open(dir + "/file")
			if err != nil {
				t.Fatal(err)
			}
			defer inherited.Close()
			cmd := u.command(path, "probe", "fenced", dir)
			cmd.ExtraFiles = []*os.File{inherited}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got, want := len(lines(string(out))), len(allProbes()); got != want {
				t.Errorf("%d probes reported, want %d\n%s", got, want, out)
			}
			for _, line := range lines(string(out)) {
				name, errno, _ := strings.Cut(line, "\t")
				want := strconv.Itoa(int(unix.EPERM))
				switch name {
				case "fork by clone3":
					want = strconv.Itoa(int(unix.ENOSYS))
				case "inherited descriptor":
					want = strconv.Itoa(int(unix.EBADF))
				}
				if errno != want {
					t.Errorf("%s: answer %s, want %s", name, errno, want)
				}
			}
		})
	}
}

// harmful are ways that would change the child, or the machine for others, if
// they were tried without a fence.
var harmful = []string{"execve", "execveat", "be traced", "mount", "set the clock", "load a module", "outlive the parent"}

// closedAnyway are ways that some kernels or containers close by themselves,
// or that no harmless try can show to be open.
var closedAnyway = []string{
	"netlink socket", "vsock socket", "crypto socket", "packet socket", "MPTCP socket", "TCP over IPv6 socket", "io_uring",
	"new namespace by clone", "ptrace of the parent", "descriptor of the parent", "compare with the parent",
	"read the parent's memory", "write the parent's memory", "thread signal to the parent", "tkill to the parent",
	"queued signal to the parent", "signal to the parent", "signal to its group", "limits of the parent", "parent's environment",
	"chroot", "new mount by descriptor", "enter a namespace", "bpf", "performance counters", "keys", "add a key", "page faults", "become root",
	"set capabilities", "another filter", "memory into code", "message queue", "shared memory", "send signals by a descriptor", "openat2", "own memory", "new session", "chmod", "chown", "fork by clone3", "nameless file",
}

// TestWaysAreOpenWithoutAFence shows that the probes can succeed: a probe that
// always fails would prove nothing.
func TestWaysAreOpenWithoutAFence(t *testing.T) {
	path := binary(t)
	for _, u := range users() {
		t.Run(u.name, func(t *testing.T) {
			dir := folder(t, u)
			inherited, err := os.Open(dir + "/file")
			if err != nil {
				t.Fatal(err)
			}
			defer inherited.Close()
			open := 0
			for _, p := range allProbes() {
				if slices.Contains(harmful, p.name) {
					continue
				}
				cmd := u.command(path, "probe", "open", dir, p.name)
				cmd.ExtraFiles = []*os.File{inherited}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("%s: %v\n%s", p.name, err, out)
					continue
				}
				if strings.HasSuffix(strings.TrimSpace(string(out)), "\t0") {
					open++
				} else if !slices.Contains(closedAnyway, p.name) {
					t.Errorf("%s fails without a fence too: %s", p.name, out)
				}
			}
			t.Logf("%d of %d ways are open without a fence (%s)", open, len(allProbes()), runtime.GOARCH)
		})
	}
}
