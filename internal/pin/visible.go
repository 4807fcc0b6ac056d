package pin

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible is a text with every character that can't be seen written out, so that a
// person who reads it sees all that a model would. Lines stay lines.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteRune(r)
		case r == '\r' || r == '\t' || r == ' ' || r > ' ' && r < 0x7f:
			if r == '\r' {
				b.WriteString(`\r`)
				continue
			}
			b.WriteRune(r)
		case concealed(r) != "" || !unicode.IsPrint(r) && !unicode.IsSpace(r) || r == 0x2028 || r == 0x2029:
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Excerpt is the beginning of a visible text on one line, of at most n characters.
func Excerpt(text string, n int) string {
	text = strings.Join(strings.Fields(Visible(text)), " ")
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n]) + "…"
}
