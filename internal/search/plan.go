package search

import (
	"slices"
	"strings"
)

// Bounds of a request. What goes beyond them is not looked at.
const (
	maxQuery = 16 << 10 // bytes
	maxTerms = 128
	rareWord = 8  // a word of no more tools than this is looked up as two as well
	maxLiked = 16 // unknown words for which similar ones are sought
)

// Match says how a word of the request came to stand for a term of the index.
type Match string

// The ways to match.
const (
	MatchWord   Match = "word"   // the word itself, or another form of it
	MatchJoined Match = "joined" // two words of the request written as one: web page, webpage
	MatchSplit  Match = "split"  // one word of the request written as two: webpage, web page
	MatchPrefix Match = "prefix" // a word of the catalog that begins with the word
	MatchTypo   Match = "typo"   // a word of the catalog that differs by a letter or two
)

// run is the postings of a term in one segment.
type run struct {
	base     uint32
	postings []posting
}

// term is one term that the request is looked up by.
type term struct {
	word   string // as requested
	text   string // as indexed
	match  Match
	idf    float64
	weight float64 // of the way it matches
	gain   float64 // idf × weight
	parts  uint32  // bit i: belongs to part i of the request
	runs   []run
	pairs  []paired // for MatchSplit, in place of runs
	// postings is how many there are in runs.
	postings int
}

// like reports whether a term that matches so only resembles the word of the request.
func like(m Match) bool { return m == MatchPrefix || m == MatchTypo }

// plan is a request, analysed against one index.
type plan struct {
	// terms are looked up in this order; those from real on only resemble words of the request.
	terms []term
	real  int
	parts int
	exact []exact
}

// want is a word of the request before it is looked up.
type want struct {
	word  string
	marks tokenMark
	term  string // its stem
	part  int
	skip  bool
	weak  bool // a part of a word that the index knows whole
}

func (w *want) has(m tokenMark) bool { return w.marks&m != 0 }

// planner turns a request into a plan.
type planner struct {
	x    *Index
	plan plan
}

// plan analyses a request. The plan is empty when nothing of it is in the index.
func (x *Index) plan(query string) *plan {
	query = strings.TrimSpace(query)
	p := planner{x: x}
	p.plan.exact = x.exacts(query)
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	wants := wantsOf(query)
	x.weaken(wants)
	p.plan.parts = markParts(wants)
	var unknown []*want
	for i := range wants {
		if w := &wants[i]; !p.want(wants, i) {
			unknown = append(unknown, w)
		}
	}
	p.plan.real = len(p.plan.terms)
	p.likes(unknown)
	return &p.plan
}

// wantsOf returns the words of a request, in order.
func wantsOf(query string) []want {
	var scan scanner
	scan.scan(query)
	wants := make([]want, 0, len(scan.tokens))
	for i, t := range scan.tokens {
		if len(wants) >= 4*maxTerms {
			break
		}
		wants = append(wants, want{word: string(scan.text(t)), marks: t.marks})
		if joined, ok := scan.pair(i); ok {
			wants = append(wants, want{word: joined, marks: markPiece})
		}
	}
	skipWords(wants)
	return wants
}

// skipWords leaves out stop words, and the polite wrapping of a request unless
// nothing else is left.
func skipWords(wants []want) {
	rest := false
	for i := range wants {
		word := []byte(wants[i].word)
		wants[i].skip = stops.has(word)
		rest = rest || !wants[i].skip && !requests.has(word)
	}
	for i := range wants {
		wants[i].skip = wants[i].skip || rest && requests.has([]byte(wants[i].word))
	}
}

// weaken marks the parts of words such as GitHub that the index knows whole.
func (x *Index) weaken(wants []want) {
	for i := range wants {
		if !wants[i].has(markWhole) || x.count(x.stem(wants[i].word, false)) == 0 {
			continue
		}
		for left, j := len(wants[i].word), i-1; j >= 0 && left > 0; j-- {
			wants[j].weak = true
			if !wants[j].has(markPiece) {
				left -= len(wants[j].word)
			}
		}
	}
}

// want looks up one word of the request and reports whether that is done with.
func (p *planner) want(wants []want, i int) bool {
	w := &wants[i]
	if !w.skip {
		w.term = p.x.stem(w.word, w.has(markGram))
	}
	if i > 0 && !w.has(markGap|markGram|markWhole|markPiece) {
		p.joined(&wants[i-1], w)
	}
	if w.skip {
		return true
	}
	weight := 1.0
	if w.weak {
		weight = p.x.tuning.weak
	}
	n := p.find(term{word: w.word, text: w.term, match: MatchWord, parts: 1 << w.part}, weight)
	if n <= rareWord && !w.has(markGram) && p.split(w) {
		return true
	}
	return n > 0 || w.has(markWhole|markPiece)
}

// joined looks up two neighbouring words as one.
func (p *planner) joined(a, b *want) {
	if a.skip || b.skip || a.weak || a.has(markGram|markWhole|markPiece) {
		return
	}
	whole, base := a.word+b.word, a.word+b.term
	for _, word := range [...]string{whole, base, strings.TrimSuffix(base, "e")} {
		if text, ok := p.x.termOf(word); ok {
			p.find(term{word: a.word + " " + b.word, text: text, match: MatchJoined, parts: 1 << b.part}, p.x.tuning.joined)
			return
		}
	}
}

// split looks up a word as two.
func (p *planner) split(w *want) bool {
	a, b, ok := p.x.halves(w.word)
	if !ok {
		return false
	}
	t := term{word: w.word, text: a + " " + b, match: MatchSplit, parts: 1 << w.part, pairs: p.x.pairs(a, b)}
	if len(t.pairs) == 0 {
		return false
	}
	t.idf = idf(len(t.pairs), p.x.total)
	p.add(t, p.x.tuning.split)
	return true
}

// find adds a term if it is in the index and returns how many tools have it.
func (p *planner) find(t term, weight float64) int {
	n, hash := 0, hashOf(t.text)
	for i, s := range p.x.segments {
		if id, ok := s.lookup(t.text, hash); ok {
			t.runs = append(t.runs, run{p.x.bases[i], s.run(id)})
			t.postings += len(s.run(id))
			n += int(s.spread[id])
		}
	}
	if n > 0 {
		t.idf = idf(n, p.x.total)
		p.add(t, weight)
	}
	return n
}

// add adds a term, or the part that it belongs to if the term is there already.
func (p *planner) add(t term, weight float64) {
	same := func(o term) bool { return o.text == t.text }
	if i := slices.IndexFunc(p.plan.terms, same); i >= 0 {
		p.plan.terms[i].parts |= t.parts
		return
	}
	if len(p.plan.terms) < maxTerms {
		t.weight, t.gain = weight, t.idf*weight
		p.plan.terms = append(p.plan.terms, t)
	}
}

// likes looks up words that resemble those which the index does not know. Beside
// words that it does know they weigh less than the most common of these.
func (p *planner) likes(unknown []*want) {
	most := -1.0
	for i := range p.plan.terms {
		if t := &p.plan.terms[i]; most < 0 || t.idf < most {
			most = t.idf
		}
	}
	for _, w := range unknown[:min(len(unknown), maxLiked)] {
		for _, l := range p.x.likes(w.word, w.has(markGram)) {
			match := MatchPrefix
			if l.typos > 0 {
				match = MatchTypo
			}
			weight := p.x.tuning.like
			if rare := idf(l.n, p.x.total); most >= 0 && rare > most {
				weight *= most / rare
			}
			p.find(term{word: w.word, text: l.text, match: match, parts: 1 << w.part}, weight)
		}
	}
}
