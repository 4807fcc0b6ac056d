package hook

import (
	"strings"
	"unicode"
)

// Bounds of what is told of a hook.
const (
	maxReason = 500  // characters, to a model
	maxLogged = 2000 // characters, to the log
	maxLines  = 5    // of stderr, to a model
)

// clean is a foreign text on one line, without secrets and without characters
// that nobody sees.
func (r *Runner) clean(text string) string {
	return strings.Join(strings.Fields(visible(r.redact(text))), " ")
}

// visible drops control characters, but those that part words, and the invisible
// ones that format text.
func visible(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case unicode.IsControl(c), unicode.Is(unicode.Cf, c), c == unicode.ReplacementChar:
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, ""))
}

// told is why an outcome is what it is, as a model is told it: the first lines of
// what the hook says, or what is wrong with it.
func (r *Runner) told(o outcome) string {
	if o.fault != "" {
		return cut(r.clean(o.fault), maxReason)
	}
	return cut(r.clean(firstLines(r.redact(o.reason))), maxReason)
}

// firstLines are the first lines of a text that say something.
func firstLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
		if len(lines) == maxLines {
			break
		}
	}
	return strings.Join(lines, "\n")
}

// cut shortens a text to so many characters.
func cut(text string, characters int) string {
	n := 0
	for i := range text {
		if n++; n > characters {
			runes := []rune(text[:i])
			return string(runes[:characters-1]) + "…"
		}
	}
	return text
}
