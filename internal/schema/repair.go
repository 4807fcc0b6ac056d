package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// Repair compiles schema and calls its Repair. A schema that can't be compiled
// repairs like a nil one.
func Repair(schema, args json.RawMessage, beside map[string]json.RawMessage) (json.RawMessage, string, error) {
	compiled, err := Compile(schema)
	if err != nil {
		compiled = nil
	}
	return compiled.Repair(args, beside)
}

// Repair returns the arguments that a model meant, which are always one JSON
// object, and a note of what was done to them, "" when they are as they came.
// beside holds what stood next to the arguments in the control's own input.
//
// Arguments that fit the schema as they are, or that are a plain object which
// no repair makes fit, are returned byte for byte: whether a plain object is
// refused is for Validate and its caller to say. No arguments, null and the
// empty string are {}.
//
// Other readings are tried in every combination: the object inside a JSON
// string or a list of one; the object inside "args", "arguments", "input",
// "params" or "parameters", together with what stands around it; the keys of
// beside; dotted keys as nested objects; and strings at places where the
// schema admits no string but what the string holds as JSON, so that "5" is
// read as a number, "true" as a boolean and "[1]" as a list. A reading that
// fits is not repaired further, and exactly one must fit: none, or more than
// one, is a KindInput error. Nothing is ever made up, and nothing is dropped but
// empty wrappers and keys of beside that mean nothing to the schema.
//
// A nil Schema knows nothing: it leaves an object alone, decodes a string that
// holds one, and takes the keys of beside when there are no arguments.
func (s *Schema) Repair(args json.RawMessage, beside map[string]json.RawMessage) (json.RawMessage, string, error) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	r, err := newRepairer(s, args, beside)
	if err != nil {
		return nil, "", err
	}
	if s == nil {
		return r.blind()
	}
	return r.repair()
}

// repairer holds what one repair starts from.
type repairer struct {
	schema *Schema
	raw    json.RawMessage
	args   any
	beside map[string]any
	names  []string // properties that the schema names
}

func newRepairer(s *Schema, args json.RawMessage, beside map[string]json.RawMessage) (*repairer, error) {
	r := &repairer{schema: s, raw: args, beside: map[string]any{}}
	var err error
	if r.args, err = decode(args); err != nil {
		return nil, faulty("the arguments can't be read: "+err.Error(), nil)
	}
	for name, raw := range beside {
		if r.beside[name], err = decode(raw); err != nil {
			return nil, faulty(fmt.Sprintf("what stands in %s can't be read: %v", quoteCut(name), err), nil)
		}
	}
	if s != nil {
		r.names = propertyNames(s.root)
	}
	return r, nil
}

// faulty is the error for arguments that can't be used.
func faulty(message string, cause error) error {
	return toolcrib.NewError(toolcrib.KindInput, message,
		`put the tool's own parameters into "args", as one JSON object`).WithCause(cause)
}

func (r *repairer) named(name string) bool { return slices.Contains(r.names, name) }

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// hollow reports whether v holds nothing: null, {} or the empty string.
func hollow(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// repair chooses the one reading that fits.
func (r *repairer) repair() (json.RawMessage, string, error) {
	plain := isObject(r.args)
	besides := len(r.beside) > 0
	if plain && (!besides || r.ignorable()) {
		if r.schema.fits(r.args) {
			return r.raw, r.ignored(), nil
		}
	}
	fitting, nearest := r.search()
	switch {
	case len(fitting) == 1:
		return encode(fitting[0].value), strings.Join(fitting[0].steps, ", "), nil
	case len(fitting) > 1:
		return nil, "", r.ambiguous(fitting)
	case plain && !besides:
		return r.raw, "", nil
	}
	return nil, "", r.unfit(nearest)
}

// ignorable reports whether what stands beside the arguments means nothing to
// the schema, so that leaving it out loses nothing.
func (r *repairer) ignorable() bool {
	if hollow(r.args) && (len(r.names) > 0 || !r.closed()) {
		return false
	}
	for name := range r.beside {
		head, _, _ := strings.Cut(name, ".")
		if r.named(name) || r.named(head) || slices.Contains(wrappers, name) {
			return false
		}
	}
	return true
}

// closed reports whether the schema takes no properties but those it names.
func (r *repairer) closed() bool { return !r.schema.fits(map[string]any{"\x00": nil}) }

func (r *repairer) ignored() string {
	if len(r.beside) == 0 {
		return ""
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.beside)) {
		names = append(names, quoteCut(name))
	}
	return "left out " + cut(strings.Join(names, ", "), 4*maxShown) + `, which stood beside "args"`
}

func (r *repairer) ambiguous(fitting []reading) error {
	var texts []string
	for _, reading := range fitting {
		texts = append(texts, cut(string(encode(reading.value)), 2*maxShown))
	}
	slices.Sort(texts)
	return faulty("the arguments can be read in more than one way: "+strings.Join(texts[:min(3, len(texts))], " or "), nil)
}

func (r *repairer) unfit(nearest reading) error {
	if nearest.value == nil && len(r.beside) > 0 && isObject(r.args) {
		return faulty(`the arguments and what stands beside them can't be joined`, nil)
	}
	if !isObject(nearest.value) {
		return faulty("the arguments must be an object, got "+shown(r.args), nil)
	}
	return faulty("the arguments fit in no way that was tried: "+Sentence(r.schema.problems(nearest.value)), nil)
}

// blind repairs without a schema.
func (r *repairer) blind() (json.RawMessage, string, error) {
	value, steps := r.args, []string(nil)
	for {
		text, ok := value.(string)
		if !ok {
			break
		}
		inner, ok := decodeText(text)
		if !ok {
			break
		}
		value, steps = inner, []string{stepString}
	}
	switch {
	case !isObject(value):
		return nil, "", faulty("the arguments must be an object, got "+shown(r.args), nil)
	case len(r.beside) > 0 && hollow(value):
		merged, step, _ := r.merge(map[string]any{}, r.beside)
		if isObject(merged) {
			return encode(merged), strings.Join(append(steps, step), ", "), nil
		}
	case len(steps) > 0:
		return encode(value), strings.Join(steps, ", "), nil
	}
	return r.raw, r.ignored(), nil
}

// fits reports whether a decoded value is valid.
func (s *Schema) fits(value any) bool {
	return oversized(value) == "" && s.meter.run(s.root, value) == nil
}

// encode writes a value that decode returned; such a value can always be written.
func encode(value any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return json.RawMessage("{}")
	}
	return bytes.TrimSpace(b.Bytes())
}
