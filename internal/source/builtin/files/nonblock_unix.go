//go:build unix

package files

import "syscall"

// withoutWaiting makes opening a pipe or a device return at once.
const withoutWaiting = syscall.O_NONBLOCK
