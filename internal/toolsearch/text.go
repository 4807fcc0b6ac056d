package toolsearch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// safe strips what could hide or reorder text in a prompt: control characters
// but newline and tab, bidirectional marks, zero-width and other invisible
// characters. Bytes that are not UTF-8 become U+FFFD.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && hidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// hidden reports whether a character shows nothing of itself in a text.
func hidden(r rune) bool {
	if r < 0x7f {
		return r < ' '
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
}

// fold makes one line of a text and cuts it to at most n characters, at a word
// if there is one near the end, with "…" as the last one.
func fold(s string, n int) string {
	s = head(s, n)
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	cut := cutRunes(s, n-1)
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)*3/4 {
		cut = cut[:at]
	}
	return strings.TrimRight(strings.TrimSuffix(cut, " …"), " ,;:.") + "…"
}

// head returns the start of a long text: enough for n characters and the white
// space between them, so that a huge text costs no more than a long one.
func head(s string, n int) string {
	if len(s) <= 8*n {
		return s
	}
	return strings.ToValidUTF8(s[:8*n], "") + " …"
}

// cutRunes returns the first n characters.
func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// armour writes characters that show nothing of themselves as JSON escapes.
// They can only stand inside of strings, so that the value stays the same.
func armour(text []byte) []byte {
	if !needsArmour(text) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r < utf8.RuneSelf:
			out = append(out, text[i])
		case r == utf8.RuneError && size == 1:
			out = append(out, `\ufffd`...)
		case hidden(r):
			out = appendEscape(out, r)
		default:
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return out
}

func needsArmour(text []byte) bool {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r >= utf8.RuneSelf && (hidden(r) || (r == utf8.RuneError && size == 1)) {
			return true
		}
		i += size
	}
	return false
}

// appendEscape adds \uXXXX, as a pair of surrogates where it takes two.
func appendEscape(out []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		out = appendEscape(out, 0xd800+(r>>10))
		return appendEscape(out, 0xdc00+(r&0x3ff))
	}
	const hex = "0123456789abcdef"
	return append(out, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
