package toolsearch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/sandbox"
)

// Runner runs a script in isolation; every sandbox.Runtime is one.
type Runner interface {
	// Run returns what came of the script. The error is for a runtime that
	// could not run it at all.
	Run(ctx context.Context, s sandbox.Script, h sandbox.Host) (sandbox.Outcome, error)
}

// CodeRequest asks for one run of a body of code.
type CodeRequest struct {
	// Code is the body of an async JavaScript function.
	Code string
	// CallID is the id of this run; what it calls gets CallID:N.
	CallID   string
	Scope    toolcrib.Scope
	Progress func(toolcrib.Progress)
	// Ask asks a person at the program that runs the code; nil where it can't.
	Ask toolcrib.Ask
	// Timeout is how long the body may take; 0 means Options.CodeTimeout.
	Timeout time.Duration
}

// CodeResult is what came of a body, whole.
type CodeResult struct {
	// Value is the JSON of what the body returned; nil when it failed.
	Value json.RawMessage
	// Notes say what had to be changed to make it JSON.
	Notes []string
	// Error is nil when all went well.
	Error *CodeError
	Logs  []CodeLog
	// LogsCut is true when the body logged more than it may.
	LogsCut bool
	// Steps are the body's calls of search, describe and call, in the order in
	// which it made them.
	Steps     []CodeStep
	Telemetry CodeTelemetry
	// Unavailable names the servers that are down, when something was searched or failed.
	Unavailable []Outage
	// Hint says what to do better; may be empty.
	Hint string
}

// CodeError says why a body did not end well.
type CodeError struct {
	Kind    CodeKind `json:"kind"`
	Message string   `json:"message"`
	Hint    string   `json:"hint,omitempty"`
	// Tool is the id of the tool whose failure was not caught.
	Tool string `json:"tool,omitempty"`
	// Line and Column count from 1 in the code; Excerpt is that line.
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
}

// CodeLog is one line that a body logged.
type CodeLog struct {
	Level string `json:"level"` // "log", "warn" or "error"
	Text  string `json:"text"`
}

// CodeStep is one call that a body made of openclaw.tools.
type CodeStep struct {
	// N stands in the id of the call, CallID:N.
	N int
	// Function is "search", "describe" or "call".
	Function string
	// Target is the id of the tool, as far as it was resolved, or the query.
	Target string
	OK     bool
	// Failure and Error say why it is not OK.
	Failure toolcrib.Kind
	Error   string
	// Started is counted from the start of the body.
	Started, Elapsed time.Duration
}

// CodeTelemetry counts what a body had and did.
type CodeTelemetry struct {
	CatalogSize int                     `json:"catalogSize"`
	Sources     map[toolcrib.Source]int `json:"sources"`
	Searches    int                     `json:"searches"`
	Describes   int                     `json:"describes"`
	Calls       int                     `json:"calls"`
	MS          int64                   `json:"ms"`
}

// The functions of openclaw.tools, as a script finds them.
const (
	searchFunction   = "openclaw.tools.search"
	describeFunction = "openclaw.tools.describe"
	callFunction     = "openclaw.tools.call"
)

// RunCode runs a body of code against the surface's catalog. What goes wrong
// with it is in the result; nothing of that is cut. The surface must have a Runner.
func (s *Surface) RunCode(ctx context.Context, r CodeRequest) CodeResult {
	start := s.opt.Now()
	b := newBridge(s, r, start)
	outcome, err := s.opt.Runner.Run(ctx, sandbox.Script{
		Code: r.Code, Functions: []string{searchFunction, describeFunction, callFunction},
		Seed: sha256.Sum256([]byte(r.CallID)), Now: start, Limits: sandbox.Limits{Wall: cmp.Or(r.Timeout, s.opt.CodeTimeout)},
	}, b.answer)
	if err != nil {
		outcome.Failure = &sandbox.Failure{Kind: sandbox.KindInternal, Message: "the code could not be run: its runtime failed"}
	}
	steps := b.finish()
	result := CodeResult{Notes: outcome.Notes, LogsCut: outcome.LogsCut, Steps: steps, Logs: []CodeLog{}}
	for _, l := range outcome.Logs {
		result.Logs = append(result.Logs, CodeLog{l.Level, l.Text})
	}
	if outcome.Failure != nil {
		result.Error = codeError(outcome.Failure, steps)
	} else if result.Value = outcome.Value; len(result.Value) == 0 {
		result.Value = json.RawMessage("null")
	}
	result.Telemetry = s.telemetry(steps, s.opt.Now().Sub(start))
	if result.Error != nil || result.Telemetry.Searches > 0 {
		result.Unavailable = s.Unavailable()
	}
	if result.Error == nil {
		result.Hint = s.codeHint(r.Code, result, b.noticed())
	}
	s.recordCode(r, start, result.Error, err)
	return result
}

// telemetry counts the steps. The tool that reads results on is no part of the catalog.
func (s *Surface) telemetry(steps []CodeStep, elapsed time.Duration) CodeTelemetry {
	t := CodeTelemetry{Sources: map[toolcrib.Source]int{}, MS: elapsed.Milliseconds()}
	for _, g := range s.opt.Catalog.Groups() {
		for i := range g.Tools {
			if g.Tools[i].ID != ResultsRead {
				t.CatalogSize++
				t.Sources[g.Source]++
			}
		}
	}
	for _, step := range steps {
		switch step.Function {
		case "search":
			t.Searches++
		case "describe":
			t.Describes++
		default:
			t.Calls++
		}
	}
	return t
}

// recordCode writes the event of the run itself; cause is for the log alone.
func (s *Surface) recordCode(r CodeRequest, start time.Time, failed *CodeError, cause error) {
	var err error
	if failed != nil {
		err = toolcrib.NewError(failed.Kind.Sort(), failed.Message, "").WithCause(cause)
	}
	s.record(toolcrib.Event{Kind: toolcrib.EventCode, Scope: r.Scope, CallID: r.CallID}, start, err)
}

// code is the control.
func (s *Surface) code(ctx context.Context, r CallRequest) Reply {
	code, err := readCode(r.Args)
	if err != nil {
		request := CodeRequest{CallID: r.CallID, Scope: r.Scope}
		result := CodeResult{Error: err, Logs: []CodeLog{}, Telemetry: s.telemetry(nil, 0)}
		s.recordCode(request, s.opt.Now(), err, nil)
		return s.codeReply(result, r.Scope)
	}
	result := s.RunCode(ctx, CodeRequest{Code: code, CallID: r.CallID, Scope: r.Scope, Progress: r.Progress, Ask: r.Ask})
	return s.codeReply(result, r.Scope)
}
