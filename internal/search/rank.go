package search

// tally is what a tool has gathered.
type tally struct {
	score float64
	name  float64 // idf of the words of the request that its name has
}

// scratch is the working memory of one search, reused by later ones.
type scratch struct {
	tallies []tally  // by tool, zero between searches
	touched []uint32 // the tools whose tally isn't zero
	top     []scored
}

// scored is a tool with its final score.
type scored struct {
	doc   uint32
	score float64
}

// Search returns at most limit tools for a request in words, best first; equal
// scores are ordered by id. It returns nil when limit is not positive or when
// no word of the request is of any use.
func (x *Index) Search(query string, limit int) []Hit {
	found := x.rank(x.plan(query), limit)
	if len(found) == 0 {
		return nil
	}
	hits := make([]Hit, len(found))
	for i, f := range found {
		hits[i] = Hit{Tool: x.tool(f.doc), Score: f.score}
	}
	return hits
}

// rank returns the best tools for a plan, best first.
func (x *Index) rank(p *plan, limit int) []scored {
	limit = min(limit, x.total)
	if limit <= 0 || len(p.terms) == 0 && len(p.exact) == 0 {
		return nil
	}
	s := x.scratch()
	defer x.release(s)
	for i := range p.terms {
		x.gather(s, &p.terms[i])
	}
	weights := x.nameWeight()
	for _, doc := range s.touched {
		t := &s.tallies[doc]
		if t.name > 0 {
			t.score += x.tuning.name * t.name * t.name / float64(weights[doc])
		}
	}
	for _, e := range p.exact {
		s.touch(e.doc)
		s.tallies[e.doc].score += e.value
	}
	return x.best(s, limit)
}

// gather adds what one term gives to the tools that have it.
func (x *Index) gather(s *scratch, t *term) {
	k1, gain := x.tuning.k1, t.idf*t.weight
	for _, r := range t.runs {
		ps := r.postings
		for i := 0; i < len(ps); {
			doc, tf, name := ps[i].doc, 0.0, false
			for ; i < len(ps) && ps[i].doc == doc; i++ {
				f := ps[i].field
				tf += float64(ps[i].count) * x.factors[f][ps[i].length]
				name = name || f == FieldName
			}
			s.touch(r.base + doc)
			to := &s.tallies[r.base+doc]
			to.score += gain * tf / (k1 + tf)
			if name {
				to.name += t.idf
			}
		}
	}
}

func (s *scratch) touch(doc uint32) {
	if s.tallies[doc].score == 0 {
		s.touched = append(s.touched, doc)
	}
}

func (x *Index) scratch() *scratch {
	if s, ok := x.pool.Get().(*scratch); ok {
		return s
	}
	return &scratch{tallies: make([]tally, x.total)}
}

func (x *Index) release(s *scratch) {
	for _, doc := range s.touched {
		s.tallies[doc] = tally{}
	}
	s.touched = s.touched[:0]
	x.pool.Put(s)
}

// best returns a copy of the limit best tools, in order.
func (x *Index) best(s *scratch, limit int) []scored {
	heap := s.top[:0]
	for _, doc := range s.touched {
		c := scored{doc, s.tallies[doc].score}
		if len(heap) < limit {
			heap = append(heap, c)
			x.up(heap)
		} else if x.before(c, heap[0]) {
			heap[0] = c
			x.down(heap)
		}
	}
	s.top = heap
	out := make([]scored, len(heap))
	for n := len(heap); n > 0; n-- {
		out[n-1] = heap[0]
		heap[0] = heap[n-1]
		heap = heap[:n-1]
		x.down(heap)
	}
	return out
}

// before reports whether a ranks before b.
func (x *Index) before(a, b scored) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	return x.tool(a.doc).ID < x.tool(b.doc).ID
}

// up restores the heap, worst first, after an append.
func (x *Index) up(heap []scored) {
	for i := len(heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !x.before(heap[parent], heap[i]) {
			return
		}
		heap[parent], heap[i] = heap[i], heap[parent]
		i = parent
	}
}

// down restores the heap after its first element changed.
func (x *Index) down(heap []scored) {
	for i := 0; ; {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(heap); c++ {
			if x.before(heap[worst], heap[c]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		heap[i], heap[worst] = heap[worst], heap[i]
		i = worst
	}
}
