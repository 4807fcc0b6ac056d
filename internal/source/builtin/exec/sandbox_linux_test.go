package exec

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// The ways out: each does what it says and returns what stopped it.
var probes = map[string]func(target string) error{
	"tcp": func(at string) error {
		c, err := net.Dial("tcp", at)
		return closing(c, err)
	},
	"udp": func(at string) error {
		c, err := net.Dial("udp", at)
		return closing(c, err)
	},
	"unix": func(at string) error {
		c, err := net.Dial("unix", at)
		return closing(c, err)
	},
	"listen": func(string) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		return closing(l, err)
	},
	"raw":      func(string) error { return socket(unix.AF_INET, unix.SOCK_RAW) },
	"packet":   func(string) error { return socket(unix.AF_PACKET, unix.SOCK_RAW) },
	"netlink":  func(string) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW) },
	"vsock":    func(string) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM) },
	"alg":      func(string) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET) },
	"mptcp":    func(string) error { return errnoOf(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 262) },
	"datagram": func(string) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0); return err },
	"io_uring": func(string) error { return errnoOf(unix.SYS_IO_URING_SETUP, 1, 0, 0) },
	"read": func(at string) error {
		_, err := os.ReadFile(at)
		return err
	},
	"list": func(at string) error {
		_, err := os.ReadDir(at)
		return err
	},
	"write": func(at string) error { return os.WriteFile(at, []byte("x"), 0o600) },
	"make":  func(at string) error { return os.Mkdir(at+"/made", 0o700) },
	"chmod": func(at string) error { return os.Chmod(at, 0o666) },
	"times": func(at string) error { return syscall.Utimes(at, []syscall.Timeval{{}, {}}) },
	"xattr": func(at string) error { return unix.Setxattr(at, "user.x", []byte("x"), 0) },
	"link":  func(at string) error { return os.Link(at, "linked") },
	"chown": func(at string) error { return os.Chown(at, os.Getuid(), os.Getgid()) },
	"remove": func(at string) error {
		if err := os.Remove(at); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	},
	"kill": func(at string) error {
		pid, _ := strconv.Atoi(at)
		return syscall.Kill(pid, 0)
	},
	"queue": func(at string) error {
		pid, _ := strconv.Atoi(at)
		return errnoOf(unix.SYS_RT_SIGQUEUEINFO, uintptr(pid), 0, 0)
	},
	"killparent": func(string) error { return syscall.Kill(os.Getppid(), 0) },
	"limits": func(at string) error {
		pid, _ := strconv.Atoi(at)
		return unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40}, nil)
	},
	"ptrace": func(at string) error {
		pid, _ := strconv.Atoi(at)
		return unix.PtraceAttach(pid)
	},
	"memory": func(at string) error {
		pid, _ := strconv.Atoi(at)
		_, err := unix.ProcessVMReadv(pid, []unix.Iovec{}, []unix.RemoteIovec{}, 0)
		return err
	},
	"mount":   func(string) error { return unix.Mount("none", ".", "tmpfs", 0, "") },
	"umount":  func(at string) error { return unix.Unmount(at, unix.MNT_DETACH) },
	"remount": func(string) error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "") },
	"mountattr": func(string) error {
		return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	},
	"userns":  func(string) error { return errnoOf(unix.SYS_UNSHARE, unix.CLONE_NEWUSER, 0, 0) },
	"clonens": func(string) error { return errnoOf(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(syscall.SIGCHLD), 0, 0) },
	"clone3":  func(string) error { return errnoOf(unix.SYS_CLONE3, 0, 0, 0) },
	"chroot":  func(string) error { return unix.Chroot(".") },
	"bpf":     func(string) error { return errnoOf(unix.SYS_BPF, 0, 0, 0) },
	"keys":    func(string) error { return errnoOf(unix.SYS_KEYCTL, 0, 0, 0) },
	"shm":     func(string) error { return errnoOf(unix.SYS_SHMGET, 0, 4096, unix.IPC_CREAT|0o600) },
	"setuid":  func(string) error { return unix.Setresuid(0, 12345, 12345) },
	"device": func(string) error {
		return unix.Mknod("device", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3)))
	},
	"tiocsti": func(string) error {
		c := byte('x')
		return errnoOf(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
	},
	"future": func(string) error { return errnoOf(499, 0, 0, 0) },
}

// probe does one, named NAME or NAME=TARGET.
func probe(name string) string {
	what, target, _ := strings.Cut(name, "=")
	try, ok := probes[what]
	if !ok {
		return "no such probe"
	}
	if err := try(target); err != nil {
		return "closed by " + err.Error()
	}
	return "OPEN"
}

