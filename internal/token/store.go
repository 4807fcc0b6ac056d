package token

import (
	"context"
	"time"
)

// Kept is a token with the hash of its secret.
type Kept struct {
	Token
	Hash Hash
}

// Store keeps tokens, which several processes may share: what one has written,
// the others see at once. Times are kept to the microsecond. It is safe for
// concurrent use.
type Store interface {
	// AddToken keeps a new token. It reports false, and keeps nothing, when a token
	// that was live at t.Created has the name. The same id or hash twice is an error.
	AddToken(ctx context.Context, t Kept) (bool, error)
	// FindToken returns the token of a hash, revoked and expired ones too.
	FindToken(ctx context.Context, h Hash) (Kept, bool, error)
	// Token returns the token of an id.
	Token(ctx context.Context, id string) (Token, bool, error)
	// Tokens returns all, the oldest first, and by id where two are as old.
	Tokens(ctx context.Context) ([]Token, error)
	// AnyToken reports whether there is one, revoked and expired ones too.
	AnyToken(ctx context.Context) (bool, error)
	// RevokeToken takes a token back; false when there is none, or when that was
	// done before.
	RevokeToken(ctx context.Context, id string, now time.Time) (bool, error)
	// UseToken notes when a token was presented last. It never goes back.
	UseToken(ctx context.Context, id string, now time.Time) error
	// DeleteToken forgets a token; false when there is none.
	DeleteToken(ctx context.Context, id string) (bool, error)
}
