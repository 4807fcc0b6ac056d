package exec

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/child"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

// Sandbox says which lines run behind the fence.
type Sandbox string

// The values of Sandbox.
const (
	// SandboxAuto fences the lines of sandboxed sessions.
	SandboxAuto Sandbox = "auto"
	// SandboxAlways fences all.
	SandboxAlways Sandbox = "always"
	// SandboxOff fences none, and refuses the lines of sandboxed sessions.
	SandboxOff Sandbox = "off"
)

// Settings are what may change while a Source serves.
type Settings struct {
	Allow   []Pattern
	Ask     Ask
	Sandbox Sandbox
	// Timeout is the most that a call may take; MaxTimeout at most.
	Timeout time.Duration
	// OutputBytes bounds what is kept of each of the two streams.
	OutputBytes int
	// Path are folders in which programs are looked for before the usual ones.
	// They are absolute.
	Path []string
	// Read are files and folders that a fenced line may read beside the system's.
	Read []string
}

// Asks reports whether a person must have said yes to a line.
func (x Settings) Asks(v Verdict) bool { return !v.Allowed || x.Ask == AskAlways }

// Options is what a Source needs. Settings and Workspace are required.
type Options struct {
	// Settings are asked for at every call.
	Settings func() Settings
	// Workspace returns the folder of an agent, absolute.
	Workspace func(agent string) (string, error)
	// Private are folders that a fenced line must not see, such as the gateway's
	// state. A workspace that holds one, or lies in one, has no fenced lines.
	Private []string
	// Able says that the program's main calls Child. Without it nothing can run.
	Able bool
	// Environ is the gateway's environment, of which commands get a base alone.
	Environ []string
	// Logger gets what callers are not shown; slog.Default() when nil.
	Logger *slog.Logger
}

// running is how many lines run at once; more wait.
const running = 16

// Source is the source of the tool. It is safe for concurrent use.
type Source struct {
	opt      Options
	source   *gofunc.Source
	down     string // why nothing can run here; empty when it can
	launcher child.Launcher
	permits  permits
	slots    chan struct{}

	mu     sync.Mutex // held while a line begins
	lines  sync.WaitGroup
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
}

// New returns a Source. Close ends it.
func New(o Options) (*Source, error) {
	if o.Settings == nil || o.Workspace == nil {
		return nil, toolcrib.NewError(toolcrib.KindInternal, "exec: Options.Settings or Options.Workspace is missing", "")
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Source{opt: o, slots: make(chan struct{}, running), down: unable(o.Able)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	var err error
	s.source, err = gofunc.New(gofunc.Options{Tools: []gofunc.Tool{s.tool()}, Logger: o.Logger})
	return s, err
}

// unable says why no line can run.
func unable(able bool) string {
	if !supported {
		return "commands run on Linux, macOS and other kinds of Unix only"
	}
	if !able {
		return "this program doesn't run commands: its main has to call gateway.SandboxMain and put what that returns into Options.Sandbox"
	}
	return ""
}

// Listings returns the one listing with the one tool. It is down where no line
// can run.
func (s *Source) Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing {
	listings := s.source.Listings(ctx, scope)
	if s.down != "" {
		for i := range listings {
			listings[i].State, listings[i].Reason = toolcrib.StateDown, s.down
		}
	}
	return listings
}

// Execute runs a line. An exit code other than 0 is a result like any other.
func (s *Source) Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error) {
	if s.down != "" {
		return toolcrib.Result{}, toolcrib.NewError(toolcrib.KindUnavailable, s.down, "")
	}
	return s.source.Execute(ctx, call)
}

// Permit notes that a person said yes to a call, so that it runs although the
// allow-list doesn't hold its line. It is good for one run of these arguments.
func (s *Source) Permit(call toolcrib.Call) { s.permits.add(call) }

// Judge is Judge with the settings as they are now, and says whether a person has
// to be asked.
func (s *Source) Judge(call toolcrib.Call) (v Verdict, ask bool) {
	now := s.opt.Settings()
	v = Judge(now.Allow, call.Args)
	return v, now.Asks(v)
}

// Close kills what runs, and waits for its end.
func (s *Source) Close() error {
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	s.lines.Wait()
	s.launcher.Close()
	return nil
}

// begin counts a line in; done is called at its end. It fails after Close.
func (s *Source) begin(ctx context.Context) (done func(), err error) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		<-s.slots
		return nil, toolcrib.NewError(toolcrib.KindUnavailable, "the gateway is shutting down; it did not run", "")
	}
	s.lines.Add(1)
	return func() { s.lines.Done(); <-s.slots }, nil
}
