package signature

import (
	"bytes"
	"encoding/json"
)

const unknownType = "unknown"

// Of returns the input signature of schema, "unknown" when it can't be shown
// within Input's bounds. Optional properties that don't fit are left out,
// the deepest first, and marked by "...".
func Of(schema json.RawMessage) string {
	root, _ := build(schema, Input)
	if root == nil || !fit(root, Input.Chars) {
		return unknownType
	}
	return root.String()
}

// OfOutput returns the output signature of schema. It reports false when the
// schema is open, when a part of it can't be shown as a type, or when it is
// larger than Output's bounds.
func OfOutput(schema json.RawMessage) (string, bool) {
	root, complete := build(schema, Output)
	if root == nil || !complete || root.size() > Output.Chars {
		return "", false
	}
	return root.String(), true
}

// build returns the tree of schema's type, nil when there is nothing to read,
// and whether the tree says all that the schema does.
func build(schema json.RawMessage, bounds Bounds) (*node, bool) {
	if len(schema) > maxBytes {
		return nil, false
	}
	root := value(bytes.TrimSpace(schema))
	if skipValue(root, 0) != len(root) {
		return nil, false
	}
	b := &builder{root: root, bounds: bounds, refs: map[string]value{}, active: []string{"#"}, complete: true}
	n := b.build(root, place{})
	return n, b.complete
}
