//go:build unix && !solaris && !illumos && !aix

package httpapi

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks a file for this process alone, or fails at once.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
