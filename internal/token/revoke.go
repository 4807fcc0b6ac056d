package token

import (
	"context"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// Revoke takes a token back, at once and for good; ref is its id or its name.
// One that was revoked before stays as it is.
func (b *Book) Revoke(ctx context.Context, ref string) (Token, error) {
	s, err := b.o.Store(ctx)
	if err != nil {
		return Token{}, err
	}
	t, err := resolve(ctx, s, ref)
	if err != nil {
		return Token{}, err
	}
	now := b.o.Now()
	done, err := s.RevokeToken(ctx, t.ID, now)
	if err != nil {
		return Token{}, err
	}
	if done {
		t.Revoked = now
		b.o.Logger.Info("a token was revoked", "token", t.Caller())
	}
	return t, nil
}

// Forget revokes a token and deletes what is known of it.
func (b *Book) Forget(ctx context.Context, ref string) (Token, error) {
	t, err := b.Revoke(ctx, ref)
	if err != nil {
		return Token{}, err
	}
	s, err := b.o.Store(ctx)
	if err != nil {
		return Token{}, err
	}
	_, err = s.DeleteToken(ctx, t.ID)
	return t, err
}

// resolve finds the token that ref means: its id, or the name of one, of which
// a live one comes before those that were revoked.
func resolve(ctx context.Context, s Store, ref string) (Token, error) {
	all, err := s.Tokens(ctx)
	if err != nil {
		return Token{}, err
	}
	var named, usable []Token
	for _, t := range all {
		switch {
		case t.ID == ref:
			return t, nil
		case t.Name == ref && t.Revoked.IsZero():
			usable = append(usable, t)
			fallthrough
		case t.Name == ref:
			named = append(named, t)
		}
	}
	if len(usable) > 0 {
		named = usable
	}
	switch len(named) {
	case 1:
		return named[0], nil
	case 0:
		return Token{}, toolcrib.NewError(toolcrib.KindNotFound, "there is no such token", "see: toolcrib token list")
	}
	ids := make([]string, len(named))
	for i, t := range named {
		ids[i] = t.ID
	}
	return Token{}, toolcrib.NewError(toolcrib.KindAmbiguous, "several tokens have this name", "use an id: "+strings.Join(ids, ", "))
}
