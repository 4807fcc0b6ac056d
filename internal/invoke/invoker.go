package invoke

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// Bounds of an Invoker that its Options may change.
const (
	// DefaultTimeout is the time that a tool has when nothing else is said.
	DefaultTimeout = 120 * time.Second
	// DefaultMaxResult is the most bytes that an untrusted tool may answer.
	DefaultMaxResult = 64 << 20
)

// Executor runs tools of one source.
type Executor interface {
	// Execute runs the tool and returns what it answered. It must end soon after
	// ctx does. The error is a *toolcrib.Error where the source can say more
	// than "it failed".
	Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error)
}

// Recorder takes the record of each call. It must be safe for concurrent use
// and must not block for long.
type Recorder interface{ Record(toolcrib.Event) }

// Options is what an Invoker needs. Decide and an executor are required.
type Options struct {
	// Decide is policy, asked anew for each call; rule names what decided.
	Decide func(*toolcrib.Tool, toolcrib.Scope) (allowed bool, rule string)
	// Executors run the tools of a source. One in Owners, keyed by
	// Owner{Source, Owner}, goes before the one of its source.
	Executors map[toolcrib.Source]Executor
	Owners    map[Owner]Executor
	// Recorder may be nil.
	Recorder Recorder
	// Timeout bounds an execution, DefaultTimeout if 0. TimeoutFor, when it is
	// not nil and returns more than 0, decides for one tool.
	Timeout    time.Duration
	TimeoutFor func(*toolcrib.Tool) time.Duration
	// MaxResult bounds the answer of an untrusted tool in bytes, DefaultMaxResult if 0.
	MaxResult int
	// Before may change call.Args, refuse the call, or want a person asked; nil
	// for none.
	Before func(ctx context.Context, call *toolcrib.Call) ([]toolcrib.Question, error)
	// Approve refuses the call unless it may run. Without it there is nobody to
	// ask, and a call that Before wants asked about is refused.
	Approve func(ctx context.Context, a Approval) error
	// Audit writes down that the call is about to run, for good; an error
	// refuses it. Nil for none.
	Audit func(ctx context.Context, call toolcrib.Call) error
	// After may change the result or refuse it; nil for none. It sees failed results too.
	After func(ctx context.Context, call toolcrib.Call, result *toolcrib.Result) error
	// Now is the clock, time.Now if nil.
	Now func() time.Time
	// Logger gets what a caller is not told; nil discards it.
	Logger *slog.Logger
}

// Approval is what Approve decides on.
type Approval struct {
	Call toolcrib.Call
	// Questions are those of the hooks before the call.
	Questions []toolcrib.Question
	// Ask asks at the program that made the call; nil where that can't be asked.
	Ask toolcrib.Ask
	// Waiting is to be called when a person is really waited for, and what it
	// returns when that has ended; never nil.
	Waiting func() (resume func())
}

// Owner names one owner of tools.
type Owner struct {
	Source toolcrib.Source
	Owner  string
}

// Invoker runs tools. It is safe for concurrent use and lives as long as the gateway.
type Invoker struct {
	opt     Options
	lanes   *lanes
	schemas *schemaCache
}

// New checks the options and returns an Invoker.
func New(opt Options) (*Invoker, error) {
	if opt.Decide == nil {
		return nil, toolcrib.NewError(toolcrib.KindInternal, "invoke: Options.Decide is missing: nothing may run without policy", "")
	}
	if len(opt.Executors)+len(opt.Owners) == 0 {
		return nil, toolcrib.NewError(toolcrib.KindInternal, "invoke: Options has no executor", "")
	}
	opt.Timeout = cmp.Or(opt.Timeout, DefaultTimeout)
	opt.MaxResult = cmp.Or(opt.MaxResult, DefaultMaxResult)
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	return &Invoker{opt: opt, lanes: newLanes(), schemas: newSchemaCache(maxSchemas)}, nil
}

// Bind returns the caller of one catalog's tools.
func (v *Invoker) Bind(c *catalog.Catalog) *Bound { return &Bound{invoker: v, catalog: c} }

// Bound runs the tools of one catalog.
type Bound struct {
	invoker *Invoker
	catalog *catalog.Catalog
}

// Request asks for one run of one tool.
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
