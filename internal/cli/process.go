package cli

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/toolcrib/toolcrib/gateway"
)

// Process is all that a run of the program takes from outside. Nothing else in
// the module reads the process's arguments, environment or standard streams.
type Process struct {
	// Program is how the program was called, for lines that people copy.
	Program string
	// Args are the arguments without the program's name.
	Args    []string
	Environ []string
	Home    string
	// Dir is the folder that the program was started in; empty when it is not known.
	Dir string
	// Executable is the file of this program, absolute and without links; empty
	// when it is not known.
	Executable string
	Stdin      io.Reader
	Stdout     io.Writer
	Stderr     io.Writer
	// StdinTerminal says that a person can answer.
	StdinTerminal bool
	// StdoutTerminal and StderrTerminal say that a person is looking.
	StdoutTerminal bool
	StderrTerminal bool
	Version        string
	// Sandbox is what runs code in isolation; the zero value runs none.
	Sandbox gateway.Sandbox
	// Signals delivers the requests to end; nil when there are none.
	Signals <-chan os.Signal
	// Exit ends the process at once, when it was asked to end twice.
	Exit func(code int)
	// Slim makes the process take less memory for more work, for commands that
	// stay; nil when it can't be had.
	Slim func()
}

// gcPercent is how far the heap of a command that stays may grow, in percent of
// what is in use, before it is collected. A gateway waits more than it works,
// and the large lists that it sends now and then are garbage at once.
const gcPercent = 15

// System returns the real process.
func System(version string, sandbox gateway.Sandbox) Process {
	home, _ := os.UserHomeDir()
	dir, _ := os.Getwd()
	ends := make(chan os.Signal, 2)
	signal.Notify(ends, os.Interrupt, syscall.SIGTERM)
	// A reader that has seen enough shows up as a failed write, not as a sudden
	// end that would leave servers without a farewell.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return Process{
		Program: os.Args[0], Args: os.Args[1:], Environ: os.Environ(), Home: home,
		Dir: dir, Executable: executable(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTerminal:  isTerminal(os.Stdin),
		StdoutTerminal: isTerminal(os.Stdout), StderrTerminal: isTerminal(os.Stderr),
		Version: version, Sandbox: sandbox, Signals: ends, Exit: os.Exit, Slim: slim,
	}
}

// executable is the file of this program, links resolved.
func executable() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// slim lets the collector run early, unless the user has said when it shall, and
// gives back what a large list has left behind.
func slim() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(gcPercent)
	go giveBack()
}

// How memory is given back: what is free and still held, at the least, and how often
// that is looked at. Looking costs microseconds, giving back a collection.
const (
	givenBack = 3 << 20
	restEvery = time.Second
)

// giveBack returns free memory to the system whenever the process has come to rest.
func giveBack() {
	held := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	last := uint64(0)
	for range time.Tick(restEvery) {
		metrics.Read(held)
		free, allocated := held[0].Value.Uint64(), held[1].Value.Uint64()
		if free >= givenBack && allocated-last < givenBack {
			debug.FreeOSMemory()
		}
		last = allocated
	}
}

// stays is called by the commands that go on until they are asked to end.
func (p Process) stays() {
	if p.Slim != nil {
		p.Slim()
	}
}

// isTerminal reports whether there is a terminal behind a file, and not just any
// device. It leaves the file as it is.
func isTerminal(f *os.File) (yes bool) {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	err = conn.Control(func(fd uintptr) { yes = term.IsTerminal(int(fd)) })
	return yes && err == nil
}

// env returns the value of an environment variable, "" when it is not set.
func (p Process) env(name string) string {
	for i := len(p.Environ) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(p.Environ[i], "="); ok && key == name {
			return value
		}
	}
	return ""
}

// colours reports whether text to a stream may be coloured.
func (p Process) colours(terminal bool) bool {
	if !terminal || p.env("NO_COLOR") != "" || p.env("TERM") == "dumb" {
		return false
	}
	return runtime.GOOS != "windows" || p.env("WT_SESSION") != "" || p.env("TERM") != ""
}