func closing(c interface{ Close() error }, err error) error {
	if err == nil {
		_ = c.Close()
	}
	return err
}

func socket(domain, kind int) error { _, err := unix.Socket(domain, kind, 0); return err }

func errnoOf(call uintptr, a, b, c uintptr) error {
	if _, _, errno := unix.RawSyscall(call, a, b, c); errno != 0 {
		return errno
	}
	return nil
}

// fenced is a bench whose lines run behind the fence.
func fenced(t *testing.T, allow ...string) *bench {
	t.Helper()
	if r := fence.Probe(); !r.Files {
		t.Skipf("this machine has no fence: %+v", r.Pieces)
	}
	b := open(t, allow...)
	b.settings.Sandbox = SandboxAlways
	whole, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "probe"), whole, 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

// ways are the probes with what they are aimed at.
func ways(t *testing.T) []string {
	t.Helper()
	secret := filepath.Join(t.TempDir(), ".ssh")
	if err := os.Mkdir(secret, 0o700); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(secret, "id_ed25519")
	if err := os.WriteFile(key, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tcp.Close() })
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	control, err := net.Listen("unix", short+"/control.sock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = control.Close() })
	me := strconv.Itoa(os.Getpid())
	all := []string{
		"tcp=" + tcp.Addr().String(), "udp=127.0.0.1:53", "unix=" + short + "/control.sock", "listen", "raw", "packet", "netlink", "vsock", "alg", "mptcp", "datagram", "io_uring",
		"read=" + key, "read=/etc/shadow", "read=/proc/" + me + "/environ", "read=/proc/" + me + "/cmdline", "read=/root/.bashrc", "list=/", "list=/home", "list=/tmp", "list=/proc", "list=" + secret,
		"write=" + key, "write=/etc/passwd", "write=/usr/bin/evil", "make=" + secret, "make=/tmp", "make=/usr/lib", "chmod=" + key, "chmod=/usr/bin/env", "chmod=" + secret,
		"times=" + key, "xattr=" + key, "link=" + key, "chown=" + key, "remove=" + key,
		"kill=" + me, "queue=" + me, "limits=" + me, "ptrace=" + me, "memory=" + me,
		"mount", "umount=/proc", "remount", "mountattr", "userns", "clonens", "clone3", "chroot", "bpf", "keys", "shm", "device", "tiocsti", "future",
	}
	if os.Geteuid() != 0 {
		all = append(all, "setuid")
	}
	return all
}

// TestWaysOut tries every way out, from a program of the allow-list, from a shell,
// and from a grandchild in a session of its own.
func TestWaysOut(t *testing.T) {
	t.Parallel()
	all := ways(t)
	words := probeArg + " '" + strings.Join(all, "' '") + "'"
	for name, run := range map[string]func(*bench) output{
		"listed": func(b *bench) output { return b.listed(t, "./probe "+words) },
		"shell":  func(b *bench) output { return b.approved(t, "./probe "+words+"; true") },
		"grandchild": func(b *bench) output {
			return b.approved(t, "setsid -w sh -c \"./probe "+strings.ReplaceAll(words, `"`, "")+"\"")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := fenced(t, "./probe *")
			closed(t, all, run(b))
		})
	}
}

// TestFencedSignals lets a command signal what it has started, and nobody else:
// neither its launcher nor this test, which would end.
func TestFencedSignals(t *testing.T) {
	t.Parallel()
	b := fenced(t, "./probe *", "kill *")
	closed(t, []string{"killparent"}, b.listed(t, "./probe "+probeArg+" killparent"))
	for _, line := range []string{"kill -9 -1", fmt.Sprintf("kill -9 %d", os.Getpid())} {
		if got := b.approved(t, line+"; echo $?"); got.Signal != "" && got.Signal != "SIGKILL" || strings.HasPrefix(got.Stdout, "0") && !strings.Contains(line, "-1") {
			t.Errorf("%s: got %+v", line, got)
		}
	}
	if got := b.approved(t, "sleep 100 & kill -9 -1; wait $!; echo $?"); got.Stdout != "137\n" {
		t.Errorf("got %+v", got)
	}
}

func closed(t *testing.T, all []string, got output) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(got.Stdout), "\n")
	if len(lines) != len(all) {
		t.Fatalf("%d answers to %d probes: %+v", len(lines), len(all), got)
	}
	for _, line := range lines {
		if !strings.Contains(line, ": closed by ") || strings.Contains(line, "no such probe") {
			t.Errorf("%s", line)
		}
	}
}

