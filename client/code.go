package client

import (
	"context"
	"encoding/json"

	"github.com/toolcrib/toolcrib"
)

// CodeRequest is the body of POST /api/code.
type CodeRequest struct {
	// Code is the body of an async JavaScript function.
	Code string `json:"code"`
	// Agent is the agent whose policy applies; empty means the default one.
	Agent string `json:"agent,omitempty"`
	// TimeoutMs is how long the body may take, in milliseconds; 0 means the
	// configured time.
	TimeoutMs int `json:"timeoutMs,omitempty"`
}

// CodeReply is the answer of POST /api/code, also for code that failed.
type CodeReply struct {
	OK bool `json:"ok"`
	// Value is what the body returned, whole; absent when it failed.
	Value json.RawMessage `json:"value,omitempty"`
	Error *CodeError      `json:"error,omitempty"`
	// Hint says what to do better.
	Hint string `json:"hint,omitempty"`
	// Notes say what had to be changed to make the value JSON.
	Notes []string  `json:"notes,omitempty"`
	Logs  []CodeLog `json:"logs"`
	// LogsTruncated is true when the body logged more than it may.
	LogsTruncated bool `json:"logsTruncated,omitempty"`
	// Steps are the body's calls of openclaw.tools, in order.
	Steps       []CodeStep    `json:"steps"`
	Telemetry   CodeTelemetry `json:"telemetry"`
	Unavailable []Unavailable `json:"unavailable,omitempty"`
}

// CodeError says why code did not end well. Kind is "syntax", "runtime",
// "timeout", "limit", "blocked", "tool" or "internal".
type CodeError struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Tool is the id of the tool whose failure was not caught.
	Tool string `json:"tool,omitempty"`
	// Line and Column count from 1; Excerpt is that line of the code.
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
	// Sort is the kind of error that it is to whoever ran the code.
	Sort toolcrib.Kind `json:"sort"`
}

// CodeLog is one line that code logged. Level is "log", "warn" or "error".
type CodeLog struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

// CodeStep is one call that code made.
type CodeStep struct {
	N int `json:"n"`
	// Function is "search", "describe" or "call".
	Function string `json:"function"`
	// Target is the tool's id, or the query.
	Target string        `json:"target"`
	OK     bool          `json:"ok"`
	Kind   toolcrib.Kind `json:"kind,omitempty"`
	Error  string        `json:"error,omitempty"`
	// StartedMs is counted from the start of the code.
	StartedMs float64 `json:"startedMs"`
	MS        float64 `json:"ms"`
}

// CodeTelemetry counts what code had and did.
type CodeTelemetry struct {
	CatalogSize int                     `json:"catalogSize"`
	Sources     map[toolcrib.Source]int `json:"sources"`
	Searches    int                     `json:"searches"`
	Describes   int                     `json:"describes"`
	Calls       int                     `json:"calls"`
	MS          int64                   `json:"ms"`
}

// Code runs a body of code. It is cancelled with ctx. The error is for code that
// did not run; what went wrong with the code itself is in the reply.
func (c *Client) Code(ctx context.Context, r CodeRequest) (CodeReply, error) {
	return post[CodeReply](ctx, c, "/api/code", r)
}
