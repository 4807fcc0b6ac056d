//go:build linux && (amd64 || arm64)

package fence_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// childArg as the first argument makes the test binary a child: the second
// names what it does.
const childArg = "__fence_child"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == childArg {
		if err := runChild(os.Args[2], os.Args[3:]); err != nil {
			fmt.Println("error:", err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runChild is what a child does.
func runChild(what string, args []string) error {
	switch what {
	case "probe":
		return probeChild(args)
	case "stress":
		return stressChild()
	case "wait":
		return waitChild(args)
	case "foreign":
		return foreignChild()
	case "greed":
		return greedChild()
	case "command":
		return commandChild(args)
	case "exec":
		return execChild(args)
	case "crash":
		return crashChild()
	}
	return errors.New("no such child: " + what)
}

// user is whom a child is started as.
type user struct {
	name string
	attr *syscall.Credential
}

// users are those that this test run can be: the one that it is, and, for
// root, also an ordinary one.
func users() []user {
	if os.Getuid() != 0 {
		return []user{{name: "ordinary"}}
	}
	return []user{{name: "root"}, {name: "ordinary", attr: &syscall.Credential{Uid: 65533, Gid: 65533, Groups: []uint32{}}}}
}

// binary is this test binary where every user can run it.
func binary(t testing.TB) string {
	t.Helper()
	whole, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "fence")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := dir + "/child"
	if err := os.WriteFile(path, whole, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// command is a child of the test binary.
func (u user) command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, append([]string{childArg}, args...)...)
	cmd.Env = []string{"SECRET=visible", "GORACE=atexit_sleep_ms=0"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: u.attr}
	return cmd
}

// run runs a child to its end and returns what it wrote.
func (u user) run(t *testing.T, path string, args ...string) string {
	t.Helper()
	out, err := u.command(path, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("child %v as %s: %v\n%s", args, u.name, err, out)
	}
	return string(out)
}

func needFence(t testing.TB) {
	t.Helper()
	if r := fence.Probe(); !r.Kernel {
		t.Skipf("this machine has no fence: %+v", r.Pieces)
	}
}

func lines(text string) []string {
	return strings.Split(strings.TrimSpace(text), "\n")
}
