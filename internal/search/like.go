package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxLikes is how many words of the catalog may stand for an unknown one.
	maxLikes = 5
	// minPrefix is the shortest word that is completed, in letters. One letter
	// of a script without blanks is enough.
	minPrefix = 3
)

// likeness is a word of the catalog that resembles an unknown one.
type likeness struct {
	text  string // the term
	typos int    // 0 for a longer word that begins with it
	first bool   // the first letter is the same
	n     int    // tools that have the word
}

// typosIn returns how many slips of the pen a word of n letters may have.
func typosIn(n int) int {
	switch {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// likes returns the terms of the catalog that a word which is not in it may
// stand for, most likely first: words that begin with it, then words that differ
// by little. Words with two slips count only where there are no better ones.
func (x *Index) likes(word string, gram bool) []likeness {
	n := utf8.RuneCountInString(word)
	if gram && n > 1 || !gram && n < minPrefix || strings.ContainsAny(word, "0123456789") {
		return nil
	}
	found := map[string]likeness{}
	for _, s := range x.segments {
		s.likes(word, typosIn(n), func(term uint32, l likeness) {
			l.text = s.terms.word(term)
			if old, ok := found[l.text]; !ok || compareLikeness(l, old) < 0 {
				found[l.text] = l
			}
		})
	}
	list := make([]likeness, 0, len(found))
	for text, l := range found {
		l.n = x.count(text)
		list = append(list, l)
	}
	slices.SortFunc(list, compareLikeness)
	for i, l := range list {
		if i == maxLikes || l.typos > 1 && list[0].typos < l.typos {
			return list[:i]
		}
	}
	return list
}

func compareLikeness(a, b likeness) int {
	first := func(l likeness) int {
		if l.first {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.typos, b.typos), cmp.Compare(first(a), first(b)), cmp.Compare(b.n, a.n), strings.Compare(a.text, b.text))
}

// likes calls visit for each word of the segment that resembles word.
func (s *Segment) likes(word string, typos int, visit func(term uint32, l likeness)) {
	set := letterSet(word)
	for i, letters := range s.letters {
		begins, near := set&^letters == 0, typos > 0 && bits.OnesCount32(set^letters) <= 2*typos
		if !begins && !near {
			continue
		}
		other := s.words.word(uint32(i))
		switch {
		case begins && len(other) > len(word) && strings.HasPrefix(other, word):
			visit(s.stem[i], likeness{first: true})
		case near:
			if d := distance(word, other, typos); d <= typos {
				visit(s.stem[i], likeness{typos: d, first: word[0] == other[0]})
			}
		}
	}
}

// count returns how many tools have a term.
func (x *Index) count(term string) int {
	n, hash := 0, hashOf(term)
	for _, s := range x.segments {
		if t, ok := s.lookup(term, hash); ok {
			n += int(s.spread[t])
		}
	}
	return n
}

// maxCompared is how many letters of a word are compared with those of another.
const maxCompared = 96

// distance returns the Damerau-Levenshtein distance (optimal string alignment:
// letters left out, added, changed, or two neighbours swapped) of two words, or
// limit+1 when it is above limit or a word is longer than maxCompared.
func distance(a, b string, limit int) int {
	var ra, rb [maxCompared]rune
	x, y := runesOf(a, &ra), runesOf(b, &rb)
	if x == nil || y == nil || len(x)-len(y) > limit || len(y)-len(x) > limit {
		return limit + 1
	}
	var rows [3][maxCompared + 1]int16
	before, last, row := rows[0][:len(y)+1], rows[1][:len(y)+1], rows[2][:len(y)+1]
	for j := range last {
		last[j] = int16(j)
	}
	for i := 1; i <= len(x); i++ {
		row[0] = int16(i)
		least := row[0]
		for j := 1; j <= len(y); j++ {
			change := last[j-1]
			if x[i-1] != y[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if int(least) > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(int(last[len(y)]), limit+1)
}

// runesOf writes the letters of s into an array; nil when they don't fit.
func runesOf(s string, into *[maxCompared]rune) []rune {
	n := 0
	for _, r := range s {
		if n == len(into) {
			return nil
		}
		into[n] = r
		n++
	}
	return into[:n]
}
