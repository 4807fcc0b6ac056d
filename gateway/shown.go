package gateway

import (
	"sync"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// weights remembers how large lists are, by what they are of.
type weights struct {
	mu    sync.Mutex
	known map[weightOf]int
}

type weightOf struct {
	fingerprint string
	look        look
}

// maxWeights is how many are remembered.
const maxWeights = 128

// of returns the bytes of a list, which visible makes when they aren't known.
func (w *weights) of(key weightOf, visible func() []toolsearch.Visible) int {
	w.mu.Lock()
	n, ok := w.known[key]
	w.mu.Unlock()
	if ok {
		return n
	}
	n, err := size(visible())
	if err != nil { // schemas that are in a catalog can be written
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil || len(w.known) >= maxWeights {
		w.known = map[weightOf]int{}
	}
	w.known[key] = n
	return n
}

// measure says how much a surface of a catalog shows a model.
func (g *Gateway) measure(s *toolsearch.Surface, c *catalog.Catalog, l look) *session.Shown {
	tools := s.Tools()
	out := &session.Shown{Mode: string(s.Mode()), Schemas: len(tools), Catalog: map[toolcrib.Source]int{}}
	out.Bytes = g.weights.of(weightOf{c.Fingerprint(), l}, func() []toolsearch.Visible { return tools }) + len(s.Instructions())
	out.DirectBytes = g.weights.of(weightOf{c.Fingerprint(), look{mode: toolsearch.ModeDirect}}, func() []toolsearch.Visible {
		return toolsearch.Show(c, toolsearch.ModeDirect)
	})
	for t := range c.All() {
		out.Catalog[t.Source]++
	}
	return out
}
