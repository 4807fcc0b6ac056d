package child

import "syscall"

// groupAttr makes a child the leader of a group that is killed with the thread that started it.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
