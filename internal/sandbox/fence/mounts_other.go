//go:build unix && (!linux || (!amd64 && !arm64))

package fence

import "syscall"

// CommandAttr does nothing on this system.
func CommandAttr(*syscall.SysProcAttr) {}
