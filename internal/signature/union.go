package signature

import "slices"

// alternatives returns the union of the schemas in parts.
func (b *builder) alternatives(parts value, at place) *node {
	var nodes []*node
	for part := range parts.elements() {
		if len(nodes) == maxParts {
			return b.unknown()
		}
		nodes = append(nodes, b.build(part, at.hop()))
	}
	return b.join(nodes)
}

// join makes a union of parts: unions within it are opened, doubles and "never"
// dropped. A part that is unknown makes all of it unknown.
func (b *builder) join(parts []*node) *node {
	parts = distinct(flatten(parts))
	if slices.ContainsFunc(parts, func(n *node) bool { return n.form == atom && n.text == unknownType }) {
		return b.unknown()
	}
	if count(parts, true) > b.bounds.Literals {
		b.complete = false
		parts = distinct(widen(parts))
	}
	if count(parts, false) > b.bounds.UnionMembers {
		return b.unknown()
	}
	switch len(parts) {
	case 0:
		return newAtom("never")
	case 1:
		return parts[0]
	}
	return &node{form: union, parts: parts}
}

func flatten(parts []*node) []*node {
	var flat []*node
	for _, part := range parts {
		switch {
		case part.form == union:
			flat = append(flat, part.parts...)
		case part.form == atom && part.text == "never":
		default:
			flat = append(flat, part)
		}
	}
	return flat
}

// distinct drops parts that are written like an earlier one. Those that are
// longer than any signature are not compared.
func distinct(parts []*node) []*node {
	seen := map[string]bool{}
	var kept []*node
	for _, part := range parts {
		if part.size() <= max(Input.Chars, Output.Chars) {
			text := part.String()
			if seen[text] {
				continue
			}
			seen[text] = true
		}
		kept = append(kept, part)
	}
	return kept
}

func count(parts []*node, literal bool) int {
	n := 0
	for _, part := range parts {
		if part.literal == literal {
			n++
		}
	}
	return n
}

// merge returns the type of a schema with "allOf": one object when all that
// has a say is an object, the one part that has a say when there is only one.
func (b *builder) merge(k *keywords, at place) *node {
	if only := onlyPart(k); only != nil {
		return b.build(only, at.hop())
	}
	parts, ok := b.conjuncts(k, nil, at)
	if !ok || len(parts) == 0 {
		return b.unknown()
	}
	if len(parts) == 1 {
		return b.of(parts[0], at.hop())
	}
	typed := false
	for _, part := range parts {
		typed = typed || part.types != nil
		b.complete = b.complete && !part.condition
		if !part.objectLike() || part.ref != nil || part.enum != nil || part.constant != nil || part.types.kind() == '[' ||
			part.types != nil && part.types.text() != "object" {
			return b.unknown()
		}
	}
	b.complete = b.complete && typed
	return b.object(parts, at)
}

// onlyPart returns the single part of an allOf whose schema says nothing else.
func onlyPart(k *keywords) value {
	own, n := *k, 0
	own.allOf = nil
	var only value
	for part := range k.allOf.elements() {
		only = part
		n++
	}
	if n != 1 || !own.silent() {
		return nil
	}
	return only
}

// conjuncts lists the schemas that hold at once: k without its allOf, and the
// parts of it, references followed. Silent ones are left out.
func (b *builder) conjuncts(k *keywords, found []*keywords, at place) ([]*keywords, bool) {
	if at.hops > maxHops || len(found) > maxParts {
		return nil, false
	}
	if k.ref != nil && k.allOf == nil {
		target, ok := b.resolve(k.ref.text())
		if !ok || !b.spend(len(target)) {
			return nil, false
		}
		return b.conjuncts(read(target), found, at.hop())
	}
	own := *k
	own.allOf = nil
	if !own.silent() {
		found = append(found, &own)
	}
	ok := true
	for part := range k.allOf.elements() {
		if !b.spend(len(part)) {
			return nil, false
		}
		if found, ok = b.conjuncts(read(part), found, at.hop()); !ok {
			return nil, false
		}
	}
	return found, true
}
