//go:build unix && !linux

package exec

import (
	"os"
	"syscall"
)

// own is the running program's file.
func own() (string, error) { return os.Executable() }

// childAttr leaves commands in the launcher's group, by which they are killed:
// this system doesn't tell who descends from whom.
func childAttr(bool) *syscall.SysProcAttr { return nil }

// adopt does what it can: this system lets nobody adopt.
func adopt() error {
	leaveTerminal()
	return nil
}

// cleanUp kills the launcher's group, the launcher too, once the order to end has
// come; at a line's own end the gateway does so.
func cleanUp(again func() bool) {
	if again() {
		_ = syscall.Kill(0, syscall.SIGKILL)
	}
}

// below finds none: this system doesn't tell, and has no fence.
func below(int) []int { return nil }
