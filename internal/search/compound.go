package search

// minHalf is the least number of letters of each half of a word that is split.
const minHalf = 3

// paired is a tool that has both halves of a split word.
type paired struct {
	doc uint32 // in the index
	tf  float64
}

// halves splits a word into the terms of two words that the index knows, so
// that "webpage" finds "web pages". Of several ways it takes the one whose
// rarer half is the most common.
func (x *Index) halves(word string) (a, b string, ok bool) {
	best := 0
	for i := minHalf; i+minHalf <= len(word); i++ {
		first, known := x.termOf(word[:i])
		if !known {
			continue
		}
		second, known := x.termOf(word[i:])
		if !known || first == second {
			continue
		}
		if least := min(x.count(first), x.count(second)); least > best {
			a, b, best, ok = first, second, least, true
		}
	}
	return a, b, ok
}

// termOf returns the term of a word that is written somewhere in the catalog,
// or that is a term itself. It saves working out stems.
func (x *Index) termOf(word string) (string, bool) {
	hash := hashOf(word)
	for _, s := range x.segments {
		if w, ok := s.words.find(word, hash); ok {
			return s.terms.word(s.stem[w]), true
		}
	}
	for _, s := range x.segments {
		if _, ok := s.lookup(word, hash); ok {
			return word, true
		}
	}
	return "", false
}

// stem returns the term of a word of the request.
func (x *Index) stem(word string, gram bool) string {
	if gram {
		return word
	}
	hash := hashOf(word)
	for _, s := range x.segments {
		if w, ok := s.words.find(word, hash); ok {
			return s.terms.word(s.stem[w])
		}
	}
	return stem(word)
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
		tf += x.fieldTF(ps[i])
	}
	return tf, ps[i:]
}
