package signature

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxParts is how many members of a union or a merge are looked at.
const maxParts = 64

// builder turns one schema into a tree of types within bounds.
type builder struct {
	root   value
	bounds Bounds
	// work counts the bytes read so far, nodes the schemas.
	work, nodes int
	// refs remembers where references lead.
	refs map[string]value
	// active holds the references that are being followed.
	active []string
	// complete turns false with the first thing that the tree doesn't say.
	complete bool
}

// place is where in the tree a schema stands: depth counts the objects and
// arrays around it, hops the schemas.
type place struct{ depth, hops int }

func (p place) hop() place  { return place{p.depth, p.hops + 1} }
func (p place) down() place { return place{p.depth + 1, p.hops + 1} }

func newAtom(text string) *node { return &node{text: text} }

// unknown is the type of what can't be said.
func (b *builder) unknown() *node {
	b.complete = false
	return newAtom(unknownType)
}

// spend counts n bytes that are about to be read, and reports whether they may be.
func (b *builder) spend(n int) bool {
	b.work += n
	return b.work <= maxWork
}

// build returns the type of one schema.
func (b *builder) build(schema value, at place) *node {
	if schema.is("false") {
		return newAtom("never")
	}
	b.nodes++
	if schema.kind() != '{' || at.hops > maxHops || b.nodes > maxNodes || !b.spend(len(schema)) {
		return b.unknown()
	}
	return b.of(read(schema), at)
}

// of returns the type of a schema that was read.
func (b *builder) of(k *keywords, at place) *node {
	n := b.shape(k, at)
	if k.nullable.is("true") {
		n = b.join([]*node{n, newAtom("null")})
	}
	return n
}

func (b *builder) shape(k *keywords, at place) *node {
	if k.condition {
		b.complete = false
	}
	switch {
	case k.ref != nil:
		b.complete = b.complete && !k.objectLike()
		return b.follow(k.ref.text(), at)
	case k.constant != nil:
		return b.literals(slices.Values([]value{k.constant}))
	case k.enum.kind() == '[':
		return b.literals(k.enum.elements())
	case k.allOf.kind() == '[':
		return b.merge(k, at)
	case k.alternatives() != nil && !k.objectLike():
		b.complete = b.complete && (k.anyOf == nil || k.oneOf == nil)
		return b.alternatives(k.alternatives(), at)
	}
	return b.typed(k, at)
}

// follow returns the type behind a reference to this same document.
func (b *builder) follow(ref string, at place) *node {
	target, ok := b.resolve(ref)
	if !ok || slices.Contains(b.active, ref) {
		return b.unknown()
	}
	b.active = append(b.active, ref)
	n := b.build(target, at.hop())
	b.active = b.active[:len(b.active)-1]
	return n
}

// resolve finds the schema that a local reference points to.
func (b *builder) resolve(ref string) (value, bool) {
	if found, seen := b.refs[ref]; seen {
		return found, found != nil
	}
	found := b.lookup(ref)
	b.refs[ref] = found
	return found, found != nil
}

func (b *builder) lookup(ref string) value {
	pointer, local := strings.CutPrefix(ref, "#")
	pointer, err := url.PathUnescape(pointer)
	if !local || err != nil || pointer != "" && pointer[0] != '/' {
		return nil
	}
	found := b.root
	for step := range strings.SplitSeq(pointer, "/") {
		if step == "" && len(found) == len(b.root) {
			continue
		}
		if found == nil || !b.spend(len(found)) {
			return nil
		}
		found = child(found, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return found
}

func child(parent value, step string) value {
	var found value
	for name, v := range parent.members() {
		if name == step {
			found = v
		}
	}
	index, err := strconv.Atoi(step)
	if err != nil {
		return found
	}
	for v := range parent.elements() {
		if index == 0 {
			return v
		}
		index--
	}
	return found
}

// typed returns the type that "type" names, or that the other keywords imply.
func (b *builder) typed(k *keywords, at place) *node {
	switch {
	case k.types.kind() == '"':
		return b.named(k.types.text(), k, at)
	case k.types.kind() == '[':
		var parts []*node
		for name := range k.types.elements() {
			if len(parts) == maxParts {
				return b.unknown()
			}
			parts = append(parts, b.named(name.text(), k, at))
		}
		return b.join(parts)
	case k.objectLike():
		b.complete = false // other values than objects are valid as well
		return b.object([]*keywords{k}, at)
	case k.items != nil || k.prefixItems != nil:
		b.complete = false
		return b.array(k, at)
	}
	return b.unknown()
}

func (b *builder) named(name string, k *keywords, at place) *node {
	switch name {
	case "string", "boolean", "null", "number":
		return newAtom(name)
	case "integer":
		return newAtom("number")
	case "object":
		return b.object([]*keywords{k}, at)
	case "array":
		return b.array(k, at)
	}
	return b.unknown()
}
