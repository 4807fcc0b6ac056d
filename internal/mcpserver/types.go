package mcpserver

import "github.com/toolcrib/toolcrib/internal/toolsearch"

// What a surface speaks in is toolsearch's, so that a *toolsearch.Surface is a
// Surface as it stands.
type (
	// Visible is one tool as it stands in tools/list.
	Visible = toolsearch.Visible
	// CallRequest is one tools/call.
	CallRequest = toolsearch.CallRequest
	// Reply is the result of one tools/call.
	Reply = toolsearch.Reply
)
