package hook

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Event says when a hook runs.
type Event string

// The events.
const (
	Before Event = "before_tool_call"
	After  Event = "after_tool_call"
)

// Events are all there are.
func Events() []Event { return []Event{Before, After} }

// DefaultTimeout is the time of a hook that names none.
const DefaultTimeout = 5 * time.Second

// Hook is one hook. Exactly one of Command, URL and the functions is set.
type Hook struct {
	// Name is unique; it stands in reasons, questions and the record.
	Name  string
	Event Event
	// Match are patterns of tools; an empty list means every tool.
	Match []string
	// Priority orders hooks of one event, the highest first; equal ones run in
	// the order of their names.
	Priority int
	// Timeout bounds how long the hook may hold a call up, DefaultTimeout if 0.
	// Waiting for a turn, when many calls come at once, counts.
	Timeout time.Duration

	// Command is a program with its arguments; no shell reads them. Env is added
	// to a base of the environment, and Cwd is the folder in which it starts.
	Command string
	Args    []string
	Env     map[string]string
	Cwd     string

	// URL is where calls are posted to. Secret signs them; Headers are added.
	URL     string
	Secret  string
	Headers map[string]string

	// Go hooks are for programs that use the gateway as a library.
	BeforeFunc func(ctx context.Context, call *Call) (Verdict, error)
	AfterFunc  func(ctx context.Context, call Call, result *toolcrib.Result) error
}

// Call is a call as a Go hook sees it.
type Call struct {
	ID   string
	Tool toolcrib.Tool
	// Args are the arguments, a JSON object. A hook before the call may replace them.
	Args  json.RawMessage
	Scope toolcrib.Scope
}

// Decision is what a hook wants.
type Decision string

// The decisions. The empty one is Allow.
const (
	Allow Decision = "allow"
	Block Decision = "block"
	Ask   Decision = "ask"
)

// Verdict is what a Go hook before a call wants.
type Verdict struct {
	Decision Decision
	// Reason is told to the model when the call is blocked, and to the person who
	// is asked when Approval has no description.
	Reason string
	// Approval says how to ask, of Ask; the zero one has defaults.
	Approval Approval
}

// Approval is how a hook wants a person asked. What is too long is cut.
type Approval struct {
	// Title is by default the tool's id.
	Title, Description string
	// Severity is toolcrib.SeverityWarning by default.
	Severity toolcrib.Severity
	// Decisions are those to offer, by default to allow once and to deny.
	Decisions []toolcrib.Decision
	// Timeout is toolcrib.DefaultApprovalFor by default, toolcrib.MaxApprovalFor at most.
	Timeout time.Duration
	// AnyArgs makes an allow-always count for all arguments of the tool; without
	// it, it counts for these very ones alone.
	AnyArgs bool
}
