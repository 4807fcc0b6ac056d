package glob

import (
	"errors"
	"strings"
)

// Pattern is a compiled pattern. Its zero value matches nothing.
type Pattern struct {
	text string
	star bool
	// first stands before the first star and last after the last one; without a
	// star first is all there is. middle is what stands between stars.
	first, last string
	middle      []string
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
	parts := strings.Split(Fold(text), "*")
	p := &Pattern{text: text, first: parts[0]}
	if end := len(parts) - 1; end > 0 {
		p.star, p.last, p.middle = true, parts[end], parts[1:end]
	}
	return p, nil
}

// String returns the pattern as it was written.
func (p *Pattern) String() string { return p.text }

// Exact reports whether the pattern has no "*".
func (p *Pattern) Exact() bool { return !p.star }

// Match reports whether s fits, whatever the case of its letters.
func (p *Pattern) Match(s string) bool { return p.MatchFolded(Fold(s)) }

// MatchFolded is Match for a text that Fold returned, so that a caller with
// many patterns folds once.
func (p *Pattern) MatchFolded(s string) bool {
	if !p.star {
		return p.text != "" && s == p.first
	}
	if len(s) < len(p.first)+len(p.last) || s[:len(p.first)] != p.first || s[len(s)-len(p.last):] != p.last {
		return false
	}
	s = s[len(p.first) : len(s)-len(p.last)]
	for _, part := range p.middle {
		_, rest, ok := strings.Cut(s, part)
		if !ok {
			return false
		}
		s = rest
	}
	return true
}
