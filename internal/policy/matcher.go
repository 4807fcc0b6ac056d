package policy

import (
	"fmt"
	"iter"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// Matcher says whether a tool fits one of some patterns, each read in every way
// in which it can be read, as in a deny list: it is for rules that hold a tool
// back. It is immutable and safe for concurrent use. The zero Matcher fits none.
type Matcher struct {
	name     string
	patterns []pattern
}

// NewMatcher compiles patterns. An error of KindConfig says which is none; name
// is where they stand, such as "tools.approvals[0].match".
func NewMatcher(name string, texts []string) (Matcher, error) {
	m := Matcher{name: name, patterns: make([]pattern, 0, len(texts))}
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

// Unmatched returns the patterns that match none of the tools, each as
// `NAME "PATTERN"`; the well-known groups are never named.
func (m Matcher) Unmatched(tools iter.Seq[*toolcrib.Tool]) []string {
	open := slices.DeleteFunc(slices.Clone(m.patterns), func(p pattern) bool { return (&rule{pattern: p}).knownGroup() })
	for t := range tools {
		s := subjectOf(t)
		open = slices.DeleteFunc(open, func(p pattern) bool { return p.match(&s) })
		if len(open) == 0 {
			return nil
		}
	}
	texts := make([]string, len(open))
	for i, p := range open {
		texts[i] = fmt.Sprintf("%s %q", m.name, p.text)
	}
	return texts
}
