package search

import "sort"

// Explanation says how the score of one hit came about. Score is the sum of
// the values of Terms and then of Bonuses, added in that order.
type Explanation struct {
	ID      string      `json:"id"`
	Score   float64     `json:"score"`
	Terms   []TermScore `json:"terms"`
	Bonuses []Bonus     `json:"bonuses,omitempty"`
}

// TermScore is what one term gave: IDF × Weight × TF / (k1 + TF).
type TermScore struct {
	// Word is the word as requested, Term as it is indexed, Match how one came to stand for the other.
	Word  string `json:"word"`
	Term  string `json:"term"`
	Match Match  `json:"match"`
	// IDF is the rarity of the term, Weight that of the way it matches.
	IDF    float64 `json:"idf"`
	Weight float64 `json:"weight"`
	// TF is the sum of the fields' values. A word that is found as two has no fields of its own.
	TF     float64      `json:"tf"`
	Fields []FieldScore `json:"fields,omitempty"`
	Value  float64      `json:"value"`
}

// FieldScore is what one field gave to the TF of a term: Count times the
// weight of the field, over its normalised length.
type FieldScore struct {
	Field Field `json:"field"`
	Count int   `json:"count"`
	// Length is that of the field, in words; to within a thirty-second part above 31.
	Length int     `json:"length"`
	Value  float64 `json:"value"`
}

// Bonus is a part of the score that no single term gave; it may be negative.
type Bonus struct {
	Reason string  `json:"reason"`
	Value  float64 `json:"value"`
}

// Explain returns the account of each hit that Search returns for the same request.
func (x *Index) Explain(query string, limit int) []Explanation {
	p := x.plan(query)
	out := x.rank(p, limit)
	var list []Explanation
	for _, hit := range out.best {
		list = append(list, x.explain(p, &out, hit.doc))
	}
	return list
}

// explain adds up the score of one tool again, in the order in which rank does.
func (x *Index) explain(p *plan, out *outcome, doc uint32) Explanation {
	e := Explanation{ID: x.tool(doc).ID, Terms: []TermScore{}}
	covered := 0.0
	for i := range p.terms {
		t := &p.terms[i]
		ts, ok := x.explainTerm(t, doc)
		if !ok {
			continue
		}
		e.Terms = append(e.Terms, ts)
		e.Score += ts.Value
		covered += t.covers(ts.Fields)
	}
	if covered > 0 {
		e.add("words of the request in the name", coverBonus(&x.tuning, covered, x.nameWeight()[doc]))
	}
	direct := len(e.Terms) > 0 && !like(e.Terms[0].Match)
	if p.parts > 1 && direct {
		e.add("best part of the request", partBonus(&x.tuning, x.share(p, out, doc), out.top))
	}
	if out.low > 0 && len(e.Terms) > 0 && !direct {
		e.add("no word of the request, only similar ones", likenessLoss(e.Score, out.low))
	}
	for _, named := range p.exact {
		if named.doc == doc {
			e.add(named.reason, named.value)
		}
	}
	return e
}

func (e *Explanation) add(reason string, value float64) {
	e.Bonuses = append(e.Bonuses, Bonus{reason, value})
	e.Score += value
}

// share returns the largest share that a tool has of the best score of a part of the request.
func (x *Index) share(p *plan, out *outcome, doc uint32) float64 {
	best := 0.0
	for part := range p.parts {
		score, covered := 0.0, 0.0
		for i := range p.terms[:p.real] {
			if t := &p.terms[i]; t.parts>>part&1 != 0 {
				ts, _ := x.explainTerm(t, doc)
				score += ts.Value
				covered += t.covers(ts.Fields)
			}
		}
		if covered > 0 {
			score += coverBonus(&x.tuning, covered, x.nameWeight()[doc])
		}
		if score > 0 {
			best = max(best, score/out.tops[part])
		}
	}
	return best
}

// covers returns how much a term adds to the cover of a name.
func (t *term) covers(fields []FieldScore) float64 {
	if t.match == MatchWord && len(fields) > 0 && fields[0].Field == FieldName {
		return t.gain
	}
	return 0
}

// explainTerm returns what a term gave to a tool, and whether it gave anything.
func (x *Index) explainTerm(t *term, doc uint32) (TermScore, bool) {
	ts := TermScore{Word: t.word, Term: t.text, Match: t.match, IDF: t.idf, Weight: t.weight}
	for _, p := range t.postingsOf(doc) {
		value := x.fieldTF(p)
		ts.Fields = append(ts.Fields, FieldScore{p.field, int(p.count), lengthen(p.length), value})
		ts.TF += value
	}
	at := sort.Search(len(t.pairs), func(i int) bool { return t.pairs[i].doc >= doc })
	if at < len(t.pairs) && t.pairs[at].doc == doc {
		ts.TF = t.pairs[at].tf
	}
	ts.Value = t.gain * ts.TF / (x.tuning.k1 + ts.TF)
	return ts, ts.TF > 0 && t.gain > 0
}

// postingsOf returns the postings of one tool.
func (t *term) postingsOf(doc uint32) []posting {
	for _, r := range t.runs {
		if doc < r.base {
			continue
		}
		ps := r.postings
		at := func(doc uint32) int {
			return sort.Search(len(ps), func(i int) bool { return r.base+ps[i].doc >= doc })
		}
		if from, to := at(doc), at(doc+1); from < to {
			return ps[from:to]
		}
	}
	return nil
}
