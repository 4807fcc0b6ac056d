package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// isASCII reports whether s holds ASCII alone.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendFolded appends word without case and without the marks that people
// leave out when they type. Bytes that are not UTF-8 become U+FFFD.
func appendFolded(dst []byte, word string) []byte {
	if !isASCII(word) {
		return append(dst, foldWide(word)...)
	}
	for i := range len(word) {
		c := word[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// foldWide folds a word that has letters beyond ASCII.
func foldWide(word string) string {
	decomposed := norm.NFD.String(cases.Fold().String(norm.NFKC.String(word)))
	var b strings.Builder
	base := rune(0)
	for _, r := range decomposed {
		if unicode.Is(unicode.Mn, r) {
			if !optionalMark(base, r) {
				b.WriteRune(r)
			}
			continue
		}
		base = r
		if plain, ok := plainLetter(r); ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// optionalMark reports whether a mark over base may be left out: accents of
// Latin and Greek, stress and diaeresis of Cyrillic, vowel signs of Arabic and
// Hebrew. The signs of other scripts are letters in their own right.
func optionalMark(base, mark rune) bool {
	switch {
	case base == 0:
		return false
	case base < 0x0370, unicode.Is(unicode.Latin, base), unicode.Is(unicode.Greek, base):
		return true
	case unicode.Is(unicode.Cyrillic, base):
		return mark == 0x0301 || mark == 0x0308
	}
	return unicode.In(base, unicode.Arabic, unicode.Hebrew)
}

// plainLetter spells letters that have no decomposition in plain ones.
func plainLetter(r rune) (string, bool) {
	switch r {
	case 'ø':
		return "o", true
	case 'ł':
		return "l", true
	case 'đ', 'ð':
		return "d", true
	case 'þ':
		return "th", true
	case 'æ':
		return "ae", true
	case 'œ':
		return "oe", true
	case 'ı':
		return "i", true
	case 'ـ': // Arabic tatweel only stretches the line.
		return "", true
	}
	return "", false
}
