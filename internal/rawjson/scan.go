package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// maxDepth bounds how deep values may be nested.
const maxDepth = 1000

// Member is one member of an object: text[From:To] is its value, and
// text[KeyFrom:To] the whole of it.
type Member struct {
	Key               string
	KeyFrom, From, To int
}

// Span is a value in a text: text[From:To].
type Span struct{ From, To int }

// Members returns the members of the object that text is, in their order. The
// whole text is checked. Keys that occur twice are in the list twice.
func Members(text []byte) ([]Member, error) {
	var all []Member
	err := whole(text, '{', "an object", func(i int) (int, error) {
		m := Member{KeyFrom: i}
		end, err := skipString(text, i)
		if err != nil {
			return 0, err
		}
		if m.Key, err = unquote(text[i:end]); err != nil {
			return 0, err
		}
		i = skipSpace(text, end)
		if i >= len(text) || text[i] != ':' {
			return 0, wrong(text, i, "a colon")
		}
		m.From = skipSpace(text, i+1)
		if m.To, err = skip(text, m.From, 1); err != nil {
			return 0, err
		}
		all = append(all, m)
		return m.To, nil
	})
	return all, err
}

// Elements returns where the elements of the array that text is stand. The
// whole text is checked.
func Elements(text []byte) ([]Span, error) {
	var all []Span
	err := whole(text, '[', "an array", func(i int) (int, error) {
		end, err := skip(text, i, 1)
		if err == nil {
			all = append(all, Span{i, end})
		}
		return end, err
	})
	return all, err
}

// Find returns the value of a member of the object that text is; nil when there
// is none, or when text is no object.
func Find(text []byte, key string) []byte {
	members, err := Members(text)
	if err != nil {
		return nil
	}
	for _, m := range members {
		if m.Key == key {
			return text[m.From:m.To]
		}
	}
	return nil
}

// String returns the text of a JSON string, and whether it is one.
func String(text []byte) (string, bool) {
	if len(text) < 2 || text[0] != '"' {
		return "", false
	}
	s, err := unquote(text)
	return s, err == nil
}

// IsNull reports whether a value is null or absent.
func IsNull(text []byte) bool { return len(text) == 0 || string(text) == "null" }

// whole walks an object or array that is all of a text.
func whole(text []byte, open byte, what string, item func(i int) (int, error)) error {
	i := skipSpace(text, 0)
	if i >= len(text) || text[i] != open {
		return wrong(text, i, what)
	}
	end, err := list(text, i, item)
	if err != nil {
		return err
	}
	if end = skipSpace(text, end); end != len(text) {
		return wrong(text, end, "the end")
	}
	return nil
}

// list walks from the opening bracket at i to after the closing one.
func list(text []byte, i int, item func(i int) (int, error)) (int, error) {
	closing := text[i] + 2 // in ASCII, for both sorts
	i = skipSpace(text, i+1)
	if i < len(text) && text[i] == closing {
		return i + 1, nil
	}
	for {
		end, err := item(i)
		if err != nil {
			return 0, err
		}
		i = skipSpace(text, end)
		switch {
		case i < len(text) && text[i] == closing:
			return i + 1, nil
		case i >= len(text) || text[i] != ',':
			return 0, wrong(text, i, "a comma or "+string(closing))
		}
		i = skipSpace(text, i+1)
	}
}

// skip returns the end of the value that starts at i.
func skip(text []byte, i, depth int) (int, error) {
	if i >= len(text) {
		return 0, wrong(text, i, "a value")
	}
	if depth > maxDepth {
		return 0, fmt.Errorf("nested more than %d deep at byte %d", maxDepth, i)
	}
	switch text[i] {
	case '"':
		return skipString(text, i)
	case '{':
		return list(text, i, func(i int) (int, error) {
			end, err := skipString(text, i)
			if err != nil {
				return 0, err
			}
			if end = skipSpace(text, end); end >= len(text) || text[end] != ':' {
				return 0, wrong(text, end, "a colon")
			}
			return skip(text, skipSpace(text, end+1), depth+1)
		})
	case '[':
		return list(text, i, func(i int) (int, error) { return skip(text, i, depth+1) })
	}
	end := i
	for end < len(text) && !bytes.ContainsRune([]byte(" \t\r\n,]}:"), rune(text[end])) {
		end++
	}
	if !json.Valid(text[i:end]) {
		return 0, wrong(text, i, "a value")
	}
	return end, nil
}

// skipString returns the end of the string whose opening quote is at i.
func skipString(text []byte, i int) (int, error) {
	if i >= len(text) || text[i] != '"' {
		return 0, wrong(text, i, "a string")
	}
	for j := i + 1; j < len(text); j++ {
		switch c := text[j]; {
		case c == '"':
			return j + 1, nil
		case c < ' ':
			return 0, wrong(text, j, "no control character in a string")
		case c == '\\':
			n := escape(text[j+1:])
			if n == 0 {
				return 0, wrong(text, j, "an escape that there is")
			}
			j += n
		}
	}
	return 0, wrong(text, len(text), "the end of a string")
}

// escape returns how many bytes after a backslash belong to it, 0 when they
// make no escape.
func escape(after []byte) int {
	if len(after) == 0 {
		return 0
	}
	if bytes.IndexByte([]byte(`"\/bfnrt`), after[0]) >= 0 {
		return 1
	}
	if after[0] != 'u' || len(after) < 5 {
		return 0
	}
	for _, c := range after[1:5] {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return 0
		}
	}
	return 5
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// unquote decodes a string that is known to be one.
func unquote(text []byte) (string, error) {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1]), nil
	}
	var s string
	err := json.Unmarshal(text, &s)
	return s, err
}

func wrong(text []byte, i int, want string) error {
	if i >= len(text) {
		return fmt.Errorf("the text ends at byte %d where %s should stand", len(text), want)
	}
	return fmt.Errorf("%q at byte %d where %s should stand", text[i], i, want)
}
