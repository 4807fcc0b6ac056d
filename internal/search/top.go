package search

// best returns the limit best of the touched tools, in order, and leaves the
// scratch clean for the next search.
func (x *Index) best(s *scratch, limit int) []scored {
	heap, weights := s.heap[:0], x.nameWeight()
	for _, doc := range s.touched {
		c := scored{doc, x.covered(&s.tallies[doc], weights, doc)}
		s.tallies[doc] = tally{}
		if len(heap) < limit {
			heap = append(heap, c)
			x.up(heap)
		} else if x.before(c, heap[0]) {
			heap[0] = c
			x.down(heap)
		}
	}
	s.touched, s.heap = s.touched[:0], heap
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
