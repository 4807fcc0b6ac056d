package search

import "encoding/json"

// Bounds of the walk through a parameter schema.
const (
	maxSchemaBytes = 512 << 10
	maxSchemaDepth = 8
	maxSchemaTexts = 512
)

// schemaText says what a text of a schema is.
type schemaText uint8

const (
	schemaName schemaText = iota
	schemaDescription
)

// walkSchema calls visit for the names and descriptions of the properties of a
// schema, in their order. References are not followed: what they point to
// inside the schema is walked where it stands, so a cycle costs nothing. A
// schema over the bounds gives only its first texts, one that is too large none.
func walkSchema(schema []byte, visit func(kind schemaText, text string)) {
	if len(schema) == 0 || len(schema) > maxSchemaBytes {
		return
	}
	w := walker{visit: visit, left: maxSchemaTexts}
	w.schema(schema, 0)
}

type walker struct {
	visit func(kind schemaText, text string)
	left  int
}

func (w *walker) emit(kind schemaText, text string) {
	if w.left > 0 {
		w.left--
		w.visit(kind, text)
	}
}

func (w *walker) schema(raw json.RawMessage, depth int) {
	if depth > maxSchemaDepth || w.left == 0 || len(raw) == 0 || raw[0] != '{' {
		return
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return
	}
	var d string
	if json.Unmarshal(m["description"], &d) == nil {
		w.emit(schemaDescription, d)
	}
	var props map[string]json.RawMessage
	if json.Unmarshal(m["properties"], &props) == nil {
		for k, v := range props {
			w.emit(schemaName, k)
			w.schema(v, depth+1)
		}
	}
	w.schema(m["items"], depth+1)
}
