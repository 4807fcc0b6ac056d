package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a request. What goes beyond them is not looked at.
const (
	maxQuery = 16 << 10 // bytes
	maxTerms = 128
	maxPart  = 16
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

// paired is a tool that has both halves of a split word.
type paired struct {
	doc uint32
	tf  float64
}

// term is one term that the request is looked up by.
type term struct {
	word   string // as requested
	text   string // as indexed
	match  Match
	weight float64
	idf    float64
	parts  uint32 // bit i: belongs to part i of the request
	runs   []run
	pairs  []paired // for MatchSplit, in place of runs
}

// like reports whether the term only resembles the word of the request.
func (t *term) like() bool { return t.match == MatchPrefix || t.match == MatchTypo }

// plan is a request, analysed against one index.
type plan struct {
	terms []term
	parts int
	exact []exact
}

// want is a word of the request before it is looked up.
type want struct {
	word string
	gram bool
	part int
	gap  bool // the word before isn't its neighbour
	skip bool
}

// planner turns a request into a plan.
type planner struct {
	x    *Index
	scan scanner
	plan plan
}

// plan analyses a request. The plan has no terms when nothing of it is in the index.
func (x *Index) plan(query string) *plan {
	query = strings.TrimSpace(query)
	p := planner{x: x}
	p.plan.exact = x.exacts(query)
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	wants := p.wants(query)
	for i := range wants {
		p.want(wants, i)
	}
	return &p.plan
}

// wants returns the words of a request, in order.
func (p *planner) wants(query string) []want {
	p.scan.scan(query)
	wants := make([]want, 0, len(p.scan.tokens))
	for i, t := range p.scan.tokens {
		if len(wants) >= 2*maxTerms {
			break
		}
		word := string(p.scan.text(t))
		wants = append(wants, want{word: word, gram: t.has(markGram), gap: t.has(markGap)})
		if i > 0 {
			if joined, ok := p.scan.pair(p.scan.tokens[i-1], t); ok {
				wants = append(wants, want{word: joined, gap: true})
			}
		}
	}
	p.plan.parts = markParts(wants, p.scan.tokens)
	return dropRequestWords(wants)
}

func markParts(wants []want, tokens []token) int { return 1 }

// dropRequestWords leaves out stop words, and the polite wrapping of a request
// unless nothing else is left.
func dropRequestWords(wants []want) []want {
	rest := false
	for i := range wants {
		word := []byte(wants[i].word)
		wants[i].skip = stops.has(word)
		rest = rest || !wants[i].skip && !requests.has(word)
	}
	if rest {
		for i := range wants {
			wants[i].skip = wants[i].skip || requests.has([]byte(wants[i].word))
		}
	}
	return wants
}

// want looks up one word of the request.
func (p *planner) want(wants []want, i int) {
	w := &wants[i]
	if i > 0 && !w.gap && !w.gram {
		p.joined(wants[i-1].word+w.word, w.part)
	}
	if w.skip {
		return
	}
	text := w.word
	if !w.gram {
		text = stem(w.word)
	}
	if p.add(term{word: w.word, text: text, match: MatchWord, weight: 1, parts: 1 << w.part}) {
		return
	}
	if !w.gram && p.split(w) {
		return
	}
}

// joined looks up two neighbouring words as one.
func (p *planner) joined(word string, part int) {
	if len(word) < 4 || !utf8.ValidString(word) {
		return
	}
	p.add(term{word: word, text: stem(word), match: MatchJoined, weight: p.x.tuning.joined, parts: 1 << part})
}

func (p *planner) split(w *want) bool { return false }

// add adds a term if it is in the index and reports whether it is.
func (p *planner) add(t term) bool {
	if i := slices.IndexFunc(p.plan.terms, func(o term) bool { return o.text == t.text && o.match != MatchSplit }); i >= 0 {
		p.plan.terms[i].parts |= t.parts
		return true
	}
	if len(p.plan.terms) >= maxTerms {
		return true
	}
	n, hash := 0, hashOf(t.text)
	for i, s := range p.x.segments {
		if id, ok := s.lookup(t.text, hash); ok {
			t.runs = append(t.runs, run{p.x.bases[i], s.run(id)})
			n += int(s.spread[id])
		}
	}
	if n == 0 {
		return false
	}
	t.idf = idf(n, p.x.total)
	p.plan.terms = append(p.plan.terms, t)
	return true
}
