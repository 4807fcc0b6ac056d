package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/toolcrib/toolcrib"
)

// farewell is how long a command may take to end after it was asked to.
const farewell = 10 * time.Second

// Main runs one command and returns the exit code.
func Main(p Process) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan struct{})
	defer close(done)
	go watchSignals(p, cancel, done)

	a := newApp(p)
	root := a.rootCommand()
	root.SetArgs(p.Args)
	err := root.ExecuteContext(ctx)
	if flushErr := a.out.flush(); err == nil {
		err = flushErr
	}
	if err == nil || isPipeClosed(err) {
		return 0
	}
	if errors.Is(err, errProblems) {
		return codeOf(err) // the answer says it all
	}
	if ctx.Err() != nil && (toolcrib.KindOf(err) == toolcrib.KindInternal || errors.Is(err, context.Canceled)) {
		err = toolcrib.NewError(toolcrib.KindCanceled, "cancelled", "").WithCause(err)
	}
	err = a.known(err)
	a.printError(err)
	return codeOf(err)
}

// known turns the complaints of cobra's that carry no kind into usage errors;
// they are plain errors that nothing in this module makes.
func (a *app) known(err error) error {
	var e *toolcrib.Error
	if errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	if text := err.Error(); strings.HasPrefix(text, "unknown command") || strings.HasPrefix(text, "required flag") {
		return toolcrib.NewError(toolcrib.KindInput, text, "see: toolcrib --help")
	}
	return toolcrib.NewError(toolcrib.KindInternal, err.Error(), "").WithCause(err)
}

// watchSignals turns the first request to end into a cancelled context, and
// the second, or a farewell that takes too long, into an end at once.
func watchSignals(p Process, cancel context.CancelFunc, done <-chan struct{}) {
	select {
	case <-done:
		return
	case <-p.Signals:
		cancel()
	}
	last := time.NewTimer(farewell)
	defer last.Stop()
	select {
	case <-done:
	case <-p.Signals:
		p.Exit(130)
	case <-last.C:
		io.WriteString(p.Stderr, "error: it did not end in time\n")
		p.Exit(1)
	}
}

// isPipeClosed reports whether err says that the reader of our output went away.
func isPipeClosed(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed)
}

// parts returns the errors that err joins, none for nil.
func parts(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, parts(e)...)
	}
	return all
}

// printError writes what went wrong for a person: what happened, then what to try.
func (a *app) printError(err error) {
	for _, e := range parts(err) {
		a.printOne(e)
	}
}

func (a *app) printOne(err error) {
	var known *toolcrib.Error
	if !errors.As(err, &known) {
		a.note("error", "31", err.Error())
		return
	}
	message := known.Message
	if known.Op != "" {
		message = known.Op + ": " + message
	}
	a.note("error", "31", message)
	if known.Hint != "" {
		a.note("hint", "36", known.Hint)
	}
	if a.verbose && known.Unwrap() != nil {
		a.note("cause", "2", a.redact(known.Unwrap().Error()))
	}
}

// note writes a labelled line to stderr; following lines are set in.
func (a *app) note(label, colour, text string) {
	lines := strings.Split(strings.TrimRight(plain(text), "\n"), "\n")
	io.WriteString(a.p.Stderr, a.errStyle.paint(colour, label+":")+" "+strings.Join(lines, "\n  ")+"\n")
}

func (a *app) warn(text string) { a.note("warning", "33", text) }
