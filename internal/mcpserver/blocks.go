package mcpserver

import (
	"encoding/json"
	"fmt"

	"github.com/toolcrib/toolcrib"
)

// since says with which version of the protocol a type of block came in. Types
// that are not here are as old as the protocol, or so new that only a client
// that asked for them has them.
var since = map[string]string{
	"audio":         "2025-03-26",
	"resource_link": "2025-06-18",
}

// fit returns a block as a client of a version can read it. One of a type that
// came later is put into words: old clients refuse the whole result for it.
func fit(block toolcrib.Content, version string) toolcrib.Content {
	first, ok := since[block.Type]
	if !ok || version == "" || version >= first {
		return block
	}
	var b struct {
		URI      string `json:"uri"`
		Name     string `json:"name"`
		MIMEType string `json:"mimeType"`
	}
	if json.Unmarshal(block.Raw, &b) != nil {
		return block // appendReply says that it isn't JSON
	}
	if block.Type == "resource_link" {
		return toolcrib.Text(fmt.Sprintf("resource %s: %s", b.Name, b.URI))
	}
	return toolcrib.Text(fmt.Sprintf("[%s of type %s: this client's version of MCP, %s, has no such block]", block.Type, b.MIMEType, version))
}
