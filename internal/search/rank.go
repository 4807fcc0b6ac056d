package search

import "slices"

// tally is what a tool has gathered.
type tally struct {
	score float64
	name  float64 // idf of the words of the request that its name has
}

// scratch is the working memory of one search, reused by later ones.
type scratch struct {
	tallies []tally   // by tool, zero between searches
	shares  []float64 // by tool, zero between searches
	touched []uint32  // the tools whose tally isn't zero
	heap    []scored
	// dense is true while touched is not kept because it will be most of the tools.
	dense bool
}

// scored is a tool with its final score.
type scored struct {
	doc   uint32
	score float64
}

// outcome is what a plan came to.
type outcome struct {
	best []scored
	// tops are the best scores of the parts of the request, top the best of the whole.
	tops [maxQueryParts]float64
	top  float64
	// low is the score that tools stay below which have no word of the request; 0 if none is needed.
	low float64
}

// Search returns at most limit tools for a request in words, best first; equal
// scores are ordered by id. It returns nil when limit is not positive or when
// no word of the request is of any use.
func (x *Index) Search(query string, limit int) []Hit {
	out := x.rank(x.plan(query), limit)
	if len(out.best) == 0 {
		return nil
	}
	hits := make([]Hit, len(out.best))
	for i, f := range out.best {
		hits[i] = Hit{Tool: x.tool(f.doc), Score: f.score}
	}
	return hits
}

// rank returns the best tools for a plan, best first.
func (x *Index) rank(p *plan, limit int) outcome {
	var out outcome
	limit = min(limit, x.total)
	if limit <= 0 || len(p.terms) == 0 && len(p.exact) == 0 {
		return out
	}
	s := x.scratch()
	defer x.pool.Put(s)
	if p.parts > 1 {
		x.sharesOf(s, p, &out)
	}
	x.gatherAll(s, p, allParts)
	direct := len(s.touched)
	for i := range p.terms[p.real:] {
		x.gather(s, &p.terms[p.real+i])
	}
	x.finish(s, p, direct, &out)
	out.best = x.best(s, limit)
	return out
}

// finish adds the bonuses that take more than the tally of one tool. The first
// direct of the touched tools have a word of the request.
func (x *Index) finish(s *scratch, p *plan, direct int, out *outcome) {
	alike := direct > 0 && direct < len(s.touched)
	if p.parts > 1 || alike || len(p.exact) > 0 {
		out.top = x.nameBonus(s)
	}
	if p.parts > 1 {
		for _, doc := range s.touched[:direct] {
			s.tallies[doc].score += partBonus(&x.tuning, s.shares[doc], out.top)
			s.shares[doc] = 0
		}
	}
	if alike {
		out.low = s.tallies[s.touched[0]].score
		for _, doc := range s.touched[:direct] {
			out.low = min(out.low, s.tallies[doc].score)
		}
		for _, doc := range s.touched[direct:] {
			s.tallies[doc].score += likenessLoss(s.tallies[doc].score, out.low)
		}
	}
	for _, e := range p.exact {
		s.touch(e.doc)
		s.tallies[e.doc].score += e.value
	}
}

// nameBonus rewards names that the request covers and returns the best score.
func (x *Index) nameBonus(s *scratch) float64 {
	top, weights := 0.0, x.nameWeight()
	for _, doc := range s.touched {
		t := &s.tallies[doc]
		*t = tally{score: x.covered(t, weights, doc)}
		top = max(top, t.score)
	}
	return top
}

// covered returns the score of a tool with what its name gains.
func (x *Index) covered(t *tally, weights []float32, doc uint32) float64 {
	if t.name == 0 {
		return t.score
	}
	return t.score + coverBonus(&x.tuning, t.name, weights[doc])
}

// coverBonus is what a name gains of which the request has words that weigh
// covered, out of whole for all its words.
func coverBonus(t *tuning, covered float64, whole float32) float64 {
	return t.name * covered * covered / float64(whole)
}

// partBonus is what a tool gains for its share of the best score of one part of the request.
func partBonus(t *tuning, share, top float64) float64 { return float64(t.part * share * top) }

// likenessLoss brings the score of a tool that has no word of the request, only
// similar ones, below low, the least score of the tools that have one.
func likenessLoss(score, low float64) float64 { return low*score/(1+score) - score }

// sharesOf notes for each tool the largest share that it has of the best score of a part.
func (x *Index) sharesOf(s *scratch, p *plan, out *outcome) {
	if s.shares == nil {
		s.shares = make([]float64, x.total)
	}
	for part := range p.parts {
		x.gatherAll(s, p, 1<<part)
		top := x.nameBonus(s)
		out.tops[part] = top
		for _, doc := range s.touched {
			s.shares[doc] = max(s.shares[doc], s.tallies[doc].score/top)
			s.tallies[doc] = tally{}
		}
		s.touched = s.touched[:0]
	}
}

// fieldTF is what one field gives to the tf of a term. The conversion keeps the
// product from being fused into a sum, so that every machine comes to the same score.
func (x *Index) fieldTF(p posting) float64 {
	return float64(float64(p.count) * x.factors[p.field][p.length])
}

// allParts stands for every part of a request.
const allParts = ^uint32(0)

// gatherAll adds what the terms of some parts give. When they touch a good part
// of all tools, listing these one by one costs more than looking at every tool afterwards.
func (x *Index) gatherAll(s *scratch, p *plan, parts uint32) {
	postings := 0
	for i := range p.terms[:p.real] {
		if t := &p.terms[i]; t.parts&parts != 0 {
			postings += t.postings
		}
	}
	s.dense = postings > x.total/4
	for i := range p.terms[:p.real] {
		if t := &p.terms[i]; t.parts&parts != 0 {
			x.gather(s, t)
		}
	}
	if !s.dense {
		return
	}
	s.dense = false
	s.touched = slices.Grow(s.touched[:0], len(s.tallies))[:len(s.tallies)]
	n := 0
	for doc := range s.tallies {
		s.touched[n] = uint32(doc) // kept only if the tool has a score, so that nothing branches
		if s.tallies[doc].score != 0 {
			n++
		}
	}
	s.touched = s.touched[:n]
}

// gather adds what one term gives to the tools that have it.
func (x *Index) gather(s *scratch, t *term) {
	if t.gain == 0 {
		return
	}
	k1, gain, listed := x.tuning.k1, t.gain, !s.dense
	nameGain := gain
	if t.match != MatchWord {
		nameGain = 0
	}
	for _, r := range t.runs {
		tallies := s.tallies[r.base:]
		for ps := r.postings; len(ps) > 0; {
			p := ps[0]
			to := &tallies[p.doc]
			tf := x.fieldTF(p)
			n := 1
			for n < len(ps) && ps[n].doc == p.doc {
				tf += x.fieldTF(ps[n])
				n++
			}
			ps = ps[n:]
			if listed && to.score == 0 {
				s.touched = append(s.touched, r.base+p.doc)
			}
			to.score += gain * tf / (k1 + tf)
			if p.field == FieldName {
				to.name += nameGain
			}
		}
	}
	for _, pair := range t.pairs {
		s.touch(pair.doc)
		s.tallies[pair.doc].score += t.gain * pair.tf / (k1 + pair.tf)
	}
}

func (s *scratch) touch(doc uint32) {
	if !s.dense && s.tallies[doc].score == 0 {
		s.touched = append(s.touched, doc)
	}
}

func (x *Index) scratch() *scratch {
	if s, ok := x.pool.Get().(*scratch); ok {
		return s
	}
	return &scratch{tallies: make([]tally, x.total)}
}
