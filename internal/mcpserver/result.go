package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// firstModern is the first version of the stateless era.
const firstModern = "2026-07-28"

// rawResult is a result that is already JSON: the members of the object,
// without braces, `_meta` and `resultType`. The SDK's own types would take the
// schemas and blocks apart and put them together again.
type rawResult struct {
	mcp.ResultBase
	body   []byte
	modern bool
	input  bool // it asks for input, and isn't complete
}

// MarshalJSON puts the parts together.
func (r *rawResult) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(r.body)+256)
	b = append(b, '{')
	b = append(b, r.body...)
	switch {
	case r.input:
		b = append(b, `,"resultType":"input_required"`...)
	case r.modern:
		b = append(b, `,"resultType":"complete"`...)
	}
	if len(r.Meta) > 0 {
		meta, err := json.Marshal(r.Meta)
		if err != nil {
			return nil, err
		}
		b = append(append(b, `,"_meta":`...), meta...)
	}
	return append(b, '}'), nil
}

// isModern reports whether a request is of the stateless era.
func isModern(req mcp.Request) bool {
	_, version := introduce(req)
	return version >= firstModern
}

func appendString(b []byte, s string) []byte {
	data, err := json.Marshal(s)
	if err != nil { // strings never fail
		return append(b, `""`...)
	}
	return append(b, data...)
}
