package glob

import (
	"errors"
	"strings"
)

// Pattern is a compiled pattern. Its zero value matches nothing.
type Pattern struct {
	text  string
	parts []string // folded text between the stars; one part: no star
}

// ErrEmpty is returned for a pattern without a single character.
var ErrEmpty = errors.New("empty pattern")

// Compile reads a pattern. White space around it is dropped; ErrEmpty is the
// only error.
func Compile(text string) (*Pattern, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, ErrEmpty
	}
	return &Pattern{text: text, parts: strings.Split(Fold(text), "*")}, nil
}

// String returns the pattern as it was written.
func (p *Pattern) String() string { return p.text }

// Exact reports whether the pattern has no "*".
func (p *Pattern) Exact() bool { return len(p.parts) == 1 }

// Match reports whether s fits, whatever the case of its letters.
func (p *Pattern) Match(s string) bool { return p.MatchFolded(Fold(s)) }

// MatchFolded is Match for a text that Fold returned, so that a caller with
// many patterns folds once.
func (p *Pattern) MatchFolded(s string) bool {
	switch len(p.parts) {
	case 0:
		return false
	case 1:
		return s == p.parts[0]
	}
	first, last := p.parts[0], p.parts[len(p.parts)-1]
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range p.parts[1 : len(p.parts)-1] {
		_, rest, ok := strings.Cut(s, part)
		if !ok {
			return false
		}
		s = rest
	}
	return true
}
