package json5

import "fmt"

// Parse reads one JSON5 value and nothing after it but white space and comments.
// A byte order mark at the start is passed over.
//
// An error is of type Errors. A fault of grammar ends the reading and leaves no
// tree. A key that stands twice does not: then both the whole tree and the
// errors come back, so that a caller can look for more faults in one go.
func Parse(text []byte) (*Node, error) {
	p := &parser{scanner: scanner{src: string(text), at: Pos{Line: 1, Column: 1}}}
	root, err := p.document()
	if err != nil {
		return nil, append(p.twice, err)
	}
	if len(p.twice) > 0 {
		return root, p.twice
	}
	return root, nil
}

// Blank reports whether text holds nothing but white space and comments.
func Blank(text []byte) bool {
	s := scanner{src: string(text), at: Pos{Line: 1, Column: 1}}
	return s.skip() == nil && s.peek() == eof
}

type parser struct {
	scanner
	depth  int
	values int
	twice  Errors
}

func (p *parser) document() (*Node, *Error) {
	if err := p.skip(); err != nil {
		return nil, err
	}
	root, err := p.value()
	if err != nil {
		return nil, err
	}
	if err := p.skip(); err != nil {
		return nil, err
	}
	if p.peek() != eof {
		return nil, p.fault("the end of the file after the one value")
	}
	return root, nil
}

func (p *parser) value() (*Node, *Error) {
	if p.values++; p.values > MaxValues {
		return nil, &Error{Pos: p.at, Found: fmt.Sprintf("more than %d values", MaxValues), Expected: "a smaller file"}
	}
	n := &Node{Start: p.at}
	var err *Error
	switch r := p.peek(); {
	case r == '{':
		n.Kind = Object
		err = p.nested(n, p.object)
	case r == '[':
		n.Kind = Array
		err = p.nested(n, p.array)
	case r == '"', r == '\'':
		n.Kind = String
		n.Text, err = p.str()
	case isDigitRune(r), r == '+', r == '-', r == '.', p.word("Infinity"), p.word("NaN"):
		n.Kind = Number
		n.Number, err = p.number()
		n.Text = p.src[n.Start.Offset:p.at.Offset]
	case p.word("true"), p.word("false"):
		n.Kind, n.Bool = Bool, r == 't'
		p.ident()
	case p.word("null"):
		p.ident()
	case isIdentStart(r):
		err = p.fault("a value (text needs quotes)")
	default:
		err = p.fault("a value")
	}
	n.End = p.at
	return n, err
}

// word reports whether exactly this bare word stands at the position.
func (p *parser) word(w string) bool {
	end := p.at.Offset + len(w)
	if end > len(p.src) || p.src[p.at.Offset:end] != w {
		return false
	}
	r, _ := p.decode(end)
	return !isIdentPart(r) && r != '\\'
}

func (p *parser) nested(n *Node, read func(*Node) *Error) *Error {
	if p.depth++; p.depth > MaxDepth {
		return &Error{Pos: p.at, Found: fmt.Sprintf("more than %d levels of nesting", MaxDepth), Expected: "a flatter file"}
	}
	defer func() { p.depth-- }()
	return read(n)
}

func (p *parser) array(n *Node) *Error {
	return p.list(']', func() *Error {
		item, err := p.value()
		n.Items = append(n.Items, item)
		return err
	})
}

func (p *parser) object(n *Node) *Error {
	seen := map[string]Pos{}
	return p.list('}', func() *Error {
		m, err := p.member()
		if err != nil {
			return err
		}
		if first, ok := seen[m.Key]; ok {
			where := fmt.Sprintf("first in line %d and again in line %d", first.Line, m.KeyStart.Line)
			if first.Line == m.KeyStart.Line {
				where = fmt.Sprintf("both times in line %d", first.Line)
			}
			p.twice = append(p.twice, &Error{Pos: m.KeyStart, Found: fmt.Sprintf("the key %q stands twice, %s; keep one", m.Key, where)})
		} else {
			seen[m.Key] = m.KeyStart
		}
		n.Members = append(n.Members, m)
		return nil
	})
}

// list reads items with commas between them, and maybe one at the end, up to the closing bracket.
func (p *parser) list(closing rune, item func() *Error) *Error {
	open := p.at
	p.next()
	after := false // an item stands before the position, without a comma
	for {
		if err := p.skip(); err != nil {
			return err
		}
		switch r := p.peek(); {
		case r == closing:
			p.next()
			return nil
		case r == eof:
			return p.fault(fmt.Sprintf("%q, to close what was opened in line %d, column %d", string(closing), open.Line, open.Column))
		case after && r == ',':
			p.next()
			after = false
		case after:
			return p.fault(fmt.Sprintf(`"," or %q`, string(closing)))
		default:
			if err := item(); err != nil {
				return err
			}
			after = true
		}
	}
}

func (p *parser) member() (Member, *Error) {
	m := Member{KeyStart: p.at}
	var err *Error
	switch r := p.peek(); {
	case r == '"', r == '\'':
		m.Key, err = p.str()
	case isIdentStart(r), r == '\\':
		m.Key, err = p.ident()
	default:
		err = p.fault(`a key or "}"`)
	}
	if err != nil {
		return m, err
	}
	m.KeyEnd = p.at
	if err := p.skip(); err != nil {
		return m, err
	}
	if p.peek() != ':' {
		return m, p.fault(`":" after the key`)
	}
	p.next()
	if err := p.skip(); err != nil {
		return m, err
	}
	m.Value, err = p.value()
	return m, err
}
