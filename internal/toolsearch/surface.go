package toolsearch

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/search"
)

// Bounds of a surface that its Options may change.
const (
	DefaultLimit          = 8         // hits of a search that names no limit
	DefaultMaxLimit       = 20        // hits of any search
	DefaultMaxResultBytes = 64 * 1024 // bytes of one result in a model's context
	DefaultCodeTimeout    = 10 * time.Second
)

// Request asks a Caller for one run of one tool.
type Request struct {
	// ID is the id of the call, unique within the session.
	ID string
	// Ref is the id of a tool, or its unique name.
	Ref string
	// Args are the arguments as the caller gave them; nil for none.
	Args json.RawMessage
	// Beside are the properties that a model put next to the control's own.
	Beside   map[string]json.RawMessage
	Scope    toolcrib.Scope
	Progress func(toolcrib.Progress)
	// Via names the control through which the call came; "" for a direct one.
	Via string
	// Waiting is told when the call begins to wait for a person, and what it
	// returns when that wait ends; nil when nobody counts the time.
	Waiting func() (resume func())
	// Ask asks a person at the program that made the call; nil where it can't.
	Ask toolcrib.Ask
}

// Caller runs tools of the surface's catalog, and is the only thing here that can.
type Caller interface {
	// Call returns the tool that ran or was refused, as far as it was resolved,
	// and its result. An error whose chain holds catalog.ErrUnknown means that
	// nothing of the catalog has that id or name.
	Call(ctx context.Context, r Request) (toolcrib.Tool, toolcrib.Result, error)
}

// Keeper holds results that were cut, for the tool ResultsRead.
type Keeper interface {
	// Keep stores the whole for the scope's session and returns the id under
	// which that caller alone can read on; "" when it could not be kept.
	Keep(scope toolcrib.Scope, whole []byte) (id string)
}

// Recorder takes the record of searches and describes. It must be safe for
// concurrent use and must not block for long.
type Recorder interface{ Record(toolcrib.Event) }

// ResultsRead is the id of the tool that reads on in a result that was cut.
const ResultsRead = "core:results:read"

// Options is what a surface needs. Catalog and Caller are required.
type Options struct {
	// Mode is a mode that can be opened as it is: what Choose returned.
	Mode Mode
	// Split offers a control for each effect of a call in place of CallControl, in
	// modes tools and directory.
	Split   bool
	Catalog *catalog.Catalog
	// Index holds the catalogued tools of Catalog; made here when nil.
	Index  *search.Index
	Caller Caller
	// Keeper may be nil: then a cut result can't be read on.
	Keeper Keeper
	// Recorder may be nil.
	Recorder Recorder
	// Memory remembers what a session asked; may be shared, made here when nil.
	Memory *Memory
	// Finder says what finds more tools, for callers that have no controls; ""
	// names what the mode offers a model.
	Finder string
	// DefaultLimit, MaxLimit and MaxResultBytes are those of the constants when 0.
	DefaultLimit, MaxLimit, MaxResultBytes int
	// Runner runs the bodies of mode code, which can't be opened without one.
	Runner Runner
	// CodeTimeout is how long a body may take, DefaultCodeTimeout when 0.
	CodeTimeout time.Duration
	// Directory is for mode directory.
	Directory DirectoryOptions
	// Now is the clock, time.Now if nil.
	Now func() time.Time
}

// CallRequest is a model's call of something visible.
type CallRequest struct {
	// Name is that of a Visible.
	Name string
	Args json.RawMessage
	// CallID is the id of this call; the calls that a control makes get CallID:N.
	CallID   string
	Scope    toolcrib.Scope
	Progress func(toolcrib.Progress)
	// Ask asks a person at the program that calls; nil where it can't.
	Ask toolcrib.Ask
}

// Reply is the answer to a CallRequest.
type Reply struct {
	// Text is the one JSON block that a control answers; "" for a tool shown directly.
	Text string
	// Blocks follow Text: the native blocks of the tool.
	Blocks []toolcrib.Content
	// Structured is the structured value of a tool shown directly; nil for none.
	Structured json.RawMessage
	IsError    bool
}

// Surface is what one caller's model sees of one catalog in one mode. It is
// immutable and safe for concurrent use; a changed catalog needs a new one.
type Surface struct {
	opt      Options
	controls []control // in place of the catalog; none in direct mode
	visible  []Visible
	names    names
	hits     sync.Map // *toolcrib.Tool → Hit without a score, as they are asked for
	warnings []string
	// instructions are written when they are first asked for.
	instructions func() string
}

// Open makes the surface of a mode.
func Open(opt Options) (*Surface, error) {
	if opt.Catalog == nil || opt.Caller == nil {
		return nil, toolcrib.NewError(toolcrib.KindInternal, "toolsearch: Options needs Catalog and Caller", "")
	}
	if !opt.opens() {
		return nil, toolcrib.NewError(toolcrib.KindInternal, "toolsearch: mode "+string(opt.Mode)+" can't be opened", "use the mode that Choose returns")
	}
	opt.DefaultLimit = cmp.Or(opt.DefaultLimit, DefaultLimit)
	opt.MaxLimit = cmp.Or(opt.MaxLimit, DefaultMaxLimit)
	opt.MaxResultBytes = cmp.Or(opt.MaxResultBytes, DefaultMaxResultBytes)
	opt.CodeTimeout = cmp.Or(opt.CodeTimeout, DefaultCodeTimeout)
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Memory == nil {
		opt.Memory = NewMemory(1)
	}
	if opt.Index == nil {
		opt.Index = indexOf(opt.Catalog)
	}
	opt.Split = opt.Split && (opt.Mode == ModeTools || opt.Mode == ModeDirectory)
	s := &Surface{opt: opt, controls: controlsOf(opt.Mode, opt.Split)}
	s.visible, s.names, s.warnings = expose(opt.Catalog, opt.Mode, opt.Split, opt.Directory)
	s.instructions = sync.OnceValue(s.writeInstructions)
	return s, nil
}

// opens reports whether the mode can be opened with what is there.
func (o Options) opens() bool {
	switch o.Mode {
	case ModeDirect, ModeTools, ModeDirectory:
		return true
	case ModeCode:
		return o.Runner != nil
	}
	return false
}

// indexOf indexes the catalogued tools.
func indexOf(c *catalog.Catalog) *search.Index {
	var segments []*search.Segment
	for _, g := range c.Groups() {
		segments = append(segments, search.NewSegment(g.Tools))
	}
	return search.Join(segments...)
}

// Mode returns the mode in which the surface was opened.
func (s *Surface) Mode() Mode { return s.opt.Mode }

// Tools returns what the model sees, controls first. The order and every byte
// are the same while the catalog's fingerprint is. The slice is shared.
func (s *Surface) Tools() []Visible { return s.visible }

// Warnings names the tools that could not be shown, and why.
func (s *Surface) Warnings() []string { return s.warnings }
