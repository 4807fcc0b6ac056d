package toolsearch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// kind is the type of a field.
type kind string

const (
	kindString  kind = "string"
	kindInteger kind = "integer"
	kindObject  kind = "object"
	kindList    kind = "array"
)

// field is one property of a control's input. A list's items are objects.
type field struct {
	name     string
	kind     kind
	required bool
	min, max int // of an integer: the least; of a list: the most items
	doc      string
	items    []field
	aliases  []string // read in its place when it is absent; not in the schema
}

// schemaOf writes the JSON Schema of an object with these fields.
func schemaOf(fields []field) json.RawMessage {
	var b bytes.Buffer
	writeObject(&b, fields)
	return b.Bytes()
}

func writeObject(b *bytes.Buffer, fields []field) {
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `%q:{"type":%q`, f.name, f.kind)
		if f.doc != "" {
			fmt.Fprintf(b, `,"description":%q`, f.doc)
		}
		f.writeBounds(b)
		b.WriteByte('}')
		if f.required {
			required = append(required, strconv.Quote(f.name))
		}
	}
	b.WriteByte('}')
	if required != nil {
		fmt.Fprintf(b, `,"required":[%s]`, strings.Join(required, ","))
	}
	b.WriteByte('}')
}

func (f field) writeBounds(b *bytes.Buffer) {
	switch f.kind {
	case kindInteger:
		fmt.Fprintf(b, `,"minimum":%d`, f.min)
	case kindList:
		fmt.Fprintf(b, `,"maxItems":%d,"items":`, f.max)
		writeObject(b, f.items)
	}
}

// input is an object that a model sent: the values of the fields, without
// nulls, and what it put beside them.
type input struct {
	values map[string]json.RawMessage
	beside map[string]json.RawMessage
}

// maxUnwrap is how many times an object may be wrapped or encoded once too often.
const maxUnwrap = 3

// wrappers are properties that models put around a whole input.
var wrappers = []string{"arguments", "args", "input", "params", "parameters"}

// readInput reads the object that a model sent. Nothing and null are an empty
// object; a string that holds an object is decoded; an object that stands alone
// in a wrapper that is no field is taken out; null is as good as absent; an
// alias is read where its field is absent.
func readInput(name string, fields []field, raw json.RawMessage) (input, error) {
	in := input{values: map[string]json.RawMessage{}, beside: map[string]json.RawMessage{}}
	object, err := readObject(name, fields, raw, maxUnwrap)
	if err != nil {
		return in, err
	}
	for key, value := range object {
		if isNull(value) {
			continue
		}
		in.beside[key] = value
	}
	for _, f := range fields {
		in.take(f)
	}
	return in, nil
}

// take moves a field's value, or that of its first alias, from beside to values.
func (in input) take(f field) {
	for _, key := range append([]string{f.name}, f.aliases...) {
		value, ok := in.beside[key]
		if !ok || (key != f.name && !f.fits(value)) {
			continue
		}
		in.values[f.name] = value
		delete(in.beside, key)
		return
	}
}

// fits reports whether a value under an alias is of the field's type; under the
// field's own name a value of another type is an error instead.
func (f field) fits(value json.RawMessage) bool {
	switch f.kind {
	case kindString:
		return value[0] == '"'
	case kindInteger:
		n, err := strconv.Atoi(string(value))
		return err == nil && n >= f.min
	case kindObject:
		return value[0] == '{' || value[0] == '"'
	}
	return false
}

func readObject(name string, fields []field, raw json.RawMessage, depth int) (map[string]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || isNull(raw) {
		return nil, nil
	}
	var object map[string]json.RawMessage
	var text string
	switch {
	case json.Unmarshal(raw, &object) == nil:
		if inner, ok := wrapped(fields, object); ok && depth > 0 {
			return readObject(name, fields, inner, depth-1)
		}
		return object, nil
	case depth > 0 && json.Unmarshal(raw, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "{"):
		return readObject(name, fields, json.RawMessage(text), depth-1)
	}
	return nil, badInput(name, "its input must be an object, not "+kindName(raw), schemaHint(fields))
}

// wrapped returns the object inside a wrapper that stands alone.
func wrapped(fields []field, object map[string]json.RawMessage) (json.RawMessage, bool) {
	if len(object) != 1 {
		return nil, false
	}
	for _, w := range wrappers {
		inner, ok := object[w]
		if !ok || slices.ContainsFunc(fields, func(f field) bool { return f.name == w }) {
			continue
		}
		var any map[string]json.RawMessage
		return inner, json.Unmarshal(inner, &any) == nil
	}
	return nil, false
}

// text reads a string; a number stands for its digits. Absent is "".
func (in input) text(control, name string) (string, error) {
	raw, ok := in.values[name]
	if !ok {
		return "", nil
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, nil
	}
	if c := raw[0]; c == '-' || ('0' <= c && c <= '9') {
		return string(raw), nil
	}
	return "", badInput(control, fmt.Sprintf("%s must be a string, not %s", name, kindName(raw)), "")
}

// count reads a whole number of at least 1, also one written as a string.
// Absent is 0; one too large for an int is the largest.
func (in input) count(control, name string) (int, error) {
	raw, ok := in.values[name]
	if !ok {
		return 0, nil
	}
	digits := string(raw)
	var s string
	if json.Unmarshal(raw, &s) == nil {
		digits = strings.TrimSpace(s)
	}
	f, err := strconv.ParseFloat(digits, 64)
	if math.IsInf(f, 1) || f > math.MaxInt32 {
		return math.MaxInt32, nil
	}
	if err != nil || f != math.Trunc(f) || f < 1 {
		return 0, badInput(control, fmt.Sprintf("%s must be a whole number of at least 1, not %s", name, clipText(string(raw), 40)), "leave it out for the default")
	}
	return int(f), nil
}

func badInput(control, message, hint string) error {
	return toolcrib.NewError(toolcrib.KindInput, control+": "+message, hint)
}

// schemaHint shows what an input looks like.
func schemaHint(fields []field) string {
	var parts []string
	for _, f := range fields {
		parts = append(parts, f.name)
	}
	return "its properties are " + strings.Join(parts, ", ")
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// kindName names the JSON type of a value for a message.
func kindName(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// clipText bounds foreign text that a message repeats, in bytes.
func clipText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
