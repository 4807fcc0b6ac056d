package token_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/token"
)

// shelf is a store in memory.
type shelf struct {
	mu   sync.Mutex
	all  []token.Kept
	uses int
	err  error
}

func (s *shelf) lock() (unlock func()) {
	s.mu.Lock()
	return s.mu.Unlock
}

func (s *shelf) AddToken(_ context.Context, t token.Kept) (bool, error) {
	defer s.lock()()
	for _, other := range s.all {
		if other.Name == t.Name && other.Live(t.Created) {
			return false, s.err
		}
	}
	s.all = append(s.all, t)
	return true, s.err
}

func (s *shelf) FindToken(_ context.Context, h token.Hash) (token.Kept, bool, error) {
	defer s.lock()()
	for _, t := range s.all {
		if t.Hash == h {
			return t, true, s.err
		}
	}
	return token.Kept{}, false, s.err
}

func (s *shelf) find(id string) *token.Kept {
	for i := range s.all {
		if s.all[i].ID == id {
			return &s.all[i]
		}
	}
	return nil
}

func (s *shelf) Token(_ context.Context, id string) (token.Token, bool, error) {
	defer s.lock()()
	if t := s.find(id); t != nil {
		return t.Token, true, s.err
	}
	return token.Token{}, false, s.err
}

func (s *shelf) Tokens(context.Context) (all []token.Token, err error) {
	defer s.lock()()
	for _, t := range s.all {
		all = append(all, t.Token)
	}
	return all, s.err
}

func (s *shelf) AnyToken(context.Context) (bool, error) {
	defer s.lock()()
	return len(s.all) > 0, s.err
}

func (s *shelf) RevokeToken(_ context.Context, id string, now time.Time) (bool, error) {
	defer s.lock()()
	t := s.find(id)
	if t == nil || !t.Revoked.IsZero() {
		return false, s.err
	}
	t.Revoked = now
	return true, s.err
}

func (s *shelf) UseToken(_ context.Context, id string, now time.Time) error {
	defer s.lock()()
	s.uses++
	if t := s.find(id); t != nil { // it may have been forgotten meanwhile
		t.LastUsed = now
	}
	return s.err
}

func (s *shelf) DeleteToken(_ context.Context, id string) (bool, error) {
	defer s.lock()()
	for i, t := range s.all {
		if t.ID == id {
			s.all = append(s.all[:i:i], s.all[i+1:]...)
			return true, s.err
		}
	}
	return false, s.err
}

