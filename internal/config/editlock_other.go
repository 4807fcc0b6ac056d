//go:build !unix

package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// staleLock is the age from which a lock file is taken for one that was left behind.
const staleLock = 30 * time.Second

// lockFolder waits until no other toolcrib writes in the folder.
func lockFolder(dir string, patience time.Duration) (unlock func(), err error) {
	path := filepath.Join(dir, ".toolcrib.lock")
	for deadline := time.Now().Add(patience); ; time.Sleep(lockPause) {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return func() { _ = f.Close(); _ = os.Remove(path) }, nil
		}
		info, statErr := os.Stat(path)
		if statErr == nil && time.Since(info.ModTime()) > staleLock {
			_ = os.Remove(path)
			continue
		}
		if statErr == nil && time.Now().After(deadline) {
			return nil, errors.New("another program holds the lock " + path)
		}
		if statErr != nil && !errors.Is(statErr, fs.ErrNotExist) || !errors.Is(err, fs.ErrExist) && time.Now().After(deadline) {
			return nil, err
		}
	}
}

func keepOwner(*os.File, fs.FileInfo) {}

func syncFolder(string) error { return nil }
