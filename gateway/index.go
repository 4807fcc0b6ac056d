package gateway

import (
	"runtime"
	"sync"
	"weak"

	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/search"
)

// indexes shares search indexes between runs and sessions: a segment for each
// group of tools, keyed by the group's fingerprint, so that a change of one
// server re-indexes that server alone. What no session holds any more is
// forgotten by itself.
type indexes struct {
	mu       sync.Mutex
	segments shelf[search.Segment]
	joined   shelf[search.Index]
}

// of returns the index of a catalog's catalogued tools.
func (x *indexes) of(c *catalog.Catalog) *search.Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	groups := c.Groups()
	return x.joined.get(&x.mu, c.Fingerprint(), func() *search.Index {
		segments := make([]*search.Segment, len(groups))
		for i, g := range groups {
			segments[i] = x.segments.get(&x.mu, g.Fingerprint, func() *search.Segment { return search.NewSegment(g.Tools) })
		}
		return search.Join(segments...)
	})
}

// shelf holds values weakly by key.
type shelf[T any] map[string]weak.Pointer[T]

// get returns the value of key, made when nothing holds it any more. mu is held,
// and taken again when a value has been forgotten.
func (s *shelf[T]) get(mu *sync.Mutex, key string, build func() *T) *T {
	if v := (*s)[key].Value(); v != nil {
		return v
	}
	v := build()
	if *s == nil {
		*s = shelf[T]{}
	}
	(*s)[key] = weak.Make(v)
	runtime.AddCleanup(v, func(key string) {
		mu.Lock()
		defer mu.Unlock()
		if (*s)[key].Value() == nil {
			delete(*s, key)
		}
	}, key)
	return v
}
