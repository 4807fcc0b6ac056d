package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib/internal/token"
)

type tokens struct {
	guarded
	all []token.Kept
}

// index is where the token of an id is, -1 for nowhere.
func (x *tokens) index(id string) int {
	return slices.IndexFunc(x.all, func(t token.Kept) bool { return t.ID == id })
}

// apart is a token that shares nothing with the one that is kept.
func apart(t token.Kept) token.Kept {
	t.Allow, t.Deny = slices.Clone(t.Allow), slices.Clone(t.Deny)
	return t
}

// AddToken implements token.Store.
func (x *tokens) AddToken(_ context.Context, t token.Kept) (bool, error) {
	defer x.lock()()
	for _, other := range x.all {
		switch {
		case other.ID == t.ID, other.Hash == t.Hash:
			return false, errors.New("memory: a token was added twice")
		case other.Name == t.Name && other.Live(t.Created):
			return false, nil
		}
	}
	x.all = append(x.all, apart(t))
	return true, nil
}

// FindToken implements token.Store.
func (x *tokens) FindToken(_ context.Context, h token.Hash) (token.Kept, bool, error) {
	defer x.lock()()
	for _, t := range x.all {
		if t.Hash.Equal(h) {
			return apart(t), true, nil
		}
	}
	return token.Kept{}, false, nil
}

// Token implements token.Store.
func (x *tokens) Token(_ context.Context, id string) (token.Token, bool, error) {
	defer x.lock()()
	if i := x.index(id); i >= 0 {
		return apart(x.all[i]).Token, true, nil
	}
	return token.Token{}, false, nil
}

// Tokens implements token.Store.
func (x *tokens) Tokens(context.Context) ([]token.Token, error) {
	defer x.lock()()
	var all []token.Token
	for _, t := range x.all {
		all = append(all, apart(t).Token)
	}
	slices.SortFunc(all, func(a, b token.Token) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// AnyToken implements token.Store.
func (x *tokens) AnyToken(context.Context) (bool, error) {
	defer x.lock()()
	return len(x.all) > 0, nil
}

// RevokeToken implements token.Store.
func (x *tokens) RevokeToken(_ context.Context, id string, now time.Time) (bool, error) {
	defer x.lock()()
	i := x.index(id)
	if i < 0 || !x.all[i].Revoked.IsZero() {
		return false, nil
	}
	x.all[i].Revoked = now
	return true, nil
}

// UseToken implements token.Store.
func (x *tokens) UseToken(_ context.Context, id string, now time.Time) error {
	defer x.lock()()
	if i := x.index(id); i >= 0 && now.After(x.all[i].LastUsed) {
		x.all[i].LastUsed = now
	}
	return nil
}

// DeleteToken implements token.Store.
func (x *tokens) DeleteToken(_ context.Context, id string) (bool, error) {
	defer x.lock()()
	had := len(x.all)
	x.all = slices.DeleteFunc(x.all, func(t token.Kept) bool { return t.ID == id })
	return len(x.all) < had, nil
}
