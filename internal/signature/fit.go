package signature

import (
	"cmp"
	"slices"
)

// level is an object and how deep it stands.
type level struct {
	object *node
	depth  int
}

// fit drops optional members until n is no longer than limit: those of the
// deepest objects first, and of one object from the end of its order. It
// reports whether that was enough.
func fit(n *node, limit int) bool {
	size := n.size()
	if size <= limit {
		return true
	}
	levels := n.levels(nil, 0)
	slices.SortStableFunc(levels, func(a, b level) int { return cmp.Compare(b.depth, a.depth) })
	for _, l := range levels {
		for size > limit && l.object.droppable() {
			size -= l.object.drop()
		}
	}
	return size <= limit
}

// levels lists the objects in n, the last written first.
func (n *node) levels(found []level, depth int) []level {
	for _, m := range slices.Backward(n.members) {
		found = m.node.levels(found, depth+1)
	}
	for _, part := range slices.Backward(n.parts) {
		found = part.levels(found, depth+1)
	}
	if n.form == object {
		found = append(found, level{n, depth})
	}
	return found
}

// droppable reports whether the last member is optional; optional ones stand last.
func (n *node) droppable() bool {
	return len(n.members) > 0 && !n.members[len(n.members)-1].required
}

// drop leaves out the last member and returns how much shorter n became.
func (n *node) drop() int {
	before, last := frame(len(n.members), n.open), len(n.members)-1
	gone := n.members[last].size()
	n.members, n.open = n.members[:last], true
	return gone + before - frame(last, true)
}
