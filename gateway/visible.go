package gateway

import (
	"context"
	"encoding/json"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// Surface is what a model sees: the visible tools, the instructions, and the way
// to call them. It is immutable; Session.Surface gives the present one.
type Surface struct {
	inner *toolsearch.Surface
	tools []VisibleTool
}

func newSurface(inner *toolsearch.Surface) *Surface {
	s := &Surface{inner: inner, tools: make([]VisibleTool, len(inner.Tools()))}
	for i, v := range inner.Tools() {
		s.tools[i] = VisibleTool(v)
	}
	return s
}

// Mode is the mode in which the surface was opened: "direct", "tools", "directory" or "code".
func (s *Surface) Mode() string { return string(s.inner.Mode()) }

// Tools returns what the model sees, controls first. The order and every byte are
// the same while the catalog is. The slice is shared: it must not be changed.
func (s *Surface) Tools() []VisibleTool { return s.tools }

// Instructions says how to use the surface, for a system prompt.
func (s *Surface) Instructions() string { return s.inner.Instructions() }

// Call runs a visible tool, or answers why it can't: an unknown name and
// arguments of a wrong shape are replies too.
func (s *Surface) Call(ctx context.Context, r SurfaceCall) Reply {
	return Reply(s.inner.Call(ctx, toolsearch.CallRequest(r)))
}

// VisibleTool is one tool as a model sees it: a control, or a tool shown directly.
type VisibleTool struct {
	// Name matches [A-Za-z0-9_-]{1,64} and is unique on its surface.
	Name        string
	Title       string
	Description string
	// InputSchema is an object schema without a union at its root.
	InputSchema json.RawMessage
	// OutputSchema is nil unless the tool's output can be promised.
	OutputSchema json.RawMessage
	Annotations  toolcrib.Annotations
	// Meta is MCP's "_meta" object; nil for none.
	Meta json.RawMessage
	// ID is the id of a tool shown directly; empty for a control.
	ID string
}

// MarshalJSON writes the tool in the form of MCP's tools/list.
func (v VisibleTool) MarshalJSON() ([]byte, error) { return toolsearch.Visible(v).MarshalJSON() }

// SurfaceCall is a model's call of a visible tool.
type SurfaceCall struct {
	// Name is that of a VisibleTool.
	Name string
	// Args is the object of arguments, as the model wrote it.
	Args json.RawMessage
	// CallID names this call; the calls that a control makes get CallID:N.
	CallID string
	// Scope is the caller: Session.Scope, with the run filled in where there is one.
	Scope toolcrib.Scope
	// Progress receives what running tools report; may be nil.
	Progress func(toolcrib.Progress)
	// Ask asks a person whether a call may run that needs that; nil where nobody
	// can be asked here.
	Ask toolcrib.Ask
}

// Reply is the answer to a SurfaceCall.
type Reply struct {
	// Text is the one JSON text that a control answers; empty for a tool shown directly.
	Text string
	// Blocks follow Text: the tool's own content.
	Blocks []toolcrib.Content
	// Structured is the structured value of a tool shown directly; nil for none.
	Structured json.RawMessage
	IsError    bool
}

// Hit is what a search tells of one tool; it is safe to put into a prompt.
type Hit struct {
	ID          string          `json:"id"`
	Source      toolcrib.Source `json:"source"`
	Owner       string          `json:"owner"`
	Name        string          `json:"name"`
	Label       string          `json:"label,omitempty"`
	Description string          `json:"description"`
	// Input is a bounded TypeScript-style signature of the arguments, "unknown"
	// for a tool whose schema somebody else wrote.
	Input string `json:"input"`
	// Output is that of the structured result; empty when it can't be promised.
	Output string `json:"output,omitempty"`
	// Call names the control that runs the tool, where there are several.
	Call string `json:"call,omitempty"`
	// Score orders the hits of one search and means nothing else.
	Score float64 `json:"-"`
}

// Detail is all that a caller may know of one tool.
type Detail struct {
	Hit
	Annotations   *toolcrib.Annotations  `json:"annotations,omitempty"`
	CatalogMode   toolcrib.CatalogMode   `json:"catalogMode,omitempty"`
	ExecutionMode toolcrib.ExecutionMode `json:"executionMode,omitempty"`
	OwnerOnly     bool                   `json:"ownerOnly,omitempty"`
	// Parameters is the exact JSON Schema of the arguments.
	Parameters json.RawMessage `json:"parameters"`
	// OutputSchema is that of the structured result of a core or plugin tool.
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}
