//go:build unix

package child

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// Launcher starts each child as the leader of a process group. All starts happen
// on one thread that lives as long as the launcher, because a parent-death signal
// follows the thread that forked, not the process. The zero Launcher is ready,
// and has no thread until the first start.
type Launcher struct {
	mu     sync.Mutex // held while a child starts
	orders chan order
	watch  watchdog
	closed bool
}

// order is one command to start.
type order struct {
	cmd  *exec.Cmd
	done chan error
}

// run starts what is ordered.
func run(orders <-chan order) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for o := range orders {
		o.done <- o.cmd.Start()
	}
}

// Start starts a command in a group of its own. It fails with ErrClosed after Close.
func (l *Launcher) Start(cmd *exec.Cmd) (*Group, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	if l.orders == nil {
		l.orders = make(chan order)
		go run(l.orders)
	}
	cmd.SysProcAttr = groupAttr()
	l.watch.start()
	done := make(chan error)
	l.orders <- order{cmd, done}
	if err := <-done; err != nil {
		return nil, err
	}
	g := &Group{id: cmd.Process.Pid, watch: &l.watch}
	l.watch.add(g.id)
	return g, nil
}

// Close ends the launcher. The children must be gone.
func (l *Launcher) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	if l.orders != nil {
		close(l.orders)
	}
	l.watch.close()
}

// Group is a child and all that it started, but for what left the group by itself.
type Group struct {
	id    int
	watch *watchdog
}

// Terminate asks all of them to end.
func (g *Group) Terminate() { _ = syscall.Kill(-g.id, syscall.SIGTERM) }

// Kill ends all of them.
func (g *Group) Kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// Release forgets the group; it is called once, when the leader is gone. The
// group's number may belong to others from then on.
func (g *Group) Release() { g.watch.remove(g.id) }
