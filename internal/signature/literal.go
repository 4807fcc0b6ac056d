package signature

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// literals returns the union of JSON literals, or of their types when there are
// too many, one is too long, or one is an object or array.
func (b *builder) literals(values iter.Seq[value]) *node {
	var shown, bases []*node
	wide := false
	for v := range values {
		literal, base := b.literal(v)
		bases = distinct(append(bases, base))
		if literal == nil || len(shown) > b.bounds.Literals {
			wide = true
			continue
		}
		shown = append(shown, literal)
	}
	if !wide {
		return b.join(shown)
	}
	b.complete = false
	return b.join(bases)
}

// literal returns the literal of a scalar, nil when it can't be shown, and its type.
func (b *builder) literal(v value) (literal, base *node) {
	var text string
	switch v.kind() {
	case '"':
		text, base = quote(v.text()), newAtom("string")
	case 't', 'f':
		text, base = string(v), newAtom("boolean")
	case 'n':
		text, base = string(v), newAtom("null")
	case '{':
		return nil, &node{form: object, open: true}
	case '[':
		return nil, b.anyArray()
	default:
		text, base = string(v), newAtom("number")
	}
	if len(text) > 6*b.bounds.LiteralChars || utf8.RuneCountInString(text) > b.bounds.LiteralChars {
		return nil, base
	}
	if !json.Valid([]byte(text)) {
		return nil, b.unknown()
	}
	return &node{text: text, literal: true}, base
}

// widen puts the type of each literal in its place.
func widen(parts []*node) []*node {
	wide := make([]*node, len(parts))
	for i, part := range parts {
		wide[i] = part
		if part.literal {
			wide[i] = newAtom(literalType(part.text))
		}
	}
	return wide
}

func literalType(text string) string {
	switch text[0] {
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// label returns a property's name as a key: quoted unless it is an ASCII identifier.
func label(name string) string {
	for i, r := range name {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '$'
		if !letter && (i == 0 || r < '0' || '9' < r) {
			return quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// quote writes s as a JSON string in which every character can be seen: what
// has no glyph of its own, such as control, bidirectional and zero-width
// characters, is written as \u escapes.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case visible(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func visible(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}
