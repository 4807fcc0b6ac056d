//go:build unix

package exec

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolcrib/toolcrib/internal/child"
	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

// Child is what a program that runs commands calls first in main, with its
// arguments. In a launcher, and in what goes behind the fence, it doesn't return;
// else it returns at once.
func Child(args []string) {
	switch {
	case len(args) == 2 && args[1] == Flag:
		launcherMain()
	case len(args) == 3 && args[1] == fenceFlag:
		fencedMain(args[2])
	}
}

// exits of a launcher that couldn't do its work.
const cannot = 125

// launcherMain runs the one line that it is told, ends all that the line left
// behind, and says how it went.
func launcherMain() {
	runtime.LockOSThread() // its children die with this thread
	for _, fd := range []int{orderAt, reportAt} {
		unix.CloseOnExec(fd)
	}
	// A signal to the group is for the line; the launcher stays to clean up. What
	// is caught, unlike what is ignored, is as usual in its children.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	orders := bufio.NewReader(os.NewFile(orderAt, "order"))
	line, err := orders.ReadBytes('\n')
	var l launcher
	if err == nil {
		err = json.Unmarshal(line, &l.job)
	}
	if err == nil {
		err = adopt()
	}
	if err == nil {
		go l.obey(orders)
		if l.job.Fence != nil {
			go l.count()
		}
		err = l.all()
	}
	cleanUp(func() bool { return false })
	if err != nil {
		l.report.Fault = err.Error()
	}
	if json.NewEncoder(os.NewFile(reportAt, "report")).Encode(l.report) != nil {
		os.Exit(cannot)
	}
	os.Exit(0)
}

// leaveTerminal takes the gateway's terminal from the launcher and its children, so
// that none asks its user for a password.
func leaveTerminal() {
	if tty, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0); err == nil {
		_ = unix.IoctlSetInt(tty, unix.TIOCNOTTY, 0) // without a terminal there is none to leave
		_ = unix.Close(tty)
	}
}

// launcher is the state of a launcher.
type launcher struct {
	job    job
	report report
	ending atomic.Bool
}

// obey waits for the order to end, and kills until the line has.
func (l *launcher) obey(orders io.Reader) {
	_, _ = io.Copy(io.Discard, orders)
	l.ending.Store(true)
	cleanUp(func() bool { return true })
}

// countEvery is how often the processes of a fenced line are counted.
const countEvery = 20 * time.Millisecond

// count kills a fenced line that has too many processes: the limit of the system
// counts all of a user's, and doesn't bind root at all.
func (l *launcher) count() {
	for range time.Tick(countEvery) {
		if len(below(os.Getpid())) > fence.CommandProcesses {
			l.ending.Store(true)
			cleanUp(func() bool { return true })
		}
	}
}

// all runs the pipelines one after another.
func (l *launcher) all() error {
	if l.job.Lines == nil {
		return l.pipeline(Pipeline{Commands: []Simple{{Words: []string{"/bin/sh", "-c", l.job.Shell}}}})
	}
	for _, line := range l.job.Lines {
		if line.After == "&&" && l.report.ExitCode != 0 || line.After == "||" && l.report.ExitCode == 0 {
			continue
		}
		if err := l.pipeline(line); err != nil {
			return err
		}
		if l.ending.Load() {
			return nil
		}
	}
	return nil
}

// started is a command that runs, or why it doesn't.
type started struct {
	cmd   *exec.Cmd
	fault *os.File // of the fence; nil without one
	code  int      // its exit code when it couldn't start
}

// pipeline starts all commands and waits for them. How the last one ended counts.
func (l *launcher) pipeline(p Pipeline) error {
	in := os.Stdin
	var running []started
	for i, c := range p.Commands {
		out, next := os.Stdout, (*os.File)(nil)
		if i < len(p.Commands)-1 {
			r, w, err := os.Pipe()
			if err != nil {
				return err
			}
			out, next = w, r
		}
		s, err := l.start(c, in, out)
		if in != os.Stdin {
			_ = in.Close()
		}
		if out != os.Stdout {
			_ = out.Close()
		}
		if err != nil {
			return err
		}
		running, in = append(running, s), next
	}
	var fault error
	for _, s := range running {
		r, err := s.wait()
		l.report, fault = r, errors.Join(fault, err)
	}
	return fault
}

