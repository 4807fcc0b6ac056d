//go:build unix && !linux

package child

import "syscall"

// groupAttr makes a child the leader of a group; the watchdog ends it with the gateway.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
