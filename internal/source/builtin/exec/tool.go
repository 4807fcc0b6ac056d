package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

// ToolID is the id of the tool.
const ToolID = "core:runtime:exec"

// Bounds of a call. Times are in milliseconds, sizes in bytes.
const (
	maxCommand = 32 << 10
	maxStdin   = 1 << 20
	// DefaultTimeout is how long a call may take that names no time.
	DefaultTimeout = 60 * time.Second
	// MaxTimeout is the most that the settings may let a call take.
	MaxTimeout = time.Hour
	minTimeout = 100 * time.Millisecond
)

const description = "Run a command line in the workspace and return its exit code and output. " +
	"Lines of plain commands that the operator listed run at once; any other line, above all one that needs a shell ($, globs, redirections, substitutions), may wait for a person's approval or be refused. " +
	"Whatever the line started is ended when it returns: nothing goes on in the background."

const inputSchema = `{
  "type": "object",
  "properties": {
    "command": {"type": "string", "minLength": 1, "maxLength": 32768, "description": "A POSIX shell command line."},
    "cwd": {"type": "string", "maxLength": 4096, "description": "Folder to run in, within the workspace; the workspace itself when absent."},
    "timeoutMs": {"type": "integer", "minimum": 100, "maximum": 3600000, "default": 60000, "description": "After how many milliseconds everything is killed. The operator may have set a lower bound."},
    "stdin": {"type": "string", "maxLength": 1048576, "description": "Text for standard input; empty when absent."}
  },
  "required": ["command"],
  "additionalProperties": false
}`

const outputSchema = `{
  "type": "object",
  "properties": {
    "exitCode": {"type": "integer", "description": "0 for success; 127 for a program that isn't there, 128 and more for one that a signal ended."},
    "signal": {"type": "string", "description": "The signal that ended it; absent when none did."},
    "stdout": {"type": "string", "description": "Standard output."},
    "stderr": {"type": "string", "description": "Standard error."},
    "truncated": {"type": "boolean", "description": "true when the middle of an output was too long and left out; absent otherwise."},
    "timedOut": {"type": "boolean", "description": "true when the time was up and it was killed; absent otherwise."},
    "durationMs": {"type": "integer", "description": "How long it took, in milliseconds."}
  },
  "required": ["exitCode", "stdout", "stderr", "durationMs"],
  "additionalProperties": false
}`

type input struct {
	Command   string `json:"command"`
	Cwd       string `json:"cwd"`
	TimeoutMs *int64 `json:"timeoutMs"`
	Stdin     string `json:"stdin"`
}

type output struct {
	ExitCode   int    `json:"exitCode"`
	Signal     string `json:"signal,omitempty"`
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	Truncated  bool   `json:"truncated,omitempty"`
	TimedOut   bool   `json:"timedOut,omitempty"`
	DurationMs int64  `json:"durationMs"`
}

func (s *Source) tool() gofunc.Tool {
	return gofunc.FuncCall("exec", description, s.exec,
		gofunc.OwnedBy(toolcrib.SourceCore, "runtime"), gofunc.Titled("Run a command"),
		gofunc.Destructive(true), gofunc.OpenWorld(true),
		gofunc.InputSchema(json.RawMessage(inputSchema)), gofunc.OutputSchema(json.RawMessage(outputSchema)))
}

// check refuses what the schema does, for callers whose arguments nobody held
// against it, and what no program can be given.
func (in input) check() error {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return wrong("the command is empty")
	case len(in.Command) > maxCommand:
		return wrong(fmt.Sprintf("the command has %d bytes, and may have %d", len(in.Command), maxCommand))
	case strings.ContainsRune(in.Command, 0) || strings.ContainsRune(in.Cwd, 0):
		return wrong("there is a NUL in the command or its folder")
	case len(in.Stdin) > maxStdin:
		return wrong(fmt.Sprintf("stdin has %d bytes, and may have %d", len(in.Stdin), maxStdin))
	case in.TimeoutMs != nil && (*in.TimeoutMs < minTimeout.Milliseconds() || *in.TimeoutMs > MaxTimeout.Milliseconds()):
		return wrong(fmt.Sprintf("timeoutMs is %d to %d", minTimeout.Milliseconds(), MaxTimeout.Milliseconds()))
	}
	return nil
}

func wrong(message string) error {
	return toolcrib.NewError(toolcrib.KindInput, message+"; it did not run", "")
}

// timeout is how long the call may take, at most as long as the operator lets any.
func (in input) timeout(most time.Duration) time.Duration {
	wanted := DefaultTimeout
	if in.TimeoutMs != nil {
		wanted = time.Duration(*in.TimeoutMs) * time.Millisecond
	}
	return min(wanted, most)
}

// exec runs one call.
func (s *Source) exec(ctx context.Context, call toolcrib.Call, in input) (toolcrib.Result, error) {
	if err := in.check(); err != nil {
		return toolcrib.Result{}, err
	}
	now := s.opt.Settings()
	verdict := Judge(now.Allow, call.Args)
	if now.Asks(verdict) && !s.permits.take(call) {
		return toolcrib.Result{}, now.refusal(verdict)
	}
	p, err := s.plan(call, in, now, verdict)
	if err != nil {
		return toolcrib.Result{}, err
	}
	out, err := s.run(ctx, p)
	if err != nil {
		return toolcrib.Result{}, err
	}
	return gofunc.ResultOf(out)
}

// refusal is the error for a line that may not run, and says how it could.
func (x Settings) refusal(v Verdict) error {
	if v.Allowed {
		return toolcrib.NewError(toolcrib.KindBlocked, "blocked: tools.exec.ask wants a person's approval, and there is none; it did not run", "")
	}
	return toolcrib.NewError(toolcrib.KindBlocked, "blocked: "+v.Reason+"; it did not run", v.Advice())
}

// Advice says what would let a missed line run without a question.
func (v Verdict) Advice() string {
	if len(v.Entries) == 0 {
		return "only plain commands of literal words, joined by |, ;, && or ||, can be on the operator's allow-list: write it as such, or use another tool"
	}
	list, _ := json.Marshal(v.Entries)
	return "the operator can allow it by adding to tools.exec.allow: " + strings.Trim(string(list), "[]")
}
