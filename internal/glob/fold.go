package glob

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold returns s in the one case in which patterns compare texts: ASCII
// letters become lower case, another letter becomes the first of those that
// Unicode's simple case folding holds equal to it, ASCII ones left out. Bytes
// that are not UTF-8 stay as they are.
func Fold(s string) string {
	upper := false
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return foldWide(s)
		}
		upper = upper || 'A' <= c && c <= 'Z'
	}
	if !upper {
		return s
	}
	return strings.ToLower(s)
}

// foldWide is Fold for a text that is not all ASCII.
func foldWide(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && size == 1 {
			b.WriteByte(s[at])
		} else {
			b.WriteRune(foldRune(r))
		}
		at += size
	}
	return b.String()
}

func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		if other >= utf8.RuneSelf && other < least {
			least = other
		}
	}
	return least
}
