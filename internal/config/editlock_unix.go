//go:build unix

package config

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lockFolder waits until no other toolcrib writes in the folder. The lock is on
// the folder itself, so nothing is left behind, also not by a writer that is killed.
// A file system that has no such locks goes without.
func lockFolder(dir string, patience time.Duration) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(lockPause) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil, !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return func() { _ = f.Close() }, nil
		case time.Now().After(deadline):
			_ = f.Close()
			return nil, errors.New("another program holds a lock on its folder")
		}
	}
}

// keepOwner gives f the owner of the old file, as far as this user may.
func keepOwner(f *os.File, info fs.FileInfo) {
	if old, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(old.Uid), int(old.Gid))
	}
}

// syncFolder makes a rename last. A file system that can't is no error.
func syncFolder(dir string) error {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
	return nil
}
