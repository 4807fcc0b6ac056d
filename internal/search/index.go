package search

import (
	"sync"

	"github.com/toolcrib/toolcrib"
)

// Index is an immutable union of segments. It is safe for any number of
// searches at once.
type Index struct {
	segments []*Segment
	bases    []uint32 // number of the first tool of each segment
	total    int
	tuning   tuning
	// factors[f][code] is weight(f) over the length normalisation of a field of that length.
	factors [fieldCount][256]float64
	// nameWeights is computed by the first search that needs it.
	nameOnce    sync.Once
	nameWeights []float32
	pool        sync.Pool // of *scratch
}

// Hit is one tool that was found.
type Hit struct {
	Tool  *toolcrib.Tool
	Score float64
}

// Join unites segments. It adds up what they counted, field by field, and does
// not touch a posting: the time it takes depends on the number of segments
// alone. How many tools of all have a word is added up by each search for its
// own words; the weights of the names are worked out by the first search.
func Join(segments ...*Segment) *Index { return join(&tuned, segments) }

func join(t *tuning, segments []*Segment) *Index {
	x := &Index{segments: make([]*Segment, 0, len(segments)), tuning: *t}
	var length, filled [fieldCount]uint64
	for _, s := range segments {
		if len(s.tools) == 0 {
			continue
		}
		x.segments = append(x.segments, s)
		x.bases = append(x.bases, uint32(x.total))
		x.total += len(s.tools)
		for f := range fieldCount {
			length[f] += s.length[f]
			filled[f] += s.filled[f]
		}
	}
	for f := range fieldCount {
		mean := float64(length[f]) / max(1, float64(filled[f]))
		for code := range x.factors[f] {
			norm := 1 - t.b[f] + t.b[f]*float64(lengthen(uint8(code)))/max(1, mean)
			x.factors[f][code] = t.weight[f] / norm
		}
	}
	return x
}

// Len returns the number of tools.
func (x *Index) Len() int { return x.total }

// tool returns the tool with a number.
func (x *Index) tool(doc uint32) *toolcrib.Tool {
	i := x.segmentOf(doc)
	return &x.segments[i].tools[doc-x.bases[i]]
}

// segmentOf returns the place of the segment that holds a tool.
func (x *Index) segmentOf(doc uint32) int {
	lo, hi := 0, len(x.bases)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; x.bases[mid] <= doc {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// nameWeight returns the sum of the idf of the distinct terms of each tool's name.
func (x *Index) nameWeight() []float32 {
	x.nameOnce.Do(func() {
		x.nameWeights = make([]float32, 0, x.total)
		known := map[string]float64{}
		for _, s := range x.segments {
			local := make([]float64, s.terms.len())
			for doc := range s.tools {
				sum := 0.0
				for _, term := range s.nameTerms(uint32(doc)) {
					if local[term] == 0 {
						local[term] = x.joinedIDF(s.terms.word(term), known)
					}
					sum += local[term]
				}
				x.nameWeights = append(x.nameWeights, float32(sum))
			}
		}
	})
	return x.nameWeights
}

// joinedIDF returns the idf of a term over all segments.
func (x *Index) joinedIDF(term string, known map[string]float64) float64 {
	if v, ok := known[term]; ok {
		return v
	}
	n, hash := 0, hashOf(term)
	for _, s := range x.segments {
		if t, ok := s.lookup(term, hash); ok {
			n += int(s.spread[t])
		}
	}
	known[term] = idf(n, x.total)
	return known[term]
}
