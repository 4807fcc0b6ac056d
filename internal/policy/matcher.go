package policy

import (
	"fmt"

	"github.com/toolcrib/toolcrib"
)

// Matcher says whether a tool fits one of some patterns, each read in every way
// in which it can be read, as in a deny list: it is for rules that hold a tool
// back. It is immutable and safe for concurrent use. The zero Matcher fits none.
type Matcher struct{ patterns []pattern }

// NewMatcher compiles patterns. An error of KindConfig says which is none; name
// is where they stand, such as "tools.approvals[0].match".
func NewMatcher(name string, texts []string) (Matcher, error) {
	m := Matcher{patterns: make([]pattern, 0, len(texts))}
	for i, text := range texts {
		compiled, err := compile(text, true)
		if err != nil {
			return Matcher{}, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("%s[%d]: %q is not a pattern: %v", name, i, text, err),
				`write a name, an id, a glob such as "github__*", or a group such as "group:mcp"`).WithCause(err)
		}
		m.patterns = append(m.patterns, compiled)
	}
	return m, nil
}

// Match reports whether t fits.
func (m Matcher) Match(t *toolcrib.Tool) bool {
	s := subjectOf(t)
	for i := range m.patterns {
		if m.patterns[i].match(&s) {
			return true
		}
	}
	return false
}
