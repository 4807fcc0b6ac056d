package search

import (
	"encoding/json"
	"strings"
)

// Bounds of the walk through a parameter schema.
const (
	maxSchemaBytes = 512 << 10 // more is not read
	maxSchemaDepth = 12        // schemas within schemas
	maxSchemaNames = 256
	maxSchemaTexts = 256
)

// schemaText says what a text of a schema is.
type schemaText uint8

const (
	schemaName schemaText = iota
	schemaDescription
	schemaTextKinds
)

// walkSchema calls visit for the names of the properties of a schema and for
// its texts, which are descriptions and the strings of enumerations, in the
// order in which they stand. References are not followed:
// what they point to inside the schema is walked where it stands, so a cycle
// costs nothing. It reads the bytes once and stops at the bounds and at the
// first byte that is not JSON.
func walkSchema(schema []byte, visit func(kind schemaText, text string)) {
	w := walker{
		data:  string(schema[:min(len(schema), maxSchemaBytes)]),
		visit: visit,
		left:  [schemaTextKinds]int{maxSchemaNames, maxSchemaTexts},
	}
	w.schema(0)
}

// walker reads JSON from the front. A fault moves it to the end of the data.
type walker struct {
	data  string
	at    int
	visit func(kind schemaText, text string)
	left  [schemaTextKinds]int
}

func (w *walker) emit(kind schemaText, text string) {
	if w.left[kind] > 0 && strings.TrimSpace(text) != "" {
		w.left[kind]--
		w.visit(kind, text)
	}
}

// schema walks a schema, or a list of them.
func (w *walker) schema(depth int) {
	if depth > maxSchemaDepth || w.left == [schemaTextKinds]int{} {
		w.skip()
		return
	}
	switch w.peek() {
	case '{':
		w.object(func(key string) { w.keyword(key, depth) })
	case '[':
		w.list(func() { w.schema(depth + 1) })
	default:
		w.skip()
	}
}

// keyword walks the value of one keyword of a schema.
func (w *walker) keyword(key string, depth int) {
	switch key {
	case "properties":
		w.object(func(name string) {
			w.emit(schemaName, name)
			w.schema(depth + 1)
		})
	case "$defs", "definitions", "patternProperties", "dependentSchemas":
		w.object(func(string) { w.schema(depth + 1) })
	case "items", "prefixItems", "contains", "additionalProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else":
		w.schema(depth + 1)
	case "description":
		w.string()
	case "enum":
		w.list(w.string)
	default:
		w.skip()
	}
}

// string gives a string on as a text.
func (w *walker) string() {
	if text, ok := w.text(); ok {
		w.emit(schemaDescription, text)
	}
}

// object calls member with each key of an object; member must move past the value.
func (w *walker) object(member func(key string)) {
	w.sequence('{', '}', func() {
		key, ok := w.text()
		if !ok || w.peek() != ':' {
			w.at = len(w.data)
			return
		}
		w.at++
		member(key)
	})
}

// list calls element for each element, which it must move past.
func (w *walker) list(element func()) { w.sequence('[', ']', element) }

// sequence calls element for each part of what stands between two brackets. A
// value of another kind is skipped.
func (w *walker) sequence(open, end byte, element func()) {
	if w.peek() != open {
		w.skip()
		return
	}
	w.at++
	if w.peek() == end {
		w.at++
		return
	}
	for w.at < len(w.data) {
		element()
		switch w.peek() {
		case ',':
			w.at++
		case end:
			w.at++
			return
		default:
			w.at = len(w.data)
		}
	}
}

// peek moves past blanks and returns the byte there, 0 at the end.
func (w *walker) peek() byte {
	for ; w.at < len(w.data); w.at++ {
		switch c := w.data[w.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// text reads a string; any other value is skipped.
func (w *walker) text() (string, bool) {
	if w.peek() != '"' {
		w.skip()
		return "", false
	}
	start := w.at
	plain := w.quoted()
	raw := w.data[start:w.at]
	if plain && len(raw) >= 2 {
		return raw[1 : len(raw)-1], true
	}
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		w.at = len(w.data)
		return "", false
	}
	return s, true
}

// quoted moves past a string and reports whether it has no escapes.
func (w *walker) quoted() bool {
	plain := true
	for w.at++; w.at < len(w.data); w.at++ {
		switch w.data[w.at] {
		case '\\':
			plain = false
			w.at++
		case '"':
			w.at++
			return plain
		}
	}
	w.at = len(w.data)
	return false
}

// skip moves past a value of any kind. It counts brackets and needs no stack.
func (w *walker) skip() {
	depth := 0
	for w.peek() != 0 {
		switch w.data[w.at] {
		case '"':
			w.quoted()
		case '{', '[':
			depth++
			w.at++
		case '}', ']':
			depth--
			w.at++
		case ',', ':':
			if depth == 0 {
				w.at = len(w.data)
				return
			}
			w.at++
			continue
		default:
			w.bare()
		}
		if depth <= 0 {
			return
		}
	}
}

// bare moves past a number or a literal.
func (w *walker) bare() {
	for ; w.at < len(w.data); w.at++ {
		switch w.data[w.at] {
		case ' ', '\t', '\r', '\n', ',', ':', '{', '}', '[', ']', '"':
			return
		}
	}
}
