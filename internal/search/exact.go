package search

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib"
)

// key is one spelling by which a tool is found exactly.
type key struct {
	hash uint32
	doc  uint32
}

// How much an exact match adds. A score without one stays far below the least
// of them: at most maxTerms words of at most ln(2³³) each, thrice over.
const (
	exactID         = 400_000
	exactName       = 300_000
	sameName        = 200_000
	sameNameOfOwner = 100_000
)

// keys adds the spellings of a tool: its id, its name, and its name after its owner's.
func (b *builder) keys(doc uint32, t *toolcrib.Tool) {
	b.squashed = appendSquashed(b.squashed[:0], t.Name)
	b.s.keys = append(b.s.keys, key{hashOf(t.ID), doc}, key{hashBytes(b.squashed), doc})
	if t.Owner != "" {
		b.squashed = appendSquashed(appendSquashed(b.squashed[:0], t.Owner), t.Name)
		b.s.keys = append(b.s.keys, key{hashBytes(b.squashed), doc})
	}
}

// squash folds a name and leaves out all but letters, marks and digits, so that
// createEvent, create_event and "Create event" are one. A name that has none is
// kept as it is.
func squash(name string) string { return string(appendSquashed(nil, name)) }

func appendSquashed(dst []byte, name string) []byte {
	start := len(dst)
	dst = appendFolded(dst, name)
	kept := dst[:start]
	for folded := dst[start:]; len(folded) > 0; {
		r, size := utf8.DecodeRune(folded)
		if class(r) != classNone || r >= utf8.RuneSelf && unicode.IsNumber(r) {
			kept = append(kept, folded[:size]...)
		}
		folded = folded[size:]
	}
	if len(kept) == start {
		kept = append(kept, name...)
	}
	return kept
}

// withKey calls visit for each tool that may have the key.
func (s *Segment) withKey(hash uint32, visit func(doc uint32)) {
	at := sort.Search(len(s.keys), func(i int) bool { return s.keys[i].hash >= hash })
	for ; at < len(s.keys) && s.keys[at].hash == hash; at++ {
		visit(s.keys[at].doc)
	}
}

// exactFor returns how much a tool gains for a name that is the request, and
// how; squashed is squash(request).
func exactFor(t *toolcrib.Tool, request, squashed string) (float64, string) {
	switch {
	case t.ID == request: // counted already
	case t.Name == request:
		return exactName, "exact name"
	case squash(t.Name) == squashed:
		return sameName, "same name"
	case t.Owner != "" && squash(t.Owner)+squash(t.Name) == squashed:
		return sameNameOfOwner, "same owner and name"
	}
	return 0, ""
}

// exact is a tool that the request names.
type exact struct {
	doc    uint32 // in the index
	value  float64
	reason string
}

// exacts returns the tools that the request names, each once.
func (x *Index) exacts(request string) []exact {
	if request == "" || len(request) > maxExact {
		return nil
	}
	squashed := squash(request)
	var found []exact
	for i, s := range x.segments {
		s.withKey(hashOf(request), func(doc uint32) {
			if s.tools[doc].ID == request {
				found = append(found, exact{x.bases[i] + doc, exactID, "exact id"})
			}
		})
		last := noDoc
		s.withKey(hashOf(squashed), func(doc uint32) {
			value, reason := exactFor(&s.tools[doc], request, squashed)
			if value > 0 && doc != last {
				found = append(found, exact{x.bases[i] + doc, value, reason})
			}
			last = doc
		})
	}
	return found
}

const noDoc = ^uint32(0)

// maxExact is the longest request in bytes that is tried as an id or a name.
const maxExact = 1024
