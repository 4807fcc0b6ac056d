package toolcrib

import (
	"encoding/json"
	"time"
)

// Call is one request to run one tool, already resolved.
type Call struct {
	// ID is unique within the session. A call that a control made is PARENT_ID:N.
	ID    string
	Tool  Tool
	Args  json.RawMessage
	Scope Scope
	// Progress receives what the tool reports while it runs; nil when nobody
	// listens. It may be called from any goroutine until the call returns.
	Progress func(Progress)
}

// Progress is a report of a running call. Total is 0 when it is unknown.
type Progress struct {
	Done    float64
	Total   float64
	Message string
}

// Content is one block of a result, in MCP's form.
type Content struct {
	// Type is MCP's: "text", "image", "audio", "resource", "resource_link" or one of a later protocol.
	Type string
	// Text is the text of a block of type "text".
	Text string
	// Raw is the whole block as the source sent it; nil for a text block made here.
	Raw json.RawMessage
}

// Text returns a text block.
func Text(s string) Content { return Content{Type: "text", Text: s} }

// MarshalJSON writes the block in MCP's form.
func (c Content) MarshalJSON() ([]byte, error) {
	if c.Raw != nil {
		return c.Raw, nil
	}
	return json.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{c.Type, c.Text})
}

// UnmarshalJSON keeps the block whole and reads its type and text.
func (c *Content) UnmarshalJSON(data []byte) error {
	var head struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	*c = Content{Type: head.Type, Text: head.Text, Raw: append(json.RawMessage(nil), data...)}
	return nil
}

// Result is what a tool answered. A tool that reports its own failure returns a
// Result with IsError set; an error beside a Result means that the call did not
// get so far, or that its answer can't be used.
type Result struct {
	Content []Content `json:"content"`
	// Details is the structured value: a Go tool's return value, MCP's structuredContent.
	Details json.RawMessage `json:"details,omitempty"`
	IsError bool            `json:"isError,omitempty"`
}

// EventKind names what happened.
type EventKind string

// Event kinds.
const (
	EventSearch   EventKind = "search"
	EventDescribe EventKind = "describe"
	EventCall     EventKind = "call"
	// EventCode is one run of a body of code; what it searched, described and
	// called has events of its own.
	EventCode EventKind = "code"
)

// Event is one line of the record: what a model looked for, read or ran.
// Arguments and results are not part of it.
type Event struct {
	Time  time.Time
	Kind  EventKind
	Scope Scope
	// CallID is the nested id of a call, or the id of the control's own call.
	CallID string
	// Tool is the id of the tool that was described or called.
	Tool   string
	Source Source
	// Query and Hits are those of a search.
	Query string
	Hits  []string
	// Duration is how long it took.
	Duration time.Duration
	// Failure is the kind of the error it ended in; empty when it succeeded.
	Failure Kind
	// ToolFailed is true when the tool ran and reported its own failure.
	ToolFailed bool
	// Ran is true when a call got as far as its tool: an effect may have happened.
	Ran bool
	// Reason is the text of the error it ended in.
	Reason string
	// Rule is the rule of the policy that decided; empty when none was asked.
	Rule string
}
