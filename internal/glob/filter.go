package glob

import "fmt"

// Filter is an allow list and a deny list over names. Deny wins; an empty
// allow list allows every name. The zero Filter allows everything.
type Filter struct {
	allow, deny []*Pattern
}

// NewFilter compiles both lists. An empty pattern is an error that says which
// list it is in and where.
func NewFilter(allow, deny []string) (Filter, error) {
	var f Filter
	var err error
	if f.allow, err = compileAll("allow", allow); err != nil {
		return Filter{}, err
	}
	if f.deny, err = compileAll("deny", deny); err != nil {
		return Filter{}, err
	}
	return f, nil
}

func compileAll(list string, texts []string) ([]*Pattern, error) {
	patterns := make([]*Pattern, 0, len(texts))
	for i, text := range texts {
		p, err := Compile(text)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", list, i, err)
		}
		patterns = append(patterns, p)
	}
	return patterns, nil
}

// Allows reports whether name may pass.
func (f Filter) Allows(name string) bool {
	folded := Fold(name)
	return !anyMatch(f.deny, folded) && (len(f.allow) == 0 || anyMatch(f.allow, folded))
}

func anyMatch(patterns []*Pattern, folded string) bool {
	for _, p := range patterns {
		if p.MatchFolded(folded) {
			return true
		}
	}
	return false
}
