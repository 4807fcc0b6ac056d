package sandbox

import (
	"encoding/json"
	"fmt"
	"time"
)

// Outcome is what came of a run, also of one that failed.
type Outcome struct {
	// Value is the JSON of what the body returned, null for undefined; nil
	// when the run failed.
	Value json.RawMessage
	// Notes say what had to be changed to make the value JSON, such as "value.when: a Map became an object".
	Notes []string
	// Logs are in the order in which they were written.
	Logs []Log
	// LogsCut is true when the script wrote more than its limit.
	LogsCut bool
	// Calls are in the order in which they were made.
	Calls []Call
	// Failure is nil when all went well.
	Failure *Failure
	// Elapsed is the time from the start of the body to the end of the run.
	Elapsed time.Duration
}

// Log is one line that the script logged.
type Log struct {
	// Level is "log", "warn" or "error".
	Level string
	Text  string
}

// Call is one call that the script made of a host function.
type Call struct {
	Function string
	// N counts the calls of a run from 1.
	N int
	// Args is the JSON array of the arguments.
	Args json.RawMessage
	// OK is true when the host answered without an error.
	OK bool
	// Error says what went wrong; Kind is the HostError's, "internal" for
	// another error, "canceled" for a call that was in flight when the run
	// ended: it may or may not have taken effect.
	Error string
	Kind  string
	// Started is when the host was called, zero when it never was.
	Started time.Time
	Elapsed time.Duration
}

// The kinds of a Failure; an uncaught HostError gives its own kind.
const (
	KindSyntax   = "syntax"
	KindRuntime  = "runtime"
	KindTimeout  = "timeout"
	KindLimit    = "limit"
	KindInternal = "internal"
	KindCanceled = "canceled" // the caller's context ended
)

// The names of the limits in Failure.Limit.
const (
	LimitCode      = "code"
	LimitLogs      = "logs"
	LimitResult    = "result"
	LimitCalls     = "calls"
	LimitMemory    = "memory"
	LimitArguments = "arguments"
	LimitWall      = "wall"
	LimitTotal     = "total"
)

// Failure says why a script did not end well, in words that its author can act on.
type Failure struct {
	Kind string
	// Limit names the limit that was hit, for the kinds "limit" and "timeout".
	Limit   string
	Message string
	// Line and Column count from 1 in the script's own code; 0 when unknown.
	Line, Column int
	// Excerpt is that line of the code.
	Excerpt string
	// Stack is the script's own part of the stack, one frame a line.
	Stack string
	// Data is that of an uncaught HostError.
	Data json.RawMessage
}

// Error shows the failure with its place and the line of code.
func (f *Failure) Error() string {
	text := f.Kind + ": " + f.Message
	if f.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", f.Line, f.Column)
	}
	if f.Excerpt != "" {
		text += "\n    " + f.Excerpt
	}
	return text
}
