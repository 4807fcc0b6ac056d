package mcp

import (
	"math/rand/v2"
	"time"
)

// backoff gives growing waits: each twice the one before, from low to high,
// and each somewhere between three and five quarters of that, so that what
// failed together isn't tried again together.
type backoff struct {
	low, high, now time.Duration
}

// newBackoff starts at low.
func newBackoff(low, high time.Duration) *backoff { return &backoff{low: low, high: high} }

// next returns the next wait.
func (b *backoff) next() time.Duration {
	b.now = min(max(2*b.now, b.low), b.high)
	return b.now*3/4 + rand.N(b.now/2+1)
}

// reset starts over.
func (b *backoff) reset() { b.now = 0 }
