package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib"
)

const (
	// maxReference is the longest reference in bytes that suggestions are sought for.
	maxReference = 256
	// minLikeness is the least share of equal letters that makes a suggestion.
	minLikeness = .6
)

// suggestion is a tool with how likely it is meant, from 0 to 1.
type suggestion struct {
	id     string
	likely float64
}

// Suggest returns up to n ids that an unknown reference, an id or a name,
// probably means, likeliest first: tools whose name differs by few letters, and
// tools whose name has most of its words. It returns nil when nothing is near.
func (x *Index) Suggest(name string, n int) []string {
	name = strings.TrimSpace(name)
	if n <= 0 || name == "" || len(name) > maxReference {
		return nil
	}
	var list []suggestion
	owner, name := splitReference(name)
	bare, whole := squash(name), squash(owner+name)
	add := func(t *toolcrib.Tool, least float64) {
		likely := likeShare(bare, squash(t.Name))
		if owner != "" {
			likely = .7*likely + .3*likeShare(whole, squash(t.Owner+t.Name))
		}
		if likely = max(likely, least); likely >= minLikeness {
			list = append(list, suggestion{t.ID, likely})
		}
	}
	for _, s := range x.segments {
		for i := range s.tools {
			add(&s.tools[i], 0)
		}
	}
	for i, h := range x.Search(name, n) {
		add(h.Tool, minLikeness+.1/float64(i+1))
	}
	return bestSuggestions(list, n)
}

func bestSuggestions(list []suggestion, n int) []string {
	slices.SortFunc(list, func(a, b suggestion) int {
		return cmp.Or(cmp.Compare(b.likely, a.likely), strings.Compare(a.id, b.id))
	})
	var ids []string
	for _, s := range list {
		if len(ids) < n && !slices.Contains(ids, s.id) {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// splitReference returns the owner, if any, and the name of an id, of OWNER__NAME and the like.
func splitReference(ref string) (owner, name string) {
	if _, owner, name, err := toolcrib.ParseID(ref); err == nil {
		return owner, name
	}
	for _, sep := range [...]string{"__", ":", "/", "."} {
		if owner, name, ok := strings.Cut(ref, sep); ok && owner != "" && name != "" {
			return owner, name
		}
	}
	return "", ref
}

// likeShare returns the share of letters that need no change to turn a into b,
// 0 when it is below minLikeness.
func likeShare(a, b string) float64 {
	longest := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	limit := longest * 2 / 5
	d := distance(a, b, limit)
	if longest == 0 || d > limit {
		return 0
	}
	return 1 - float64(d)/float64(longest)
}
