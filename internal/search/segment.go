package search

import (
	"math"

	"github.com/toolcrib/toolcrib"
)

// maxText is how many bytes of one text are indexed. Longer ones are hostile or
// not meant to be read.
const maxText = 64 << 10

// posting says that a tool has a term in a field: how often (at most 255
// times), and the length code of that field of that tool. The postings of a
// term lie together, by tool and then by field.
type posting struct {
	doc    uint32
	field  Field
	count  uint8
	length uint8
}

// Segment is the immutable index of one owner's tools.
type Segment struct {
	tools []toolcrib.Tool
	// terms are the stems; starts[t] to starts[t+1] are the postings of term t,
	// spread[t] the number of tools that have it.
	terms    dict
	starts   []uint32
	spread   []uint32
	postings []posting
	// words are the words as they were written, stem[w] the term of word w and
	// letters[w] its letterSet.
	words   dict
	stem    []uint32
	letters []uint32
	// names holds the distinct terms of each tool's name: those of tool i end at nameEnds[i].
	names    []uint32
	nameEnds []uint32
	keys     []key
	// length and filled are the total length of each field and how many tools have it.
	length [fieldCount]uint64
	filled [fieldCount]uint64
}

// NewSegment indexes tools and keeps the slice, which must not change any
// more. Parameter schemas are indexed of tools whose TrustsInput is true and
// never of others: a server could otherwise stuff its schemas to win every search.
func NewSegment(tools []toolcrib.Tool) *Segment {
	b := newBuilder(tools)
	for i := range tools {
		b.tool(uint32(i), &tools[i])
	}
	return b.segment()
}

// Tools returns the tools that were indexed, in their order. Shared, not to be changed.
func (s *Segment) Tools() []toolcrib.Tool { return s.tools }

// lookup returns the number of a term.
func (s *Segment) lookup(term string, hash uint32) (uint32, bool) { return s.terms.find(term, hash) }

// run returns the postings of a term.
func (s *Segment) run(term uint32) []posting {
	return s.postings[s.starts[term]:s.starts[term+1]]
}

// nameTerms returns the distinct terms of a tool's name.
func (s *Segment) nameTerms(doc uint32) []uint32 {
	start := uint32(0)
	if doc > 0 {
		start = s.nameEnds[doc-1]
	}
	return s.names[start:s.nameEnds[doc]]
}

// size returns the bytes that the index takes besides the tools themselves.
func (s *Segment) size() int {
	return len(s.postings)*8 + len(s.keys)*8 +
		4*(len(s.starts)+len(s.spread)+len(s.stem)+len(s.letters)+len(s.names)+len(s.nameEnds)) +
		len(s.terms.text) + 4*(len(s.terms.ends)+len(s.terms.slots)) +
		len(s.words.text) + 4*(len(s.words.ends)+len(s.words.slots))
}

// letterSet has a bit for each Latin letter and digit class of a word, so that
// words which can't resemble each other are told apart without comparing them.
func letterSet(word string) uint32 {
	set := uint32(0)
	for i := range len(word) {
		switch c := word[i]; {
		case 'a' <= c && c <= 'z':
			set |= 1 << (c - 'a')
		case '0' <= c && c <= '9':
			set |= 1 << 26
		default:
			set |= 1 << (27 + c%5)
		}
	}
	return set
}

// idf returns the weight of a term that n of total tools have.
func idf(n, total int) float64 {
	return math.Log1p((float64(total-n) + .5) / (float64(n) + .5))
}
