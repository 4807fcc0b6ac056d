package token

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Options is what a Book needs.
type Options struct {
	// Store opens the store, or says why it can't be had. Required.
	Store func(ctx context.Context) (Store, error)
	// Check judges what this package knows nothing of, agents and patterns. Nil
	// takes everything.
	Check func(Wish) error
	// Now may be nil.
	Now func() time.Time
	// Logger may be nil.
	Logger *slog.Logger
}

// Book makes tokens, knows them again and takes them back. It keeps nothing in
// memory that decides: each question is put to the store, so that what another
// process has revoked counts at once.
type Book struct {
	o Options

	mu     sync.Mutex
	noted  map[string]time.Time // when the use of a token was written last
	closed bool
	notes  sync.WaitGroup // Add only under mu while not closed
}

// New returns a Book.
func New(o Options) (*Book, error) {
	if o.Store == nil {
		return nil, errors.New("token: Options.Store is required")
	}
	if o.Check == nil {
		o.Check = func(Wish) error { return nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Book{o: o, noted: map[string]time.Time{}}, nil
}

// Make makes a token and returns its secret, which can't be had again.
func (b *Book) Make(ctx context.Context, w Wish) (t Token, secret string, err error) {
	now := b.o.Now().UTC().Truncate(time.Microsecond)
	if err := w.check(now); err != nil {
		return t, "", err
	}
	if err := b.o.Check(w); err != nil {
		return t, "", err
	}
	s, err := b.o.Store(ctx)
	if err != nil {
		return t, "", err
	}
	secret = newSecret(Prefix)
	t = Token{
		ID: newID(), Name: w.Name, Agent: w.Agent, Owner: w.Owner, Harness: w.Harness, Allow: w.Allow, Deny: w.Deny, Created: now,
	}
	if !w.Expires.IsZero() {
		t.Expires = w.Expires.UTC().Truncate(time.Microsecond)
	}
	switch added, err := s.AddToken(ctx, Kept{t, HashOf(secret)}); {
	case err != nil:
		return Token{}, "", err
	case !added:
		return Token{}, "", wrong("there is a token "+w.Name+" already", "choose another name, or revoke that one first")
	}
	b.o.Logger.Info("a token was made", "token", t.Caller(), "agent", t.Agent, "owner", t.Owner, "expires", t.Expires)
	return t, secret, nil
}

// Why a secret opens nothing, for logs alone: who presented it is told the same
// each time. They are the causes of the error of Verify.
var (
	ErrUnknown = errors.New("no token has this secret")
	ErrExpired = errors.New("the token has expired")
	ErrRevoked = errors.New("the token was revoked")
)

// Verify returns the token of a secret. An error of KindUnauthorized means that it
// opens nothing, any other that this can't be told.
func (b *Book) Verify(ctx context.Context, secret string) (Token, error) {
	hash := HashOf(secret)
	s, err := b.o.Store(ctx)
	if err != nil {
		return Token{}, err
	}
	found, ok, err := s.FindToken(ctx, hash)
	if err != nil {
		return Token{}, err
	}
	now := b.o.Now()
	switch match := hash.Equal(found.Hash); { // compared in each case
	case !ok || !match:
		return Token{}, refused(ErrUnknown)
	case !found.Revoked.IsZero():
		return found.Token, refused(ErrRevoked)
	case found.Expired(now):
		return found.Token, refused(ErrExpired)
	}
	b.note(s, found.Token, now)
	return found.Token, nil
}

func refused(why error) error {
	return toolcrib.NewError(toolcrib.KindUnauthorized, "the bearer token is wrong", "").WithCause(why)
}

// Live reports whether a token that was verified may still be used.
func (b *Book) Live(ctx context.Context, id string) (bool, error) {
	s, err := b.o.Store(ctx)
	if err != nil {
		return false, err
	}
	t, ok, err := s.Token(ctx, id)
	return ok && t.Live(b.o.Now()), err
}

// Any reports whether there are tokens. One that was revoked or has expired
// counts: what asked for a token once doesn't open by itself.
func (b *Book) Any(ctx context.Context) (bool, error) {
	s, err := b.o.Store(ctx)
	if err != nil {
		return false, err
	}
	return s.AnyToken(ctx)
}

// List returns all tokens, the oldest first.
func (b *Book) List(ctx context.Context) ([]Token, error) {
	s, err := b.o.Store(ctx)
	if err != nil {
		return nil, err
	}
	return s.Tokens(ctx)
}
