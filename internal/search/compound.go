package search

// minHalf is the least number of letters of each half of a word that is split.
const minHalf = 3

// paired is a tool that has both halves of a split word.
type paired struct {
	doc uint32 // in the index
	tf  float64
}

// halves splits a word into two that the index knows, so that "webpage" finds
// "web pages". Of several ways it takes the one whose rarer half is rarest.
func (x *Index) halves(word string) (a, b string, ok bool) {
	best := 0
	for i := minHalf; i+minHalf <= len(word); i++ {
		first, second := word[:i], word[i:]
		if stops.has([]byte(first)) || stops.has([]byte(second)) || !x.written(first) {
			continue
		}
		first, second = stem(first), stem(second)
		n, m := x.count(first), x.count(second)
		if m == 0 || first == second {
			continue
		}
		if least := min(n, m); !ok || least < best {
			a, b, best, ok = first, second, least, true
		}
	}
	return a, b, ok
}

// written reports whether any tool has the word, in this or in its plain form.
func (x *Index) written(word string) bool {
	hash := hashOf(word)
	for _, s := range x.segments {
		if _, ok := s.words.find(word, hash); ok {
			return true
		}
	}
	return x.count(stem(word)) > 0
}

// pairs returns the tools that have both terms, with the lesser of their weighted counts.
func (x *Index) pairs(a, b string) []paired {
	var out []paired
	first, second := hashOf(a), hashOf(b)
	for i, s := range x.segments {
		m, ok := s.lookup(a, first)
		n, also := s.lookup(b, second)
		if !ok || !also {
			continue
		}
		left, right := s.run(m), s.run(n)
		for len(left) > 0 && len(right) > 0 {
			switch l, r := left[0].doc, right[0].doc; {
			case l < r:
				left = left[1:]
			case l > r:
				right = right[1:]
			default:
				var tl, tr float64
				tl, left = x.take(left)
				tr, right = x.take(right)
				out = append(out, paired{x.bases[i] + l, min(tl, tr)})
			}
		}
	}
	return out
}

// take returns the weighted count of the first tool of a run, and the rest of the run.
func (x *Index) take(ps []posting) (float64, []posting) {
	tf, i := 0.0, 0
	for ; i < len(ps) && ps[i].doc == ps[0].doc; i++ {
		tf += float64(ps[i].count) * x.factors[ps[i].field][ps[i].length]
	}
	return tf, ps[i:]
}
