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
func childAttr() *syscall.SysProcAttr { return nil }

// adopt does nothing: this system has no such thing.
func adopt() error { return nil }

// cleanUp kills the launcher's group, the launcher too, once the order to end has
// come; at a line's own end the gateway does so.
func cleanUp(again func() bool) {
	if again() {
		_ = syscall.Kill(0, syscall.SIGKILL)
	}
}
