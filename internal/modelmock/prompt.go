package modelmock

import (
	"encoding/json"
	"slices"
)

// Protocol names one of the ways in which models are asked.
type Protocol string

// The protocols that are played.
const (
	Messages  Protocol = "messages"
	Responses Protocol = "responses"
	Chat      Protocol = "chat"
	Gemini    Protocol = "gemini"
)

// Prompt is what one request asks of the model.
type Prompt struct {
	Protocol Protocol
	Model    string
	Stream   bool
	// Usage says that a streamed answer is to end with its usage, where the
	// protocol leaves that to the client.
	Usage bool
	// System is all text with authority over the conversation, from wherever
	// the protocol has it, paragraphs apart.
	System string
	// User is the text of the user's messages, in their order.
	User []string
	// Tools are offered to the model, in their order.
	Tools []Tool
	// Results are the results of calls, in the order in which they came.
	Results []Result
}

// Tool is one tool as a model is offered it. What the protocol defines without
// a name, such as a search that the provider runs, goes by its type.
type Tool struct {
	// Kind is what the protocol calls this sort of tool, if it has several:
	// function, custom, namespace, tool_search and so on.
	Kind string

	Namespace, Name, Description string
	Schema                       json.RawMessage
	// Deferred says that the model is to search for it first.
	Deferred bool
}

// Full is the tool's name with the namespace that it stands in, if any, before a dot.
func (t Tool) Full() string {
	if t.Namespace == "" {
		return t.Name
	}
	return t.Namespace + "." + t.Name
}

// Result is what a call came to, as the model is told.
type Result struct {
	ID      string // of the call
	Text    string // all its text
	IsError bool   // where the protocol says so
}

// Names are the full names of the tools on offer, in their order.
func (p Prompt) Names() []string {
	names := make([]string, 0, len(p.Tools))
	for _, t := range p.Tools {
		names = append(names, t.Full())
	}
	return names
}

// Tool finds a tool by its full name.
func (p Prompt) Tool(full string) (Tool, bool) {
	i := slices.IndexFunc(p.Tools, func(t Tool) bool { return t.Full() == full })
	if i < 0 {
		return Tool{}, false
	}
	return p.Tools[i], true
}
