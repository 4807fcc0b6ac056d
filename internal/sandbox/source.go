package sandbox

import (
	"regexp"
	"strings"
)

var (
	fenceOpen  = regexp.MustCompile("^[ \t]*(```|~~~)[A-Za-z]*[ \t]*$")
	fenceClose = regexp.MustCompile("^[ \t]*(```|~~~)[ \t]*$")
)

// Plain takes away what isn't JavaScript around a script's code: the fences
// of a Markdown block and a byte order mark. Lines keep their numbers.
func Plain(code string) string {
	code = strings.TrimPrefix(code, "\ufeff")
	lines := strings.Split(code, "\n")
	first, last := -1, -1
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	if first < 0 || first == last || !fenceOpen.MatchString(strings.TrimRight(lines[first], "\r")) {
		return code
	}
	lines[first] = ""
	if fenceClose.MatchString(strings.TrimRight(lines[last], "\r")) {
		lines[last] = ""
	}
	return strings.Join(lines, "\n")
}

// Bare is the code without the semicolons at its end, so that it can be read
// as one expression.
func Bare(code string) string {
	return strings.TrimRight(code, "; \t\r\n")
}
