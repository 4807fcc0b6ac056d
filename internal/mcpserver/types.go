package mcpserver

import (
	"encoding/json"

	"github.com/toolcrib/toolcrib"
)

type Visible struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  toolcrib.Annotations
	Meta         json.RawMessage
	ID           string
}

type CallRequest struct {
	Name     string
	Args     json.RawMessage
	CallID   string
	Scope    toolcrib.Scope
	Progress func(toolcrib.Progress)
}

type Reply struct {
	Text       string
	Blocks     []toolcrib.Content
	Structured json.RawMessage
	IsError    bool
}
