package pin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// node is one JSON value. Other than a map it keeps keys that stand twice: which
// of them counts is up to the reader, so a change of either is one.
type node struct {
	kind    byte // 'o', 'a', 's' for a text, 'v' for another value, 0 for none
	text    string
	members []member
	items   []node
}

type member struct {
	key string
	val node
}

// parse reads one JSON value; ok is false for anything else.
func parse(raw json.RawMessage) (n node, ok bool) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return node{}, true
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	n, err := value(d)
	if err != nil {
		return node{}, false
	}
	if _, err = d.Token(); !errors.Is(err, io.EOF) {
		return node{}, false
	}
	return n, true
}

func value(d *json.Decoder) (node, error) {
	t, err := d.Token()
	if err != nil {
		return node{}, err
	}
	switch v := t.(type) {
	case json.Delim:
		if v == '{' {
			return object(d)
		}
		return array(d)
	case string:
		return node{kind: 's', text: v}, nil
	case json.Number:
		return node{kind: 'v', text: v.String()}, nil
	case bool:
		if v {
			return node{kind: 'v', text: "true"}, nil
		}
		return node{kind: 'v', text: "false"}, nil
	}
	return node{kind: 'v', text: "null"}, nil
}

func object(d *json.Decoder) (node, error) {
	n := node{kind: 'o'}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return n, err
		}
		name, _ := key.(string)
		val, err := value(d)
		if err != nil {
			return n, err
		}
		n.members = append(n.members, member{name, val})
	}
	_, err := d.Token()
	slices.SortStableFunc(n.members, func(a, b member) int { return cmp.Compare(a.key, b.key) })
	return n, err
}

func array(d *json.Decoder) (node, error) {
	n := node{kind: 'a'}
	for d.More() {
		item, err := value(d)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
	}
	_, err := d.Token()
	return n, err
}

// write appends the canonical form: sorted keys, no white space.
func (n node) write(b *strings.Builder) {
	switch n.kind {
	case 'o':
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote(m.key))
			b.WriteByte(':')
			m.val.write(b)
		}
		b.WriteByte('}')
	case 'a':
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case 's':
		b.WriteString(quote(n.text))
	default:
		b.WriteString(n.text)
	}
}

func (n node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

// quote writes a text as JSON, in one way only.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // texts always can be
	return strings.TrimSuffix(b.String(), "\n")
}

// texts yields every text of a value, keys too, with its place below at.
func (n node) texts(at string, yield func(at, text string)) {
	switch n.kind {
	case 's':
		yield(at, n.text)
	case 'o':
		for _, m := range n.members {
			below := step(at, m.key)
			yield(below, m.key)
			m.val.texts(below, yield)
		}
	case 'a':
		for _, item := range n.items {
			item.texts(at+"[]", yield)
		}
	}
}

// step names a member in a place.
func step(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}
