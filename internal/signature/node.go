package signature

import (
	"strings"
	"unicode/utf8"
)

type form int

const (
	atom   form = iota // text, as it is written
	object             // { members }
	list               // Array<parts[0]>
	record             // Record<string, parts[0]>
	tuple              // [parts...]; open: the last part repeats
	union              // parts | parts
)

// node is a type. Atoms may be shared; nothing else is.
type node struct {
	form    form
	text    string
	literal bool // an atom that is a JSON literal
	members []member
	parts   []*node
	open    bool
}

// member is a property. Its label is the name as written, with "?" if optional.
type member struct {
	label    string
	required bool
	node     *node
}

const (
	separator = "; "
	rest      = "..."
)

// String writes the type.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	switch n.form {
	case atom:
		b.WriteString(n.text)
	case object:
		n.writeObject(b)
	case list:
		n.writeParts(b, "Array<", "", ">")
	case record:
		n.writeParts(b, "Record<string, ", "", ">")
	case tuple:
		n.writeTuple(b)
	case union:
		n.writeParts(b, "", " | ", "")
	}
}

func (n *node) writeObject(b *strings.Builder) {
	if len(n.members) == 0 && !n.open {
		b.WriteString("{}")
		return
	}
	b.WriteString("{ ")
	for i, m := range n.members {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(m.label)
		b.WriteString(": ")
		m.node.write(b)
	}
	if n.open {
		if len(n.members) > 0 {
			b.WriteString(separator)
		}
		b.WriteString(rest)
	}
	b.WriteString(" }")
}

func (n *node) writeParts(b *strings.Builder, open, between, end string) {
	b.WriteString(open)
	for i, part := range n.parts {
		if i > 0 {
			b.WriteString(between)
		}
		part.write(b)
	}
	b.WriteString(end)
}

func (n *node) writeTuple(b *strings.Builder) {
	b.WriteString("[")
	for i, part := range n.parts {
		if i > 0 {
			b.WriteString(", ")
		}
		repeats := n.open && i == len(n.parts)-1
		if repeats {
			b.WriteString("...Array<")
		}
		part.write(b)
		if repeats {
			b.WriteString(">")
		}
	}
	b.WriteString("]")
}

// size is the number of characters that String writes.
func (n *node) size() int {
	switch n.form {
	case atom:
		return utf8.RuneCountInString(n.text)
	case object:
		return n.objectSize()
	}
	total := 0
	for _, part := range n.parts {
		total += part.size()
	}
	switch n.form {
	case list:
		return total + len("Array<>")
	case record:
		return total + len("Record<string, >")
	case tuple:
		total += len("[]") + len(", ")*max(0, len(n.parts)-1)
		if n.open {
			total += len("...Array<>")
		}
		return total
	}
	return total + len(" | ")*(len(n.parts)-1)
}

func (n *node) objectSize() int {
	total := 0
	for _, m := range n.members {
		total += m.size()
	}
	return total + frame(len(n.members), n.open)
}

// frame is the number of characters of an object around its members.
func frame(members int, open bool) int {
	switch {
	case members > 0 && open:
		return len("{  }") + len(separator)*members + len(rest)
	case members > 0:
		return len("{  }") + len(separator)*(members-1)
	case open:
		return len("{ ... }")
	}
	return len("{}")
}

func (m member) size() int { return utf8.RuneCountInString(m.label) + len(": ") + m.node.size() }