// TestProbesAreOpenWithout makes sure that the probes find what is open.
func TestProbesAreOpenWithout(t *testing.T) {
	t.Parallel()
	b := fenced(t, "./probe *")
	b.settings.Sandbox = SandboxAuto
	var some []string
	for _, way := range ways(t) {
		what, _, _ := strings.Cut(way, "=")
		if slices.Contains([]string{"tcp", "udp", "unix", "listen", "datagram", "kill", "killparent"}, what) || strings.HasPrefix(way, "read="+os.TempDir()) {
			some = append(some, way)
		}
	}
	got := b.listed(t, "./probe "+probeArg+" '"+strings.Join(some, "' '")+"'")
	if strings.Count(got.Stdout, ": OPEN") != len(some) {
		t.Errorf("got %+v", got)
	}
}

// TestFencedWork does what commands do all day.
func TestFencedWork(t *testing.T) {
	t.Parallel()
	b := fenced(t)
	for _, c := range []struct{ line, out string }{
		{`echo one > f && mv f g && cat g && mkdir -p d/e && mv g d/e/h && cat d/e/h && rm -r d && ls`, "one\none\nprobe\n"},
		{`t=$(mktemp) && echo in > "$t" && cat "$t" && rm "$t"`, "in\n"},
		{`for i in 1 2 3; do echo $i; done | sort -r | head -n 1`, "3\n"},
		{`printf '#!/bin/sh\necho script\n' > s && chmod +x s && ./s`, "script\n"},
		{`echo x > /dev/null && head -c 4 /dev/urandom | wc -c`, "4\n"},
		{`mkfifo p && (echo through > p & cat p)`, "through\n"},
		{`sleep 100 & kill $! && wait $!; echo $?`, "143\n"},
		{`echo "$HOME" | grep -c toolcrib-exec; env | grep -c -i -e toolcrib_token -e secret`, "1\n0\n"},
		{`pwd -P; cd /; cd -`, b.dir + "\n" + b.dir + "\n"},
	} {
		if got := b.approved(t, c.line); got.Stdout != c.out {
			t.Errorf("%s: got %+v, want %q", c.line, got, c.out)
		}
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "toolcrib-exec-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range left {
		if _, err := os.Stat(l); err == nil && strings.Contains(l, "never") {
			t.Errorf("%s is left", l)
		}
	}
}

// TestSandboxedAgents refuses what can't be fenced, and fences what must be.
func TestSandboxedAgents(t *testing.T) {
	t.Parallel()
	b := fenced(t, "cat *")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	call := b.call(args(t, "cat "+secret))
	b.settings.Sandbox = SandboxAuto
	if got := b.out(t, call); got.Stdout != "s" {
		t.Errorf("without a sandbox: %+v", got)
	}
	call.Scope.Sandboxed = true
	if got := b.out(t, call); got.ExitCode == 0 || got.Stdout != "" {
		t.Errorf("sandboxed: %+v", got)
	}
	b.settings.Sandbox = SandboxOff
	refused(t, b, call, "tools.exec.sandbox is off")
	b.settings.Sandbox = SandboxAuto
	b.opt.Private = []string{filepath.Join(b.dir, "state")}
	refused(t, b, call, "the gateway's own files")
	b.opt.Private = []string{secret}
	b.settings.Read = []string{filepath.Dir(secret)}
	refused(t, b, call, "the gateway's own files")
}

func refused(t *testing.T, b *bench, call toolcrib.Call, want string) {
	t.Helper()
	_, err := b.Execute(t.Context(), call)
	known := (*toolcrib.Error)(nil)
	if !errors.As(err, &known) || known.Kind != toolcrib.KindBlocked || !strings.Contains(known.Message, want) || !strings.Contains(known.Message, "did not run") {
		t.Errorf("got %v, want blocked with %q", err, want)
	}
}

// TestFenceLimits keeps a bomb of processes, of memory and of files within bounds.
func TestFenceLimits(t *testing.T) {
	t.Parallel()
	b := fenced(t)
	got := b.approved(t, `ulimit -c; ulimit -n; ulimit -f`)
	want := fmt.Sprintf("0\n%d\n%d\n", fence.CommandDescriptors, fence.CommandFile/512)
	if got.Stdout != want {
		t.Errorf("got %+v, want %q", got, want)
	}
	// It would have a thousand; root is stopped by the count, others by the limit.
	got = b.approved(t, `i=0; while [ $i -lt 1000 ]; do sleep 100 & i=$((i+1)); done; echo all; wait`)
	if strings.Contains(got.Stdout, "all") && os.Geteuid() == 0 || got.ExitCode == 0 || got.TimedOut {
		t.Errorf("a thousand processes: %+v", got)
	}
}
