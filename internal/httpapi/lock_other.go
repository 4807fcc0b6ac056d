//go:build !windows && (!unix || solaris || illumos || aix)

package httpapi

import (
	"errors"
	"os"
)

// lockFile has no locks to give on this system.
func lockFile(*os.File) error { return errors.ErrUnsupported }
