package rawjson

import "bytes"

// Node is a value in a text and, as deep as was asked for, what it holds.
type Node struct {
	// Key is that of a member, decoded; nil elsewhere.
	Key []byte
	// text[From:To] is the value, text[KeyFrom:To] the whole of a member.
	KeyFrom, From, To int
	// Kids are the members or elements, in their order.
	Kids []Node
}

// Outline returns the value that text is, with what it holds so many levels
// deep. The whole text is checked, once. Finding something in the outline costs
// nothing more, which counts where a text is large.
func Outline(text []byte, levels int) (Node, error) {
	o := outliner{text: text}
	n, err := o.value(skipSpace(text, 0), levels, 0)
	if err != nil {
		return Node{}, err
	}
	if end := skipSpace(text, n.To); end != len(text) {
		return Node{}, wrong(text, end, "the end")
	}
	return n, nil
}

// In returns the bytes of the value; nil for no node.
func (n *Node) In(text []byte) []byte {
	if n == nil {
		return nil
	}
	return text[n.From:n.To:n.To]
}

// Get returns the first member of that key, nil for none. A nil node has none.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Kids {
		if string(n.Kids[i].Key) == key {
			return &n.Kids[i]
		}
	}
	return nil
}

// String returns the text of a string, "" for any other value.
func (n *Node) String(text []byte) string {
	s, _ := String(n.In(text))
	return s
}

// Is reports whether the value begins with that byte, as objects do with '{'.
func (n *Node) Is(text []byte, first byte) bool { return n != nil && text[n.From] == first }

// outliner walks a text.
type outliner struct {
	text  []byte
	stack []Node // the kids of the values that are being walked
}

func (o *outliner) value(i, levels, depth int) (Node, error) {
	if levels == 0 || i >= len(o.text) || o.text[i] != '{' && o.text[i] != '[' {
		end, err := skip(o.text, i, depth)
		return Node{From: i, To: end}, err
	}
	base := len(o.stack)
	end, err := list(o.text, i, func(at int) (int, error) {
		kid, err := o.kid(at, o.text[i] == '{', levels, depth)
		o.stack = append(o.stack, kid)
		return kid.To, err
	})
	n := Node{From: i, To: end}
	if len(o.stack) > base {
		n.Kids = append(make([]Node, 0, len(o.stack)-base), o.stack[base:]...)
	}
	o.stack = o.stack[:base]
	return n, err
}

// kid is a member or an element.
func (o *outliner) kid(at int, member bool, levels, depth int) (Node, error) {
	from := at
	var key []byte
	if member {
		value, err := skipKey(o.text, at)
		if err != nil {
			return Node{}, err
		}
		end, _ := skipString(o.text, at)
		if key = o.text[at+1 : end-1]; bytes.IndexByte(key, '\\') >= 0 {
			decoded, err := unquote(o.text[at:end])
			if err != nil {
				return Node{}, err
			}
			key = []byte(decoded)
		}
		from = value
	}
	n, err := o.value(from, levels-1, depth+1)
	n.Key, n.KeyFrom = key, at
	return n, err
}

// Open returns the object that a node is, to be changed.
func (n *Node) Open(text []byte) *Object {
	o := &Object{text: text, gone: map[int]bool{}}
	for _, k := range n.Kids {
		o.members = append(o.members, Member{Key: string(k.Key), KeyFrom: k.KeyFrom, From: k.From, To: k.To})
	}
	return o
}
