package pin

import (
	"fmt"
	"unicode"
)

// hidden finds the first character of a text that a reader doesn't see and a model
// does, and says what it is; "" when there is none. Characters that writing and
// emoji need are no such ones where they are needed.
func hidden(text string) string {
	runes := []rune(text)
	for i, r := range runes {
		if r < 0x7f && r >= ' ' {
			continue
		}
		if what := concealed(r); what != "" && !needed(runes, i) {
			return fmt.Sprintf("%s U+%04X", what, r)
		}
	}
	return ""
}

// concealed says what kind of unseen character r is, "" for none.
func concealed(r rune) string {
	switch {
	case r == '\n' || r == '\r' || r == '\t':
		return ""
	case unicode.Is(unicode.Cc, r):
		return "control character"
	case r >= 0xE0000 && r <= 0xE007F:
		return "tag character"
	case r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF:
		return "variation selector"
	case r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0x061C:
		return "bidirectional control"
	case unicode.Is(unicode.Co, r):
		return "private-use character"
	case invisible(r):
		return "zero-width character"
	case unicode.Is(unicode.Cf, r) && !prefixed(r):
		return "format character"
	}
	return ""
}

// invisible reports whether r takes no room and is no format character of another kind.
func invisible(r rune) bool {
	switch r {
	case 0x200B, 0x200C, 0x200D, 0xFEFF, 0x00AD, 0x034F, 0x180E, 0x115F, 0x1160, 0x3164, 0xFFA0, 0x17B4, 0x17B5:
		return true
	}
	return r >= 0x2060 && r <= 0x2065 || r >= 0x180B && r <= 0x180F
}

// prefixed reports whether r is a format character that is seen, such as the Arabic
// number sign.
func prefixed(r rune) bool {
	return r >= 0x0600 && r <= 0x0605 || r == 0x06DD || r == 0x070F || r == 0x08E2 || r == 0x0890 || r == 0x0891 || r == 0x110BD || r == 0x110CD
}

// needed reports whether the character at i is part of how something visible is written.
func needed(runes []rune, i int) bool {
	r, before, after := runes[i], rune(0), rune(0)
	if i > 0 {
		before = runes[i-1]
	}
	if i+1 < len(runes) {
		after = runes[i+1]
	}
	switch {
	case r == 0xFE0F || r == 0xFE0E:
		return before > 0x7f && unicode.In(before, unicode.S, unicode.P) || after == 0x20E3
	case r >= 0xFE00 && r <= 0xFE0D:
		return unicode.Is(unicode.Sm, before)
	case r >= 0xE0100 && r <= 0xE01EF:
		return unicode.Is(unicode.Han, before)
	case r == 0x200D:
		return pictured(before) && pictured(after) || joining(before) || joining(after)
	case r == 0x200C:
		return joining(before) && joining(after)
	case r == 0x200E || r == 0x200F || r == 0x061C:
		return rightToLeft(runes)
	case r >= 0xE0020 && r <= 0xE007F:
		return flagTag(runes, i)
	}
	return false
}

// pictured reports whether r is part of an emoji.
func pictured(r rune) bool {
	return r == 0xFE0F || r >= 0x1F3FB && r <= 0x1F3FF || r > 0x7f && unicode.Is(unicode.So, r)
}

// joining reports whether r is of a script that is written with joiners.
func joining(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
		unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Mongolian, unicode.Syriac)
}

func rightToLeft(runes []rune) bool {
	for _, r := range runes {
		if unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko) {
			return true
		}
	}
	return false
}

// flagTag reports whether the tag at i is part of the flag of a region: a black flag
// and at most seven tags.
func flagTag(runes []rune, i int) bool {
	const most, black = 7, 0x1F3F4
	for back := 1; back <= most && i-back >= 0; back++ {
		if r := runes[i-back]; r == black {
			return true
		} else if r < 0xE0030 || r > 0xE007A {
			return false
		}
	}
	return false
}
