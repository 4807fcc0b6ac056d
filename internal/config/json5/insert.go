package json5

import (
	"encoding/json"
	"fmt"
	"strings"
)

// source is a parsed value with its text.
type source struct {
	node *Node
	text string
}

// place is a value with the container that holds it; holder is nil for the root.
type place struct {
	node   *Node
	holder *Node
	// index is the value's among the parts of holder.
	index int
}

// set finds what of path is there and changes or adds the rest.
func (d *document) set(path []Step, v source) ([]splice, error) {
	at, rest := d.walk(path)
	w, err := d.writer(v)
	if err != nil {
		return nil, err
	}
	missing := rest
	if len(rest) > 0 && at.node.Kind != Null {
		missing = rest[1:]
	}
	tree, err := wrap(v.node, missing)
	switch {
	case err != nil:
		return nil, err
	case len(rest) == 0 || at.node.Kind == Null:
		return d.replace(at, tree, w), nil
	case rest[0].isItem() != (at.node.Kind == Array) || at.node.Kind != Array && at.node.Kind != Object:
		return nil, fmt.Errorf("%v below %v: %w", rest[0], at.node.Kind, ErrNotContainer)
	case rest[0].isItem() && rest[0].Index > len(at.node.Items):
		return nil, fmt.Errorf("%v in a list of %d: %w", rest[0], len(at.node.Items), ErrNoSuchPath)
	}
	return d.add(at, rest[0], tree, w), nil
}

// walk goes along path as far as it is there, and returns the rest.
func (d *document) walk(path []Step) (place, []Step) {
	at := place{node: d.root}
	for i, s := range path {
		next := at.node.index(s)
		if next < 0 {
			return at, path[i:]
		}
		at = place{Find(at.node, []Step{s}), at.node, next}
	}
	return at, nil
}

// wrap puts n into the containers that the steps need.
func wrap(n *Node, steps []Step) (*Node, error) {
	for i := len(steps) - 1; i >= 0; i-- {
		switch s := steps[i]; {
		case !s.isItem():
			n = &Node{Kind: Object, Members: []Member{{Key: s.Key, Value: n}}}
		case s.Index == 0:
			n = &Node{Kind: Array, Items: []*Node{n}}
		default:
			return nil, fmt.Errorf("%v in a list of 0: %w", s, ErrNoSuchPath)
		}
	}
	return n, nil
}

// writer is what writes v: as it stands, or laid out.
func (d *document) writer(v source) (writer, error) {
	w := writer{Layout: d.layout}
	raw := v.text[v.node.Start.Offset:v.node.End.Offset]
	loose := d.style.Strict && !json.Valid([]byte(raw))
	if loose && !v.node.finite() {
		return w, fmt.Errorf("the value: %w", ErrNotJSON)
	}
	if !loose && (!d.style.Pretty || commented(raw)) {
		w.verbatim, w.raw = v.node, raw
	}
	return w, nil
}

// finite reports whether all numbers below n are ones that JSON can write.
func (n *Node) finite() bool {
	if n.Kind == Number && n.Number-n.Number != 0 {
		return false
	}
	for _, item := range n.Items {
		if !item.finite() {
			return false
		}
	}
	for _, m := range n.Members {
		if !m.Value.finite() {
			return false
		}
	}
	return true
}

// commented reports whether a value's text holds a comment.
func commented(text string) bool {
	s := scanner{src: text}
	for r := s.peek(); r != eof; r = s.peek() {
		switch r {
		case '/':
			return true
		case '"', '\'':
			if _, err := s.str(); err != nil {
				return true
			}
		default:
			s.next()
		}
	}
	return false
}

// roomy reports whether what is at a place has its lines for itself.
func (d *document) roomy(at place) bool {
	return at.holder == nil || d.onOwnLine(d.container(at.holder), at.index)
}

// replace puts a value in the stead of another.
func (d *document) replace(at place, tree *Node, w writer) []splice {
	from, to := at.node.Start.Offset, at.node.End.Offset
	indent := d.indentAt(from)
	inline := !d.roomy(at)
	if len(at.node.Items)+len(at.node.Members) > 0 && !strings.ContainsFunc(d.src[from:to], isLineEnd) {
		inline = inline || len(w.text(tree, indent, true)) <= maxInline
	}
	return []splice{{from, to, w.text(tree, indent, inline)}}
}

// add puts a value behind the last one of a container.
func (d *document) add(at place, step Step, tree *Node, w writer) []splice {
	c := d.container(at.node)
	if len(c.parts) == 0 {
		return d.addFirst(at, c, step, tree, w)
	}
	key := d.likeSiblings(c, w).stepKey(step)
	last := c.parts[len(c.parts)-1]
	if !d.onOwnLine(c, len(c.parts)-1) {
		text := d.gap(c, w) + key + w.text(tree, d.indentAt(last.start), true)
		if last.comma < 0 {
			return []splice{{last.end, last.end, "," + text}}
		}
		return []splice{{last.stop(), last.stop(), text + ","}}
	}
	indent := d.indentAt(last.start)
	if unit, ok := strings.CutPrefix(indent, d.indentAt(c.inside-1)); ok && unit != "" {
		w.Indent = unit
	}
	behind := d.behindLine(last.stop())
	w.Newline = d.newlineAt(behind)
	text := w.Newline + indent + key + w.text(tree, indent, false)
	if last.comma < 0 {
		return []splice{{last.end, last.end, ","}, {behind, behind, text}}
	}
	return []splice{{behind, behind, text + ","}}
}

// gap is what stands between a comma and the next part on one line.
func (d *document) gap(c container, w writer) string {
	if n := len(c.parts); n > 1 {
		if s := d.src[c.before(n-1):c.parts[n-1].start]; onLine(s) {
			return s
		}
	}
	return w.afterComma()
}

// newlineAt is the line end at an offset, else the first of the text.
func (d *document) newlineAt(at int) string {
	if at < len(d.src) && (d.src[at] == '\n' || d.src[at] == '\r') {
		return newlineOf(d.src[at:])
	}
	return d.layout.Newline
}

// addFirst puts a value into an empty container. See closeUp for the way back.
func (d *document) addFirst(at place, c container, step Step, tree *Node, w writer) []splice {
	pieces := d.trivia(c.inside)
	last := -1
	for i, p := range pieces {
		if p.kind == comment {
			last = i
		}
	}
	own := d.indentAt(c.inside - 1)
	indent, comma := own+w.Indent, ""
	if w.TrailingComma {
		comma = ","
	}
	switch {
	case last >= 0 && hasLineEnd(pieces[last:]):
		if p := pieces[last]; d.startsLine(p.from) {
			indent = d.indentAt(p.from)
		}
		behind := d.behindLine(pieces[last].to)
		w.Newline = d.newlineAt(behind)
		return []splice{{behind, behind, w.Newline + indent + w.part(step, tree, indent, false) + comma}}
	case last >= 0:
		to := pieces[last].to
		return []splice{{to, to, " " + w.part(step, tree, own, true)}}
	case !hasLineEnd(pieces) && (!d.roomy(at) || step.isItem() && len(tree.Items)+len(tree.Members) == 0):
		lead := ""
		if len(pieces) > 0 {
			lead = " "
		}
		return []splice{{c.inside, c.inside, lead + w.part(step, tree, own, true)}}
	}
	w.Newline = d.newlineAt(c.inside)
	text := w.Newline + indent + w.part(step, tree, indent, false) + comma + w.Newline
	if !startsWithLine(d.src[c.inside:]) {
		text += own
	}
	return []splice{{c.inside, c.inside, text}}
}
