package token

import (
	"context"
	"time"
)

// How the use of tokens is noted.
const (
	noteEvery = time.Minute     // at most, for each token
	noteTime  = 5 * time.Second // one writing may take
	maxNoted  = 10_000          // tokens whose last note is remembered
)

// note writes down that a token was used, in the background.
func (b *Book) note(s Store, t Token, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.noted[t.ID]
	if t.LastUsed.After(last) {
		last = t.LastUsed
	}
	if b.closed || now.Sub(last) < noteEvery {
		return
	}
	if len(b.noted) >= maxNoted {
		clear(b.noted) // the store knows it too
	}
	b.noted[t.ID] = now
	b.notes.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), noteTime)
		defer cancel()
		if err := s.UseToken(ctx, t.ID, now); err != nil {
			b.o.Logger.Debug("the use of a token could not be noted", "token", t.Caller(), "error", err)
		}
	})
}

// Close waits until all uses are noted. The Book notes no more then.
func (b *Book) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.notes.Wait()
}
