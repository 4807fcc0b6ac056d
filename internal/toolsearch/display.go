package toolsearch

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

// emptySchema is shown for a tool that sent no schema: any object.
var emptySchema = json.RawMessage(`{"type":"object","properties":{}}`)

// rootKeywords may not stand at the root of a schema that model providers take.
var rootKeywords = []string{"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const", "$ref"}

// displaySchema returns the schema under which a model is shown a tool. One
// that every provider takes is returned as it is. An object schema in another
// dress is written out as one: a missing type is added, a reference at the root
// is followed, and the properties of a union at the root are offered together.
// The tool itself still gets, and judges, the arguments as they come. The error
// says why nothing can be shown.
func displaySchema(raw json.RawMessage) (json.RawMessage, error) {
	trimmed := bytes.TrimSpace(raw)
	switch {
	case len(trimmed) == 0, string(trimmed) == "null", string(trimmed) == "true":
		return emptySchema, nil
	case trimmed[0] != '{' && json.Valid(trimmed):
		return nil, errors.New("its parameter schema is not an object")
	}
	var root map[string]json.RawMessage
	if err := json.Unmarshal(trimmed, &root); err != nil {
		return nil, errors.New("its parameter schema is not JSON")
	}
	if string(root["type"]) == `"object"` && !slices.ContainsFunc(rootKeywords, func(k string) bool { _, has := root[k]; return has }) {
		return raw, nil
	}
	flat, err := flatten(root, root, maxFlatten)
	if err != nil {
		return nil, err
	}
	for _, k := range rootKeywords {
		delete(flat, k)
	}
	flat["type"] = json.RawMessage(`"object"`)
	if _, ok := flat["properties"]; !ok {
		flat["properties"] = json.RawMessage(`{}`)
	}
	return encode(flat)
}

// maxFlatten is how deep references and unions at the root are followed.
const maxFlatten = 8

// flatten writes a node of the schema as one object schema.
func flatten(node, root map[string]json.RawMessage, depth int) (map[string]json.RawMessage, error) {
	if depth == 0 {
		return nil, errors.New("its parameter schema refers to itself at the root")
	}
	if !mayBeObject(node["type"]) {
		return nil, errors.New("its parameter schema is not of an object: type " + string(node["type"]))
	}
	out := maps.Clone(node)
	if ref, ok := node["$ref"]; ok {
		target, err := follow(ref, root)
		if err != nil {
			return nil, err
		}
		flat, err := flatten(target, root, depth-1)
		if err != nil {
			return nil, err
		}
		merge(out, flat, true)
	}
	for _, union := range []string{"allOf", "anyOf", "oneOf"} {
		if err := mergeBranches(out, node[union], root, union == "allOf", depth); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mergeBranches offers the properties of each branch; only those of all
// branches of allOf stay required.
func mergeBranches(out map[string]json.RawMessage, raw json.RawMessage, root map[string]json.RawMessage, every bool, depth int) error {
	if raw == nil {
		return nil
	}
	var branches []json.RawMessage
	if json.Unmarshal(raw, &branches) != nil {
		return nil
	}
	merged := 0
	var last error
	for _, b := range branches {
		var node map[string]json.RawMessage
		if json.Unmarshal(b, &node) != nil {
			continue
		}
		flat, err := flatten(node, root, depth-1)
		if err != nil {
			last = err
			continue
		}
		merge(out, flat, every)
		merged++
	}
	if merged == 0 {
		return last
	}
	return nil
}

// merge adds to out what it doesn't have: properties one by one, required
// names when they hold, descriptions and definitions.
func merge(out, from map[string]json.RawMessage, required bool) {
	for key, value := range from {
		switch key {
		case "properties", "$defs", "definitions":
			out[key] = union(out[key], value)
		case "required":
			if required {
				out[key] = joinNames(out[key], value)
			}
		case "additionalProperties":
			if required && out[key] == nil {
				out[key] = value
			}
		default:
			if out[key] == nil {
				out[key] = value
			}
		}
	}
}

// union joins two objects; what a has stays.
func union(a, b json.RawMessage) json.RawMessage {
	var left, right map[string]json.RawMessage
	if json.Unmarshal(b, &right) != nil {
		return a
	}
	if a == nil || json.Unmarshal(a, &left) != nil || left == nil {
		left = map[string]json.RawMessage{}
	}
	for k, v := range right {
		if _, ok := left[k]; !ok {
			left[k] = v
		}
	}
	text, err := encode(left)
	if err != nil {
		return a
	}
	return text
}

// joinNames joins two lists of property names.
func joinNames(a, b json.RawMessage) json.RawMessage {
	var left, right []string
	_ = json.Unmarshal(a, &left)
	_ = json.Unmarshal(b, &right)
	for _, name := range right {
		if !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	text, err := encode(left)
	if err != nil {
		return a
	}
	return text
}

// mayBeObject reports whether a schema of this type can hold an object.
func mayBeObject(kind json.RawMessage) bool {
	var one string
	var several []string
	switch {
	case kind == nil:
		return true
	case json.Unmarshal(kind, &one) == nil:
		return one == "object"
	case json.Unmarshal(kind, &several) == nil:
		return slices.Contains(several, "object")
	}
	return false
}

// follow finds a local definition, "#/$defs/NAME".
func follow(ref json.RawMessage, root map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	var path string
	if json.Unmarshal(ref, &path) != nil || !strings.HasPrefix(path, "#/") {
		return nil, errors.New("its parameter schema refers to something outside of itself")
	}
	node := root
	for part := range strings.SplitSeq(path[2:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		var next map[string]json.RawMessage
		if json.Unmarshal(node[part], &next) != nil || next == nil {
			return nil, errors.New("its parameter schema refers to a definition that it doesn't have")
		}
		node = next
	}
	return node, nil
}
