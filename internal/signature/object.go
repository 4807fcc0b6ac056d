package signature

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// object returns the type of an object of which all schemas hold at once.
func (b *builder) object(all []*keywords, at place) *node {
	n := &node{form: object}
	if at.depth >= b.bounds.Depth {
		b.complete, n.open = false, true
		return n
	}
	if elem := mapElement(all); elem != nil {
		b.complete = false
		return &node{form: record, parts: []*node{b.build(elem, at.down())}}
	}
	s := &selection{limit: b.bounds.Properties, nameChars: b.bounds.NameChars, required: map[string][]value{}}
	if !s.require(all) {
		return b.unknown()
	}
	for _, k := range all {
		s.take(k.properties)
	}
	n.open = s.more || isOpen(all)
	if n.open || !slices.ContainsFunc(all, (*keywords).closed) {
		b.complete = false
	}
	for _, name := range slices.Sorted(maps.Keys(s.required)) {
		n.members = append(n.members, b.member(name, s.required[name], true, at))
	}
	for _, p := range s.optional {
		n.members = append(n.members, b.member(p.name, p.schemas, false, at))
	}
	return n
}

// member returns a property of which all schemas hold at once. It is unknown
// when there are none, or when they aren't one and the same type.
func (b *builder) member(name string, schemas []value, required bool, at place) member {
	m := member{label: label(name), required: required}
	if !required {
		m.label += "?"
	}
	for _, schema := range schemas {
		n := b.build(schema, at.down())
		if m.node != nil && len(distinct([]*node{m.node, n})) > 1 {
			m.node = nil
			break
		}
		m.node = n
	}
	if m.node == nil {
		m.node = b.unknown()
	}
	return m
}

// mapElement returns the schema of the values of an object that names no
// property and gives one schema for all, nil for any other object.
func mapElement(all []*keywords) value {
	if len(all) != 1 {
		return nil
	}
	k := all[0]
	if k.additional.kind() != '{' || k.additional.empty() || k.patterns != nil ||
		k.properties != nil && !k.properties.empty() || k.required != nil && !k.required.empty() {
		return nil
	}
	return k.additional
}

// isOpen reports whether the object says that it has properties which it
// doesn't name. One that doesn't speak of any is open as well.
func isOpen(all []*keywords) bool {
	named, closed := false, false
	for _, k := range all {
		named = named || k.properties != nil || k.required != nil
		closed = closed || k.closed()
	}
	for _, k := range all {
		if k.additional != nil && !closed || k.patterns != nil && !k.patterns.empty() {
			return true
		}
		for part := range k.alternatives().elements() {
			if part.kind() == '{' && read(part).properties != nil {
				return true
			}
		}
	}
	return !named && !closed
}

// selection picks the properties that one object shows: all required ones, and
// of the others the first by name.
type selection struct {
	limit, nameChars int
	required         map[string][]value
	optional         []property
	// more is true when a property was left out.
	more bool
}

type property struct {
	name    string
	schemas []value
}

// require notes the required names; false when they can't all be shown.
func (s *selection) require(all []*keywords) bool {
	for _, k := range all {
		for name := range k.required.elements() {
			text := name.text()
			if name.kind() != '"' || utf8.RuneCountInString(text) > s.nameChars {
				return false
			}
			s.required[text] = nil
			if len(s.required) > s.limit {
				return false
			}
		}
	}
	return true
}

// take goes through the properties of one schema.
func (s *selection) take(properties value) {
	for name, schema := range properties.members() {
		if schemas, required := s.required[name]; required {
			s.required[name] = append(schemas, schema)
			continue
		}
		s.offer(name, schema)
	}
}

// offer keeps an optional property if it is among the first by name.
func (s *selection) offer(name string, schema value) {
	at, found := slices.BinarySearchFunc(s.optional, name, func(p property, name string) int {
		return strings.Compare(p.name, name)
	})
	room := s.limit - len(s.required)
	switch {
	case found:
		s.optional[at].schemas = append(s.optional[at].schemas, schema)
		return
	case schema.is("false"):
		return
	case at >= room || utf8.RuneCountInString(name) > s.nameChars:
		s.more = true
		return
	}
	s.optional = slices.Insert(s.optional, at, property{name, []value{schema}})
	if len(s.optional) > room {
		s.optional, s.more = s.optional[:room], true
	}
}
