package json5

import "strings"

// Layout says how a text is laid out. The zero Layout writes everything on one
// line, with quotes around keys.
type Layout struct {
	// Indent is what one level is set in by, in spaces and tabs.
	Indent string
	// Newline is "\n", "\r\n" or "\r".
	Newline string
	// Quote is what strings and keys stand in: '"' or '\''. 0 is '"'.
	Quote byte
	// KeyQuote is that of keys; 0 is as Quote.
	KeyQuote byte
	// BareKeys leaves the quotes away where a key needs none.
	BareKeys bool
	// Colon stands between key and value; "" is ": ".
	Colon string
	// TrailingComma puts a comma behind the last of several lines.
	TrailingComma bool
	// Strict makes the outcome plain JSON, whatever the fields above say.
	Strict bool
}

// survey counts what a text does.
type survey struct {
	bare, quoted, single, double, commas, noCommas int

	indent, colon string
}

// detect finds out how the text is laid out. What it doesn't say is as in a new
// file: two spaces, double quotes, bare keys, a comma behind the last line; or
// plain JSON when strict. A text that doesn't parse says nothing but its line ends.
func (d *document) detect() Layout {
	var s survey
	if d.root != nil {
		d.look(d.root, &s)
	}
	l := Layout{Indent: "  ", Newline: newlineOf(d.src), Quote: '"', Colon: ": ", Strict: d.style.Strict}
	if s.indent != "" {
		l.Indent = s.indent
	}
	if s.colon != "" {
		l.Colon = s.colon
	}
	if l.Strict {
		return l
	}
	if s.single > s.double {
		l.Quote = '\''
	}
	l.BareKeys = s.bare >= s.quoted
	l.TrailingComma = s.commas > s.noCommas || s.commas+s.noCommas == 0
	return l
}

// look counts in n and all that is below it.
func (d *document) look(n *Node, s *survey) {
	if n.Kind == String {
		s.quote(d.src[n.Start.Offset])
	}
	if n.Kind != Array && n.Kind != Object {
		return
	}
	c := d.container(n)
	if last := len(c.parts) - 1; last >= 0 && d.onOwnLine(c, last) {
		d.lookAtLines(c, s)
	}
	for _, m := range n.Members {
		if first := d.src[m.KeyStart.Offset]; first == '"' || first == '\'' {
			s.quoted++
			s.quote(first)
		} else {
			s.bare++
		}
		if colon := d.src[m.KeyEnd.Offset:m.Value.Start.Offset]; s.colon == "" && plainColon(colon) {
			s.colon = colon
		}
		d.look(m.Value, s)
	}
	for _, item := range n.Items {
		d.look(item, s)
	}
}

func (d *document) lookAtLines(c container, s *survey) {
	last := c.parts[len(c.parts)-1]
	if last.comma >= 0 {
		s.commas++
	} else {
		s.noCommas++
	}
	if unit, ok := strings.CutPrefix(d.indentAt(last.start), d.indentAt(c.inside-1)); ok && s.indent == "" {
		s.indent = unit
	}
}

func (s *survey) quote(q byte) {
	if q == '\'' {
		s.single++
	} else {
		s.double++
	}
}

// plainColon reports whether s is a colon with at most spaces and tabs around it.
func plainColon(s string) bool { return strings.Trim(s, " \t") == ":" }

// likeSiblings is w for keys that stand beside those of c.
func (d *document) likeSiblings(c container, w writer) writer {
	if len(c.node.Members) == 0 {
		return w
	}
	w.BareKeys = false
	for _, m := range c.node.Members {
		if first := d.src[m.KeyStart.Offset]; first == '"' || first == '\'' {
			w.KeyQuote = first
		} else {
			w.BareKeys = true
		}
		if colon := d.src[m.KeyEnd.Offset:m.Value.Start.Offset]; plainColon(colon) {
			w.Colon = colon
		}
	}
	return w
}
