package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/token"
)

// kept is a token with every field.
func kept(id, name string) token.Kept {
	return token.Kept{
		Token: token.Token{
			ID: id, Name: name, Agent: "main", Owner: true, Harness: "codex", Allow: []string{"mcp:*", "“x”"}, Deny: []string{"exec"},
			Created: noon, Expires: noon.Add(time.Hour), LastUsed: noon.Add(-time.Minute),
		},
		Hash: token.HashOf(id),
	}
}

func tokensKept(t *testing.T, s Store) {
	x := s.Tokens()
	if must[bool](t)(x.AnyToken(t.Context())) || len(must[[]token.Token](t)(x.Tokens(t.Context()))) > 0 {
		t.Error("an empty store has tokens")
	}
	b, a, plain := kept("b", "laptop"), kept("a", "phone"), token.Kept{Token: token.Token{ID: "c", Name: "plain", Created: noon.Add(-time.Hour)}, Hash: token.HashOf("c")}
	for _, k := range []token.Kept{b, a, plain} {
		if !must[bool](t)(x.AddToken(t.Context(), k)) {
			t.Errorf("%s was not added", k.Name)
		}
	}
	if diff := cmp.Diff([]token.Token{plain.Token, a.Token, b.Token}, must[[]token.Token](t)(x.Tokens(t.Context()))); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	got, ok, err := x.FindToken(t.Context(), b.Hash)
	if diff := cmp.Diff(b, got); diff != "" || !ok || err != nil {
		t.Errorf("found %v, %v (-want +got):\n%s", ok, err, diff)
	}
	if got, ok, err := x.FindToken(t.Context(), token.HashOf("nobody's")); ok || err != nil || got.ID != "" {
		t.Errorf("found %v, %v, %v by another hash", got, ok, err)
	}
	one, ok, err := x.Token(t.Context(), "a")
	if diff := cmp.Diff(a.Token, one); diff != "" || !ok || err != nil {
		t.Errorf("by id %v, %v (-want +got):\n%s", ok, err, diff)
	}
	if _, ok, err := x.Token(t.Context(), "phone"); ok || err != nil {
		t.Errorf("a name is taken for an id: %v", err)
	}
	again := kept("d", "other")
	again.Hash = a.Hash
	if _, err := x.AddToken(t.Context(), again); err == nil {
		t.Error("two tokens have one hash")
	}
	if _, err := x.AddToken(t.Context(), token.Kept{Token: token.Token{ID: "a", Name: "other", Created: noon}, Hash: token.HashOf("e")}); err == nil {
		t.Error("two tokens have one id")
	}
}

func tokensEnd(t *testing.T, s Store) {
	x := s.Tokens()
	add := func(id string, created time.Time) bool {
		k := kept(id, "laptop")
		k.Created, k.Expires = created, created.Add(time.Hour)
		return must[bool](t)(x.AddToken(t.Context(), k))
	}
	if !add("a", noon) || add("b", noon) || add("b", noon.Add(59*time.Minute)) || !add("b", noon.Add(time.Hour)) {
		t.Error("a name is one live token's, and free again when that has expired")
	}
	revoked := noon.Add(70 * time.Minute)
	if !must[bool](t)(x.RevokeToken(t.Context(), "b", revoked)) || must[bool](t)(x.RevokeToken(t.Context(), "b", revoked.Add(1))) || must[bool](t)(x.RevokeToken(t.Context(), "none", revoked)) {
		t.Error("a token is revoked once")
	}
	if !add("c", revoked) {
		t.Error("the name of a revoked token is not free")
	}
	if got, _, err := x.FindToken(t.Context(), token.HashOf("b")); err != nil || !got.Revoked.Equal(revoked) {
		t.Errorf("revoked at %v, %v", got.Revoked, err)
	}
	for _, at := range []time.Time{noon.Add(time.Minute), noon, noon.Add(2 * time.Minute), noon.Add(time.Second)} {
		ok(t, x.UseToken(t.Context(), "a", at))
	}
	ok(t, x.UseToken(t.Context(), "none", noon))
	if got, _, err := x.Token(t.Context(), "a"); err != nil || !got.LastUsed.Equal(noon.Add(2*time.Minute)) {
		t.Errorf("used last at %v, %v", got.LastUsed, err)
	}
	for _, id := range []string{"a", "b", "c"} {
		if !must[bool](t)(x.AnyToken(t.Context())) || !must[bool](t)(x.DeleteToken(t.Context(), id)) || must[bool](t)(x.DeleteToken(t.Context(), id)) {
			t.Errorf("%s: one is deleted once", id)
		}
	}
	if must[bool](t)(x.AnyToken(t.Context())) {
		t.Error("one is left")
	}
}

func tokensRace(t *testing.T, s Store) {
	x := s.Tokens()
	var added atomic.Int32
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			done, err := x.AddToken(t.Context(), kept(fmt.Sprint(i), "laptop"))
			if err != nil {
				t.Error(err)
			}
			if done {
				added.Add(1)
			}
		})
	}
	group.Wait()
	if added.Load() != 1 {
		t.Errorf("%d tokens have one name", added.Load())
	}
}
