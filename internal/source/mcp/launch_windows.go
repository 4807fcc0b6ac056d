package mcp

import (
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// newLauncher returns the launcher of this system.
func newLauncher() launcher { return jobLauncher{} }

// jobLauncher puts each server into a job object that dies with its last
// handle, and so with the gateway however that ends.
type jobLauncher struct{}

// launch implements launcher.
func (jobLauncher) launch(cmd *exec.Cmd) (group, error) {
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
	return &jobGroup{job: job}, nil
}

// close implements launcher.
func (jobLauncher) close() {}

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

// jobGroup is a job object.
type jobGroup struct{ job windows.Handle }

func (g *jobGroup) terminate() {} // there is no way to ask a process without a window
func (g *jobGroup) kill()      { _ = windows.TerminateJobObject(g.job, 1) }
func (g *jobGroup) release()   { _ = windows.CloseHandle(g.job) }
