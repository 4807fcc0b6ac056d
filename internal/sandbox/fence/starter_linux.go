//go:build amd64 || arm64

package fence

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Starter starts children that die with this process. The kernel ties such a
// child to the thread that started it, so a Starter keeps one thread for this.
type Starter struct {
	jobs chan func()
	once sync.Once
}

// NewStarter returns a Starter. Close it when no child runs any more: it ends
// the thread, and the kernel then kills those that are left.
func NewStarter() *Starter {
	s := &Starter{jobs: make(chan func())}
	go s.serve()
	return s
}

// serve runs the jobs on one thread that ends with it.
func (s *Starter) serve() {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		// The first thread ends with the process only. While this goroutine holds it,
		// another one lands elsewhere.
		defer runtime.UnlockOSThread()
		moved := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(moved)
			s.work()
		}()
		<-moved
		return
	}
	s.work()
}

func (s *Starter) work() {
	for job := range s.jobs {
		job()
	}
}

// Start starts a command with an empty environment, in a session and process
// group of its own, in the folder cmd.Dir or, when that is empty, "/".
func (s *Starter) Start(cmd *exec.Cmd) error {
	if cmd.Process != nil {
		return errors.New("fence: the command is running already")
	}
	cmd.Env = []string{}
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	done := make(chan error, 1)
	s.jobs <- func() { done <- cmd.Start() }
	return <-done
}

// Kill ends a child that Start has started, and its whole group.
func (s *Starter) Kill(cmd *exec.Cmd) error {
	if cmd.Process == nil {
		return nil
	}
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// Close ends the thread. Start must not be called any more.
func (s *Starter) Close() error {
	s.once.Do(func() { close(s.jobs) })
	return nil
}
