//go:build unix

package exec

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/child"
	"github.com/toolcrib/toolcrib/internal/sandbox/fence"
)

const supported = true

// Waits for a launcher that was told to end, and for streams that somebody who
// got away holds open.
const (
	endIn  = 5 * time.Second
	quitIn = time.Second
)

// run runs a line to its end, in a launcher of its own.
func (s *Source) run(ctx context.Context, p plan) (output, error) {
	done, err := s.begin(ctx)
	if err != nil {
		return output{}, err
	}
	defer done()
	if p.fenced {
		private, err := os.MkdirTemp("", "toolcrib-exec-")
		if err != nil {
			return output{}, s.failed(err)
		}
		defer os.RemoveAll(private)
		p = p.behind(private)
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	return s.launch(ctx, p)
}

// behind puts a plan behind the fence, with a folder of its own for what is
// written beside the workspace.
func (p plan) behind(private string) plan {
	p.job.Fence = &fence.Command{Write: []string{p.workspace, private}, Read: p.read}
	p.job.Env = child.Environ(p.job.Env, map[string]string{
		"TMPDIR": private, "HOME": private, "PATH": child.Lookup(p.job.Env, "PATH"), "TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "false",
	})
	p.job.Env = slices.DeleteFunc(p.job.Env, func(e string) bool { return strings.HasPrefix(e, "XDG_") })
	return p
}

// failed hides why a line couldn't be started, and logs it.
func (s *Source) failed(err error) error {
	s.opt.Logger.Error("a command could not be started", "error", err)
	return toolcrib.NewError(toolcrib.KindUnavailable, "the command could not be started; it did not run", "the gateway's log says why").WithCause(err)
}

// launched is a launcher that runs.
type launched struct {
	cmd            *exec.Cmd
	group          *child.Group
	pipes          pipes
	stdout, stderr *capture
	drained        chan struct{}
	report         report
	answered       chan error
	err            error // why there was no report; set by end
	gone           chan struct{}
}

func (s *Source) launch(ctx context.Context, p plan) (output, error) {
	order, err := json.Marshal(p.job)
	if err != nil {
		return output{}, s.failed(err)
	}
	l := &launched{stdout: newCapture(p.keep), stderr: newCapture(p.keep), drained: make(chan struct{}, 2), answered: make(chan error, 1), gone: make(chan struct{})}
	began := time.Now()
	if err := l.start(&s.launcher); err != nil {
		return output{}, s.failed(err)
	}
	defer l.pipes.closeOurs()
	l.feed(append(order, '\n'), p.stdin)
	select {
	case <-l.gone:
	case <-ctx.Done():
	}
	ended := ctx.Err() // before the launcher is told to end
	l.end()
	switch {
	case s.ctx.Err() != nil:
		return output{}, toolcrib.NewError(toolcrib.KindUnavailable, "the gateway was shut down, and the command was killed; its effect may have happened", "")
	case errors.Is(ended, context.Canceled):
		return output{}, ended
	}
	out, err := l.output(s, ended != nil)
	out.DurationMs = time.Since(began).Milliseconds()
	return out, err
}

// start starts the launcher.
func (l *launched) start(starter *child.Launcher) error {
	own, err := own()
	if err != nil {
		return err
	}
	if err := l.pipes.open(); err != nil {
		return err
	}
	defer l.pipes.closeTheirs()
	l.cmd = &exec.Cmd{
		Path: own, Args: []string{"toolcrib", Flag}, Dir: "/", Env: []string{},
		Stdin: l.pipes.stdin.r, Stdout: l.pipes.stdout.w, Stderr: l.pipes.stderr.w, ExtraFiles: []*os.File{l.pipes.order.r, l.pipes.report.w},
	}
	if l.group, err = starter.Start(l.cmd); err != nil {
		l.pipes.closeOurs()
		return err
	}
	return nil
}

// feed hands over the order and the input, and takes in what comes.
func (l *launched) feed(order []byte, stdin string) {
	go drain(l.stdout, l.pipes.stdout.r, l.drained)
	go drain(l.stderr, l.pipes.stderr.r, l.drained)
	go func() {
		_, _ = io.WriteString(l.pipes.stdin.w, stdin) // a program needn't read it
		_ = l.pipes.stdin.w.Close()
	}()
	go func() {
		_, _ = l.pipes.order.w.Write(order) // a launcher that is gone tells it below
		l.answered <- json.NewDecoder(io.LimitReader(l.pipes.report.r, 1<<20)).Decode(&l.report)
		_ = l.cmd.Wait()
		close(l.gone)
	}()
}

// end makes sure that nothing of the line is left.
func (l *launched) end() {
	_ = l.pipes.order.w.Close() // the launcher kills all that it has started
	select {
	case <-l.gone:
	case <-time.After(endIn):
	}
	l.group.Kill() // all of it, if the launcher was killed, as a command without a fence can do
	_ = l.pipes.report.r.SetReadDeadline(time.Now().Add(quitIn))
	<-l.gone
	l.group.Release()
	l.err = <-l.answered
	late := time.After(quitIn)
	for range 2 {
		select {
		case <-l.drained:
		case <-late: // somebody got away, and holds a stream
			_ = l.pipes.stdout.r.Close()
			_ = l.pipes.stderr.r.Close()
			<-l.drained
		}
	}
}

// output is the answer of a line that has ended.
func (l *launched) output(s *Source, timedOut bool) (output, error) {
	switch {
	case l.report.Fault != "":
		return output{}, s.failed(errors.New(l.report.Fault))
	case l.err != nil && !timedOut:
		// Without a fence a command may kill whom its user may.
		l.report = report{ExitCode: 137, Signal: "SIGKILL"}
	case timedOut && l.report.Signal == "":
		l.report = report{ExitCode: 137, Signal: "SIGKILL"}
	}
	out := output{ExitCode: l.report.ExitCode, Signal: l.report.Signal, TimedOut: timedOut}
	var cut, cutToo bool
	out.Stdout, cut = l.stdout.text()
	out.Stderr, cutToo = l.stderr.text()
	out.Truncated = cut || cutToo
	return out, nil
}

// pipe is a pipe's two ends.
type pipe struct{ r, w *os.File }

// pipes are a launcher's.
type pipes struct{ stdin, stdout, stderr, order, report pipe }

func (x *pipes) open() (err error) {
	for _, p := range []*pipe{&x.stdin, &x.stdout, &x.stderr, &x.order, &x.report} {
		if p.r, p.w, err = os.Pipe(); err != nil {
			x.closeOurs()
			x.closeTheirs()
			return err
		}
	}
	return nil
}

// Closing what is closed, or was never opened, does no harm.
func (x *pipes) closeOurs() {
	for _, f := range []*os.File{x.stdin.w, x.stdout.r, x.stderr.r, x.order.w, x.report.r} {
		_ = f.Close()
	}
}

func (x *pipes) closeTheirs() {
	for _, f := range []*os.File{x.stdin.r, x.stdout.w, x.stderr.w, x.order.r, x.report.w} {
		_ = f.Close()
	}
}
