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
		if m.From, err = skipKey(text, i); err != nil {
			return 0, err
		}
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

// skip returns the end of the value that starts at i. The value may be nested as
// deep as maxDepth allows below depth.
func skip(text []byte, i, depth int) (int, error) {
	if end, err := begin(text, i); err != nil || text[i] != '{' && text[i] != '[' {
		return end, err
	}
	return skipNested(text, i, depth)
}

func skipNested(text []byte, i, depth int) (int, error) {
	var open [maxDepth + 1]byte // the brackets that stand open, by depth
	for base := depth; ; {
		end, err := begin(text, i)
		if err != nil {
			return 0, err
		}
		if c := text[i]; c == '{' || c == '[' {
			if depth++; depth > maxDepth {
				return 0, fmt.Errorf("nested more than %d deep at byte %d", maxDepth, i)
			}
			open[depth] = c
			if i = skipSpace(text, end); i < len(text) && text[i] == c+2 {
				end = i + 1
				depth--
			} else if c == '{' {
				if i, err = skipKey(text, i); err != nil {
					return 0, err
				}
				continue
			} else {
				continue
			}
		}
		if i, depth, err = closeAll(text, end, open[:], depth, base); err != nil || depth == base {
			return i, err
		}
	}
}

// closeAll walks from the end of a value over the brackets that close after it,
// to where the next value begins, or the outermost one ends: depth is base then.
func closeAll(text []byte, end int, open []byte, depth, base int) (int, int, error) {
	for depth > base {
		i := skipSpace(text, end)
		switch {
		case i < len(text) && text[i] == open[depth]+2:
			end = i + 1
			depth--
			continue
		case i >= len(text) || text[i] != ',':
			return 0, depth, wrong(text, i, "a comma or "+string(open[depth]+2))
		}
		i = skipSpace(text, i+1)
		if open[depth] == '[' {
			return i, depth, nil
		}
		i, err := skipKey(text, i)
		return i, depth, err
	}
	return end, depth, nil
}

// begin returns the end of a plain value, or of the bracket that opens one.
func begin(text []byte, i int) (int, error) {
	if i >= len(text) {
		return 0, wrong(text, i, "a value")
	}
	switch c := text[i]; c {
	case '"':
		return skipString(text, i)
	case '{', '[':
		return i + 1, nil
	}
	end := i
	for end < len(text) && plain[text[end]] {
		end++
	}
	if !json.Valid(text[i:end]) {
		return 0, wrong(text, i, "a value")
	}
	return end, nil
}

// skipKey walks over a key and its colon to where its value begins.
func skipKey(text []byte, i int) (int, error) {
	end, err := skipString(text, i)
	if err != nil {
		return 0, err
	}
	if end = skipSpace(text, end); end >= len(text) || text[end] != ':' {
		return 0, wrong(text, end, "a colon")
	}
	return skipSpace(text, end+1), nil
}

// plain are the bytes of numbers, true, false and null; inString those that mean
// nothing but themselves in a string.
var plain, inString = tables()

func tables() (plain, inString [256]bool) {
	for _, c := range []byte("+-.0123456789abcdefghijklmnopqrstuvwxyzE") {
		plain[c] = true
	}
	for c := range inString {
		inString[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return plain, inString
}

// skipString returns the end of the string whose opening quote is at i.
func skipString(text []byte, i int) (int, error) {
	if i >= len(text) || text[i] != '"' {
		return 0, wrong(text, i, "a string")
	}
	for j := i + 1; j < len(text); j++ {
		for j < len(text) && inString[text[j]] {
			j++
		}
		if j == len(text) {
			break
		}
		switch c := text[j]; {
		case c == '"':
			return j + 1, nil
		case c < ' ':
			return 0, wrong(text, j, "no control character in a string")
		}
		n := escape(text[j+1:])
		if n == 0 {
			return 0, wrong(text, j, "an escape that there is")
		}
		j += n
	}
	return 0, wrong(text, len(text), "the end of a string")
}

// escape returns how many bytes after a backslash belong to it, 0 when they
// make no escape.
func escape(after []byte) int {
	if len(after) == 0 {
		return 0
	}
	switch after[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		if len(after) >= 5 && isHex(after[1]) && isHex(after[2]) && isHex(after[3]) && isHex(after[4]) {
			return 5
		}
	}
	return 0
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

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
