//go:build unix

package mcp

import (
	"os/exec"
	"runtime"
	"syscall"
)

// newLauncher returns the launcher of this system.
func newLauncher() launcher {
	l := &unixLauncher{orders: make(chan order), watch: newWatchdog()}
	go l.run()
	return l
}

// unixLauncher starts each server as the leader of a process group. All starts
// happen on one thread that lives as long as the launcher, because a parent-death
// signal follows the thread that forked, not the process.
type unixLauncher struct {
	orders chan order
	watch  *watchdog
}

// order is one command to start.
type order struct {
	cmd  *exec.Cmd
	done chan error
}

// run starts what is ordered.
func (l *unixLauncher) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for o := range l.orders {
		o.done <- o.cmd.Start()
	}
}

// launch implements launcher.
func (l *unixLauncher) launch(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = groupAttr()
	l.watch.start()
	done := make(chan error)
	l.orders <- order{cmd, done}
	if err := <-done; err != nil {
		return nil, err
	}
	g := &unixGroup{id: cmd.Process.Pid, watch: l.watch}
	l.watch.add(g.id)
	return g, nil
}

// close ends the launcher; every process must be gone.
func (l *unixLauncher) close() {
	close(l.orders)
	l.watch.close()
}

// unixGroup is a process group.
type unixGroup struct {
	id    int
	watch *watchdog
}

func (g *unixGroup) terminate() { _ = syscall.Kill(-g.id, syscall.SIGTERM) }
func (g *unixGroup) kill()      { _ = syscall.Kill(-g.id, syscall.SIGKILL) }
func (g *unixGroup) release()   { g.watch.remove(g.id) }
