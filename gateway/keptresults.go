package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/toolcrib/toolcrib/internal/source/builtin/results"
	"github.com/toolcrib/toolcrib/internal/store"
	"github.com/toolcrib/toolcrib/internal/store/sqlite"
)

// resultOptions is how results that were cut are kept: where there is a store, so
// that clients who can be known again read on after a restart.
func (g *Gateway) resultOptions() results.Options {
	o := results.Options{Logger: g.logger, ReplyBytes: replyBytes(g.settings.Load().config)}
	if !g.store.place.Memory() {
		o.Store, o.Identity = keptResults{&g.store}, g.sessions.identity
	}
	return o
}

// keptResults is the kept results' part of a store that is opened when it is
// wanted, and anew when its file has gone.
type keptResults struct{ kept *kept }

// PutResult implements results.Store.
func (k keptResults) PutResult(ctx context.Context, r store.Result) error {
	return k.with(ctx, func(x store.Results) error { return x.PutResult(ctx, r) })
}

// Result implements results.Store.
func (k keptResults) Result(ctx context.Context, id, reader string, now time.Time) (r store.Result, ok bool, err error) {
	err = k.with(ctx, func(x store.Results) (err error) {
		r, ok, err = x.Result(ctx, id, reader, now)
		return err
	})
	return r, ok, err
}

// TrimResults implements results.Store.
func (k keptResults) TrimResults(ctx context.Context, b store.ResultBounds) error {
	return k.with(ctx, func(x store.Results) error { return x.TrimResults(ctx, b) })
}

// EndSession implements results.Store.
func (k keptResults) EndSession(ctx context.Context, session string) error {
	return k.with(ctx, func(x store.Results) error { return x.EndSession(ctx, session) })
}

// with does some work with the open store.
func (k keptResults) with(ctx context.Context, work func(store.Results) error) error {
	s, err := k.kept.get(ctx)
	if err != nil {
		return err
	}
	if err = work(s.Results()); !errors.Is(err, sqlite.ErrGone) {
		return err
	}
	k.kept.lose(s)
	if s, err = k.kept.get(ctx); err != nil {
		return err
	}
	return work(s.Results())
}
