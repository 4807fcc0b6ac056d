package child

import (
	"os/exec"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Launcher puts each child into a job object that dies with its last handle, and
// so with the gateway however that ends. The zero Launcher is ready.
type Launcher struct{ closed atomic.Bool }

// Start starts a command in a job of its own. It fails with ErrClosed after Close.
func (l *Launcher) Start(cmd *exec.Cmd) (*Group, error) {
	if l.closed.Load() {
		return nil, ErrClosed
	}
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	if err := assign(job, cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = windows.CloseHandle(job)
		return nil, err
	}
	return &Group{job: job}, nil
}

// Close ends the launcher. The children must be gone.
func (l *Launcher) Close() { l.closed.Store(true) }

// newJob makes a job that kills what is in it when it is closed.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

// assign puts a process into a job.
func assign(job windows.Handle, pid int) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

// Group is a child and all that it started: a job object.
type Group struct{ job windows.Handle }

// Terminate does nothing: there is no way to ask a process without a window.
func (g *Group) Terminate() {}

// Kill ends all of them.
func (g *Group) Kill() { _ = windows.TerminateJobObject(g.job, 1) }

// Release lets go of the job; it is called once, when the leader is gone.
func (g *Group) Release() { _ = windows.CloseHandle(g.job) }