// start starts one command. A program that isn't there is told as a shell would.
func (l *launcher) start(c Simple, in, out *os.File) (started, error) {
	errs := os.Stderr
	if c.Join {
		errs = out
	}
	file := child.Find(c.Words[0], l.job.Env, l.job.Dir)
	if file == "" {
		fmt.Fprintf(errs, "%s: not found\n", c.Words[0])
		return started{code: 127}, nil
	}
	cmd := &exec.Cmd{Path: file, Args: c.Words, Dir: l.job.Dir, Env: append(l.job.Env, "PWD="+l.job.Dir), Stdin: in, Stdout: out, Stderr: errs, SysProcAttr: childAttr(false)}
	if l.job.Fence == nil {
		if err := cmd.Start(); err != nil {
			fmt.Fprintf(errs, "%s: can't be run: %v\n", c.Words[0], unwrapped(err))
			return started{code: 126}, nil
		}
		return started{cmd: cmd}, nil
	}
	return l.fenced(cmd)
}

func unwrapped(err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// fencedOrder is what goes behind the fence is told.
type fencedOrder struct {
	Parent  int           `json:"parent"`
	Command fence.Command `json:"command"`
}

// fenced starts a command behind the fence: the own binary, which becomes it. Where
// it can't have a mount namespace of its own, it goes without.
func (l *launcher) fenced(cmd *exec.Cmd) (started, error) {
	o := fencedOrder{Parent: os.Getpid(), Command: *l.job.Fence}
	o.Command.Path, o.Command.Args, o.Command.Dir = cmd.Path, cmd.Args, cmd.Dir
	file, err := own()
	if err != nil {
		return started{}, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return started{}, err
	}
	defer w.Close()
	cmd.Path, cmd.ExtraFiles = file, []*os.File{w}
	c, err := becoming(cmd, o, true)
	if err != nil {
		c, err = becoming(cmd, o, false)
	}
	if err != nil {
		return started{}, errors.Join(err, r.Close())
	}
	return started{cmd: c, fault: r}, nil
}

// becoming starts the own binary with an order.
func becoming(like *exec.Cmd, o fencedOrder, ownMounts bool) (*exec.Cmd, error) {
	o.Command.Own = ownMounts
	order, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	c := &exec.Cmd{
		Path: like.Path, Args: []string{"toolcrib", fenceFlag, string(order)}, Dir: "/", Env: like.Env,
		Stdin: like.Stdin, Stdout: like.Stdout, Stderr: like.Stderr, ExtraFiles: like.ExtraFiles, SysProcAttr: childAttr(true),
	}
	if ownMounts {
		fence.CommandAttr(c.SysProcAttr)
	}
	return c, c.Start()
}

// wait waits for a command; the error is the fence's.
func (s started) wait() (report, error) {
	if s.cmd == nil {
		return report{ExitCode: s.code}, nil
	}
	var fault []byte
	if s.fault != nil {
		fault, _ = io.ReadAll(io.LimitReader(s.fault, 4096))
		_ = s.fault.Close()
	}
	_ = s.cmd.Wait() // told by the state below
	if len(fault) > 0 {
		return report{}, errors.New(string(fault))
	}
	status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return report{ExitCode: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}, nil
	}
	return report{ExitCode: s.cmd.ProcessState.ExitCode()}, nil
}

// fencedMain goes behind the fence and becomes a command.
func fencedMain(order string) {
	fault := os.NewFile(3, "fault")
	unix.CloseOnExec(3)
	var o fencedOrder
	err := json.Unmarshal([]byte(order), &o)
	if err == nil {
		o.Command.Env = os.Environ()
		err = fence.ExecCommand(fence.Options{Keep: []int{0, 1, 2, 3}, Parent: o.Parent}, o.Command)
	}
	fmt.Fprint(fault, err)
	os.Exit(cannot)
}
