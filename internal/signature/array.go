package signature

import (
	"slices"
	"strconv"
)

// array returns Array<T>, or a tuple for a schema that speaks of single places.
func (b *builder) array(k *keywords, at place) *node {
	if at.depth >= b.bounds.Depth {
		return b.anyArray()
	}
	if k.prefixItems.kind() == '[' {
		return b.tuple(k, k.prefixItems, k.items, at)
	}
	if k.items.kind() == '[' {
		return b.tuple(k, k.items, k.extraItems, at)
	}
	if k.items == nil {
		return b.anyArray()
	}
	return &node{form: list, parts: []*node{b.build(k.items, at.down())}}
}

func (b *builder) anyArray() *node {
	return &node{form: list, parts: []*node{b.unknown()}}
}

// tuple returns [A, B], with ...Array<C> where rest is a schema. It is complete
// only when the length is fixed.
func (b *builder) tuple(k *keywords, places, rest value, at place) *node {
	n := &node{form: tuple}
	for part := range places.elements() {
		if len(n.parts) == b.bounds.Properties {
			return b.anyArray()
		}
		n.parts = append(n.parts, b.build(part, at.down()))
	}
	if rest.kind() == '{' && !rest.empty() {
		n.parts, n.open = append(n.parts, b.build(rest, at.down())), true
	}
	least, err := strconv.Atoi(string(k.minItems))
	if !rest.is("false") || err != nil || least != len(n.parts) {
		b.complete = false
	}
	n.parts = slices.Clip(n.parts)
	return n
}
