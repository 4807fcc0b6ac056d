//go:build linux

package fence_test

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// foreignChild makes a call by the numbers of the x32 interface, which a list
// by numbers alone would let slip through.
func foreignChild() error {
	if err := fence.Enter(fence.Options{}); err != nil {
		return err
	}
	call(0x40000000 + unix.SYS_GETPID)
	return errors.New("the call came back")
}

func TestForeignInterfacesKill(t *testing.T) {
	needFence(t)
	out, err := users()[0].command(binary(t), "foreign").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGSYS {
		t.Errorf("the child ended with %v, want to be killed by SIGSYS\n%s", err, out)
	}
}
