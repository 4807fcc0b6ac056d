package pin

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// Kind says what a change is of.
type Kind string

// Kinds of changes. Only KindText is light: what is sent to the server stays the same.
const (
	KindText   Kind = "text"
	KindSchema Kind = "schema"
	KindHints  Kind = "hints"
)

// Change is one difference between two forms. Before is empty for what was added,
// and After for what was removed; schemas are shown as JSON.
type Change struct {
	Kind   Kind   `json:"kind"`
	At     string `json:"at"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Light reports whether all changes are of texts.
func Light(changes []Change) bool {
	return !slices.ContainsFunc(changes, func(c Change) bool { return c.Kind != KindText })
}

// Compare lists what is different in after, in the order in which a tool is read.
func Compare(before, after Form) []Change {
	var d diff
	d.text("name", before.Name, after.Name, KindSchema)
	d.text("title", before.Title, after.Title, KindText)
	d.text("description", before.Description, after.Description, KindText)
	d.raw("parameters", before.Parameters, after.Parameters)
	d.raw("outputSchema", before.OutputSchema, after.OutputSchema)
	d.hints(before.Annotations, after.Annotations)
	return d.changes
}

// diff collects changes.
type diff struct{ changes []Change }

func (d *diff) text(at, before, after string, k Kind) {
	if before != after {
		d.changes = append(d.changes, Change{k, at, before, after})
	}
}

func (d *diff) hints(a, b toolcrib.Annotations) {
	d.text("annotations.title", a.Title, b.Title, KindText)
	for _, h := range []struct {
		name string
		a, b *bool
	}{
		{"readOnlyHint", a.ReadOnly, b.ReadOnly},
		{"destructiveHint", a.Destructive, b.Destructive},
		{"idempotentHint", a.Idempotent, b.Idempotent},
		{"openWorldHint", a.OpenWorld, b.OpenWorld},
	} {
		d.text("annotations."+h.name, hint(h.a), hint(h.b), KindHints)
	}
}

func hint(b *bool) string {
	if b == nil {
		return ""
	}
	return fmt.Sprint(*b)
}

func (d *diff) raw(at string, before, after json.RawMessage) {
	a, okA := parse(before)
	b, okB := parse(after)
	if !okA || !okB {
		d.text(at, string(before), string(after), KindSchema)
		return
	}
	d.schema(at, a, b)
}

// position says what the value of a schema's keyword is.
type position byte

const (
	opaque position = iota // part of what is sent
	words                  // for the reader alone
	schema
	schemas // a list of schemas
	named   // schemas by name
)

// keywords are those of JSON Schema that hold no rule of their own. Whatever isn't
// here is a rule: a default, too, is sent.
func keyword(key string) position {
	switch key {
	case "title", "description", "$comment", "examples", "markdownDescription":
		return words
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
		"unevaluatedProperties", "unevaluatedItems", "additionalItems", "contentSchema":
		return schema
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return schemas
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return named
	}
	return opaque
}

// schema compares two schemas.
func (d *diff) schema(at string, a, b node) {
	if a.kind != 'o' || b.kind != 'o' || twice(a) || twice(b) {
		d.opaque(at, a, b, KindSchema)
		return
	}
	d.members(a, b, func(key string, x, y node) {
		below := step(at, key)
		switch keyword(key) {
		case words:
			k := KindText
			if x.kind == 'o' || y.kind == 'o' { // no words at all
				k = KindSchema
			}
			d.opaque(below, x, y, k)
		case schema:
			d.schema(below, x, y)
		case schemas:
			d.list(below, x, y)
		case named:
			d.named(below, x, y)
		default:
			d.opaque(below, x, y, KindSchema)
		}
	})
}

// named compares schemas by name, such as properties.
func (d *diff) named(at string, a, b node) {
	if a.kind != 'o' || b.kind != 'o' || twice(a) || twice(b) {
		d.opaque(at, a, b, KindSchema)
		return
	}
	d.members(a, b, func(key string, x, y node) {
		if x.kind == 0 || y.kind == 0 {
			d.opaque(step(at, key), x, y, KindSchema)
			return
		}
		d.schema(step(at, key), x, y)
	})
}

// list compares schemas by their places.
func (d *diff) list(at string, a, b node) {
	if a.kind != 'a' || b.kind != 'a' || len(a.items) != len(b.items) {
		d.opaque(at, a, b, KindSchema)
		return
	}
	for i := range a.items {
		d.schema(fmt.Sprintf("%s[%d]", at, i), a.items[i], b.items[i])
	}
}

// opaque compares two values as wholes; one of no kind isn't there.
func (d *diff) opaque(at string, a, b node, k Kind) {
	if a.String() == b.String() {
		return
	}
	show := func(n node) string {
		if k == KindText && n.kind == 's' {
			return n.text
		}
		return n.String()
	}
	d.changes = append(d.changes, Change{k, at, show(a), show(b)})
}

// members calls do for each key that either object has, by name.
func (d *diff) members(a, b node, do func(key string, x, y node)) {
	of := func(n node) map[string]node {
		m := make(map[string]node, len(n.members))
		for _, one := range n.members {
			m[one.key] = one.val
		}
		return m
	}
	x, y := of(a), of(b)
	keys := map[string]bool{}
	for key := range x {
		keys[key] = true
	}
	for key := range y {
		keys[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		do(key, x[key], y[key])
	}
}

// twice reports whether an object has a key more than once.
func twice(n node) bool {
	for i := 1; i < len(n.members); i++ {
		if n.members[i].key == n.members[i-1].key {
			return true
		}
	}
	return false
}
