package gateway

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/approval"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/session"
	"github.com/toolcrib/toolcrib/internal/store"
	"github.com/toolcrib/toolcrib/internal/store/memory"
	"github.com/toolcrib/toolcrib/internal/store/sqlite"
	"github.com/toolcrib/toolcrib/internal/telemetry"
	"github.com/toolcrib/toolcrib/internal/token"
)

// keeper is an open store.
type keeper interface {
	Sessions() session.Store
	Approvals() approval.Store
	Tokens() token.Store
	Pins() store.Pins
	Results() store.Results
	Close() error
}

// openStore opens the store at a place.
func openStore(ctx context.Context, p store.Place) (keeper, error) {
	if p.Memory() {
		return memory.New(), nil
	}
	return sqlite.Open(ctx, p.Path)
}

// kept is what outlives the process. It is opened when it is wanted for the first
// time; one that can't be opened is tried again a minute later.
type kept struct {
	place  store.Place
	logger *slog.Logger

	mu     sync.Mutex
	open   keeper // nil while there is none
	err    error  // why
	tried  time.Time
	closed bool
}

// get returns the open store.
func (k *kept) get(ctx context.Context) (keeper, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.closed:
		return nil, toolcrib.NewError(toolcrib.KindUnavailable, "the store is closed", "the gateway is shutting down")
	case k.open != nil:
		return k.open, nil
	case k.err != nil && time.Since(k.tried) < tryAgain:
		return nil, k.err
	}
	former := k.err
	opened, err := openStore(ctx, k.place)
	if ctx.Err() != nil && err != nil { // it wasn't given the time
		return nil, err
	}
	k.err, k.tried = err, time.Now()
	if err != nil {
		if former == nil || former.Error() != err.Error() {
			k.logger.Error("the store can't be opened; it is tried again each minute", "store", k.place.String(), "error", err, "cause", errors.Unwrap(err))
		}
		return nil, err
	}
	if former != nil {
		k.logger.Info("the store is open again", "store", k.place.String())
	}
	k.open = opened
	return opened, nil
}

// lose closes a store whose file has gone, so that it is opened anew.
func (k *kept) lose(gone keeper) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open != gone || gone == nil {
		return
	}
	k.logger.Warn("the store's file was removed or replaced; it is opened anew", "store", k.place.String())
	k.open = nil
	gone.Close()
}

// failure says why there is no store, "" when there is one or nobody wanted it yet.
func (k *kept) failure() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil {
		return ""
	}
	return k.err.Error()
}

// close ends it for good.
func (k *kept) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	if k.open == nil {
		return nil
	}
	err := k.open.Close()
	k.open = nil
	return err
}

// sessions is the store of events, for the session log.
func (k *kept) sessions(ctx context.Context) (session.Store, error) {
	s, err := k.get(ctx)
	if err != nil {
		return nil, err
	}
	return finding{s.Sessions(), s, k}, nil
}

// finding is a store of events that is opened anew when its file has gone.
type finding struct {
	session.Store
	of   keeper
	kept *kept
}

// Append implements session.Store.
func (f finding) Append(ctx context.Context, events []session.Event) error {
	err := f.Store.Append(ctx, events)
	if !errors.Is(err, sqlite.ErrGone) {
		return err
	}
	f.kept.lose(f.of)
	again, err := f.kept.get(ctx)
	if err != nil {
		return err
	}
	return again.Sessions().Append(ctx, events)
}

// Bounds of what is kept of sessions, beside sessions.keepDays.
const (
	keepEvents = 1_000_000
	pruneEvery = time.Hour
)

// keep opens the store, goes on trying while it can't be, and forgets what is too
// old, until ctx ends.
func (g *Gateway) keep(ctx context.Context) {
	tick := time.NewTicker(tryAgain)
	defer tick.Stop()
	var pruned time.Time
	for {
		s, err := g.store.get(ctx)
		if err == nil && time.Since(pruned) >= pruneEvery {
			pruned = time.Now()
			g.prune(ctx, s)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// prune forgets what is too old.
func (g *Gateway) prune(ctx context.Context, s keeper) {
	days := g.settings.Load().config.Sessions.KeepDays
	events, err := s.Sessions().Prune(ctx, time.Now().AddDate(0, 0, -days), keepEvents)
	if err == nil {
		_, err = s.Results().Expire(ctx, time.Now())
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		g.logger.Warn("old sessions could not be deleted", "error", err)
	case events > 0:
		g.logger.Info("old sessions were deleted", "events", events, "days", days)
	}
}

// startRecord makes the record of sessions. The store itself is opened later.
func (g *Gateway) startRecord(stateDir string) error {
	c := g.settings.Load().config
	place, err := store.Locate(c.Store.URL, stateDir)
	if err != nil {
		return err
	}
	redactor, err := g.redactor(c)
	if err != nil {
		return err
	}
	g.store.place, g.store.logger = place, g.logger
	g.recorder.counters = telemetry.New()
	g.recorder.logger, g.recorder.store = g.logger, place.String()
	g.recorder.rules = func() config.Sessions { return g.settings.Load().config.Sessions }
	g.recorder.log, err = session.New(session.Options{Store: g.store.sessions, Redactor: redactor, Args: c.Sessions.Args, Logger: g.logger})
	return err
}

// redactor takes secrets out of what is recorded: those of the configurations,
// and what the present one says.
func (g *Gateway) redactor(c *config.Config) (*session.Redactor, error) {
	return session.NewRedactor(session.RedactorOptions{Values: g.secrets.redact, Extra: c.Sessions.Redact})
}

// endRecord writes what is still to be written, and closes the store.
func (g *Gateway) endRecord() error { return errors.Join(g.recorder.log.Close(), g.store.close()) }
