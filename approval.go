package toolcrib

import (
	"context"
	"encoding/json"
	"time"
)

// Decision is the answer to a Question.
type Decision string

// Decisions. Anything else, the empty one too, means no.
const (
	AllowOnce   Decision = "allow-once"
	AllowAlways Decision = "allow-always"
	Deny        Decision = "deny"
)

// Allows reports whether the decision lets the call run.
func (d Decision) Allows() bool { return d == AllowOnce || d == AllowAlways }

// Severity says how much depends on a Question.
type Severity string

// Severities.
const (
	SeverityInfo     Severity = "info"
	SeverityWarning  Severity = "warning"
	SeverityCritical Severity = "critical"
)

// Bounds of a Question.
const (
	MaxTitle           = 80  // characters
	MaxDescription     = 512 // characters
	DefaultApprovalFor = 120 * time.Second
	MaxApprovalFor     = 600 * time.Second
)

// Question asks a person whether one call may run.
type Question struct {
	// ID names the question; nobody can guess it.
	ID string `json:"id"`
	// Title has at most MaxTitle characters and Description MaxDescription.
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Severity    Severity `json:"severity"`
	// Decisions are those that are offered; an answer that isn't among them
	// means no.
	Decisions []Decision `json:"decisions"`
	// Tool is the id of the tool, Source its source, CallID the id of the call.
	Tool   string `json:"tool"`
	Source Source `json:"source"`
	CallID string `json:"callId"`
	// Args are the arguments with secrets taken out, cut when they are long.
	Args json.RawMessage `json:"args,omitempty"`
	// Scope is who wants to run it.
	Scope Scope `json:"scope"`
	// Rule is what asks: a place in the configuration, or a hook.
	Rule string `json:"rule"`
	// BindArgs makes an AllowAlways count for these very arguments alone.
	BindArgs bool `json:"bindArgs,omitempty"`
	// Timeout is how long the question waits for an answer; the default is
	// DefaultApprovalFor, and at most MaxApprovalFor.
	Timeout time.Duration `json:"-"`
	// Asked and Expires are when it was asked and when it counts as denied.
	Asked   time.Time `json:"asked"`
	Expires time.Time `json:"expires"`
}

// Ask puts a question to the person at the program that made a call. An error
// means that it could not be asked there; others may still be asked.
type Ask func(ctx context.Context, q Question) (Decision, error)