func newBook(t testing.TB, s *shelf, o token.Options) *token.Book {
	t.Helper()
	o.Store = func(context.Context) (token.Store, error) { return s, nil }
	b, err := token.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func make1(t testing.TB, b *token.Book, w token.Wish) (token.Token, string) {
	t.Helper()
	made, secret, err := b.Make(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return made, secret
}

func TestMadeAndVerified(t *testing.T) {
	var log bytes.Buffer
	s := &shelf{}
	b := newBook(t, s, token.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	t.Cleanup(b.Close)
	if any, err := b.Any(t.Context()); any || err != nil {
		t.Errorf("any %v, %v", any, err)
	}
	want, secret := make1(t, b, token.Wish{Name: "laptop", Agent: "writer", Owner: true, Harness: "codex", Allow: []string{"mcp:*"}, Deny: []string{"exec"}})
	if !regexp.MustCompile(`^tcrib_[0-9A-Za-z]{43}$`).MatchString(secret) {
		t.Errorf("the secret is %q", secret)
	}
	if got, err := b.Verify(t.Context(), secret); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%v, %v", err, cmp.Diff(want, got))
	}
	if want.Caller() != "laptop#"+want.ID {
		t.Errorf("the caller is %q", want.Caller())
	}
	if diff := cmp.Diff(&toolcrib.Narrowing{Token: &toolcrib.ToolList{Allow: []string{"mcp:*"}, Deny: []string{"exec"}}}, want.Narrow()); diff != "" {
		t.Error(diff)
	}
	_, other := make1(t, b, token.Wish{Name: "phone"})
	if other == secret || (token.Token{}).Narrow() != nil {
		t.Error("two secrets are one, or nothing narrows")
	}
	for _, wrong := range []string{"", "tcrib_", secret + "x", secret[:len(secret)-1], strings.ToUpper(secret), " " + secret, strings.Repeat("x", 1<<20)} {
		if _, err := b.Verify(t.Context(), wrong); toolcrib.KindOf(err) != toolcrib.KindUnauthorized || !errors.Is(err, token.ErrUnknown) {
			t.Errorf("%.50q: %v", wrong, err)
		}
	}
	if kept := fmt.Sprintf("%+v", s.all); strings.Contains(kept, secret) || strings.Contains(log.String(), secret) {
		t.Error("the secret was kept or logged")
	}
	if any, err := b.Any(t.Context()); !any || err != nil {
		t.Errorf("any %v, %v", any, err)
	}
}

func TestWishes(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBook(t, &shelf{}, token.Options{Now: func() time.Time { return now }, Check: func(w token.Wish) error {
		if w.Agent == "nobody" {
			return toolcrib.NewError(toolcrib.KindNotFound, "no agent", "")
		}
		return nil
	}})
	for _, w := range []token.Wish{
		{},
		{Name: " "},
		{Name: "a b"},
		{Name: "a#b"},
		{Name: ".a"},
		{Name: "-a"},
		{Name: "ä"},
		{Name: "a\n"},
		{Name: strings.Repeat("a", 65)},
		{Name: "a", Harness: "a b"},
		{Name: "a", Allow: []string{""}},
		{Name: "a", Deny: []string{strings.Repeat("x", 257)}},
		{Name: "a", Deny: make([]string, 501)},
		{Name: "a", Expires: now},
		{Name: "a", Agent: "nobody"},
	} {
		if made, _, err := b.Make(t.Context(), w); err == nil {
			t.Errorf("made %+v", made)
		}
	}
	for _, name := range []string{"a", "A.b_c-9", strings.Repeat("a", 64)} {
		if _, _, err := b.Make(t.Context(), token.Wish{Name: name, Expires: now.Add(1000)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := b.Make(t.Context(), token.Wish{Name: "a"}); toolcrib.KindOf(err) != toolcrib.KindInput {
		t.Errorf("a name was given twice: %v", err)
	}
}

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBook(t, &shelf{}, token.Options{})
		t.Cleanup(b.Close)
		made, secret := make1(t, b, token.Wish{Name: "a", Expires: time.Now().Add(time.Hour)})
		time.Sleep(time.Hour - time.Nanosecond)
		if _, err := b.Verify(t.Context(), secret); err != nil {
			t.Errorf("a moment before its end: %v", err)
		}
		if live, err := b.Live(t.Context(), made.ID); !live || err != nil {
			t.Errorf("live %v, %v", live, err)
		}
		time.Sleep(time.Nanosecond)
		if _, err := b.Verify(t.Context(), secret); toolcrib.KindOf(err) != toolcrib.KindUnauthorized || !errors.Is(err, token.ErrExpired) {
			t.Errorf("at its end: %v", err)
		}
		if live, err := b.Live(t.Context(), made.ID); live || err != nil {
			t.Errorf("live %v, %v", live, err)
		}
		if any, err := b.Any(t.Context()); !any || err != nil {
			t.Errorf("what expired opens the gateway: %v", err)
		}
		make1(t, b, token.Wish{Name: "a"}) // its name is free
	})
}

func TestRevoked(t *testing.T) {
	s := &shelf{}
	b, elsewhere := newBook(t, s, token.Options{}), newBook(t, s, token.Options{})
	t.Cleanup(b.Close)
	first, secret := make1(t, b, token.Wish{Name: "a"})
	if _, err := b.Verify(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	gone, err := elsewhere.Revoke(t.Context(), "a")
	if err != nil || gone.ID != first.ID || gone.Revoked.IsZero() {
		t.Errorf("%+v, %v", gone, err)
	}
	if _, err := b.Verify(t.Context(), secret); toolcrib.KindOf(err) != toolcrib.KindUnauthorized || !errors.Is(err, token.ErrRevoked) {
		t.Errorf("after another has revoked it: %v", err)
	}
	again, err := b.Revoke(t.Context(), first.ID)
	if err != nil || !again.Revoked.Equal(gone.Revoked) {
		t.Errorf("a second time: %+v, %v", again, err)
	}
	second, _ := make1(t, b, token.Wish{Name: "a"})
	if got, err := b.Revoke(t.Context(), "a"); err != nil || got.ID != second.ID {
		t.Errorf("the name is of the one that can be used: %+v, %v", got, err)
	}
	if _, err := b.Revoke(t.Context(), "a"); toolcrib.KindOf(err) != toolcrib.KindAmbiguous {
		t.Errorf("two have the name: %v", err)
	}
	if _, err := b.Revoke(t.Context(), "none"); toolcrib.KindOf(err) != toolcrib.KindNotFound {
		t.Errorf("none has the name: %v", err)
	}
	for _, id := range []string{first.ID, second.ID} {
		if any, _ := b.Any(t.Context()); !any {
			t.Error("revoked ones opened the gateway")
		}
		if _, err := b.Forget(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if any, err := b.Any(t.Context()); any || err != nil {
		t.Errorf("any %v, %v", any, err)
	}
	if _, err := b.Verify(t.Context(), secret); !errors.Is(err, token.ErrUnknown) {
		t.Errorf("a forgotten one: %v", err)
	}
}

func TestUseIsNotedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{}
		b := newBook(t, s, token.Options{})
		made, secret := make1(t, b, token.Wish{Name: "a"})
		for range 121 {
			if _, err := b.Verify(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			time.Sleep(time.Second)
		}
		if s.uses != 3 {
			t.Errorf("its use was written %d times in two minutes", s.uses)
		}
		if got, _, _ := s.Token(t.Context(), made.ID); time.Since(got.LastUsed) != time.Second {
			t.Errorf("used last %v ago", time.Since(got.LastUsed))
		}
		b.Close()
		time.Sleep(time.Hour)
		if _, err := b.Verify(t.Context(), secret); err != nil || s.uses != 3 {
			t.Errorf("after the end: %v, written %d times", err, s.uses)
		}
	})
}

// TestStoreFails: what can't be told is no permission, and no wrong token either.
func TestStoreFails(t *testing.T) {
	s := &shelf{}
	b := newBook(t, s, token.Options{})
	t.Cleanup(b.Close)
	_, secret := make1(t, b, token.Wish{Name: "a"})
	s.lock()
	s.err = toolcrib.NewError(toolcrib.KindUnavailable, "the store failed", "")
	s.mu.Unlock()
	if _, err := b.Verify(t.Context(), secret); toolcrib.KindOf(err) != toolcrib.KindUnavailable {
		t.Errorf("verify: %v", err)
	}
	if _, err := b.Any(t.Context()); err == nil {
		t.Error("any: no error")
	}
	if _, err := b.Live(t.Context(), "x"); err == nil {
		t.Error("live: no error")
	}
	if _, _, err := b.Make(t.Context(), token.Wish{Name: "b"}); err == nil {
		t.Error("make: no error")
	}
	if _, err := token.New(token.Options{}); err == nil {
		t.Error("a book without a store")
	}
}

func TestAdminFileName(t *testing.T) {
	if got := token.NewAdmin("x", nil).Path(); got != filepath.Join("x", "admin.token") {
		t.Error(got)
	}
}
