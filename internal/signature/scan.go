package signature

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// value is one JSON value, read in place: nothing in it is decoded before it is
// asked for. Text that isn't JSON yields fewer members, never a panic.
type value []byte

// kind returns the first byte of the value: '{', '[', '"', 't', 'f', 'n', a
// digit or '-', and 0 when there is none.
func (v value) kind() byte {
	if len(v) == 0 {
		return 0
	}
	return v[0]
}

// members yields the members of an object in their order. Names come decoded.
func (v value) members() iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		if v.kind() != '{' {
			return
		}
		at := skipSpace(v, 1)
		for at < len(v) && v[at] == '"' {
			end := skipString(v, at)
			if end < 0 {
				return
			}
			name := v[at:end]
			at = skipSpace(v, end)
			if at >= len(v) || v[at] != ':' {
				return
			}
			at = skipSpace(v, at+1)
			end = skipValue(v, at)
			if end < 0 || !yield(name.text(), v[at:end]) {
				return
			}
			at = skipComma(v, end)
		}
	}
}

// elements yields the elements of an array.
func (v value) elements() iter.Seq[value] {
	return func(yield func(value) bool) {
		if v.kind() != '[' {
			return
		}
		at := skipSpace(v, 1)
		for at < len(v) && v[at] != ']' {
			end := skipValue(v, at)
			if end < 0 || !yield(v[at:end]) {
				return
			}
			at = skipComma(v, end)
		}
	}
}

// text returns a string's characters, "" for anything else.
func (v value) text() string {
	if v.kind() != '"' || len(v) < 2 {
		return ""
	}
	if inner := v[1 : len(v)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// is reports whether the value is the literal true, false or null given.
func (v value) is(literal string) bool { return string(v) == literal }

// empty reports whether the value is an object or array without content.
func (v value) empty() bool {
	return len(v) >= 2 && (v[0] == '{' || v[0] == '[') && skipSpace(v, 1) == len(v)-1
}

func skipSpace(v value, at int) int {
	for at < len(v) && (v[at] == ' ' || v[at] == '\t' || v[at] == '\n' || v[at] == '\r') {
		at++
	}
	return at
}

// skipComma returns where the next member or element starts after one that
// ended at at; len(v) when there is none.
func skipComma(v value, at int) int {
	at = skipSpace(v, at)
	if at >= len(v) || v[at] != ',' {
		return len(v)
	}
	return skipSpace(v, at+1)
}

// skipValue returns the end of the value that starts at at, -1 when it has none.
func skipValue(v value, at int) int {
	if at >= len(v) {
		return -1
	}
	switch v[at] {
	case '"':
		return skipString(v, at)
	case '{', '[':
		return skipNested(v, at)
	}
	end := at
	for end < len(v) && !endsScalar(v[end]) {
		end++
	}
	if end == at {
		return -1
	}
	return end
}

func endsScalar(c byte) bool {
	switch c {
	case ',', ':', ']', '}', '[', '{', '"', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

func skipNested(v value, at int) int {
	for depth := 0; at < len(v); at++ {
		switch v[at] {
		case '"':
			if at = skipString(v, at) - 1; at < 0 {
				return -1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return -1
}

func skipString(v value, at int) int {
	for at++; at < len(v); at++ {
		switch v[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return -1
}
