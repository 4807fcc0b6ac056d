package toolsearch

import (
	"bytes"
	"encoding/json"

	"github.com/toolcrib/toolcrib"
)

// Visible is one tool as a model sees it: a control, or a tool shown directly.
type Visible struct {
	// Name matches [A-Za-z0-9_-]{1,64} and is unique on its surface.
	Name        string
	Title       string
	Description string
	// InputSchema is an object schema with "type": "object" and no union at its root.
	InputSchema json.RawMessage
	// OutputSchema is nil unless the tool's output can be promised.
	OutputSchema json.RawMessage
	Annotations  toolcrib.Annotations
	// Meta is the "_meta" object; nil for none.
	Meta json.RawMessage
	// ID is the id of a tool shown directly; "" for a control.
	ID string
}

// MarshalJSON writes the tool in the form of MCP's tools/list.
func (v Visible) MarshalJSON() ([]byte, error) {
	wire := struct {
		Name         string                `json:"name"`
		Title        string                `json:"title,omitempty"`
		Description  string                `json:"description,omitempty"`
		InputSchema  json.RawMessage       `json:"inputSchema"`
		OutputSchema json.RawMessage       `json:"outputSchema,omitempty"`
		Annotations  *toolcrib.Annotations `json:"annotations,omitempty"`
		Meta         json.RawMessage       `json:"_meta,omitempty"`
	}{v.Name, v.Title, v.Description, v.InputSchema, v.OutputSchema, nil, v.Meta}
	if !v.Annotations.IsZero() {
		wire.Annotations = &v.Annotations
	}
	return encode(wire)
}

// encode marshals without escaping HTML, so that what is counted is what is sent.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
