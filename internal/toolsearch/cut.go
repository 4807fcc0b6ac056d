package toolsearch

import "unicode/utf8"

// cutEncoded returns the longest start of s, whole characters, whose JSON takes
// at most room bytes without its quotes.
func cutEncoded(s string, room int) string {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if room -= encodedSize(r, size); room < 0 {
			return s[:i]
		}
		i += size
	}
	return s
}

// encodedLen is what a text takes in JSON without its quotes.
func encodedLen(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if c := s[i]; c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			n++
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n += encodedSize(r, size)
		i += size
	}
	return n
}

// encodedSize is what one character takes in JSON as encode writes it.
func encodedSize(r rune, size int) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t', r == '\b', r == '\f':
		return 2
	case r < 0x20, r == '\u2028', r == '\u2029', r == utf8.RuneError && size == 1:
		return 6
	}
	return size
}
