package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
)

// tokened is a gateway with a state folder, its door for this machine, and a
// client inside the process.
func tokened(t *testing.T, o Options) (*Gateway, http.Handler, *client.Client) {
	t.Helper()
	if o.StateDir == "" {
		o.StateDir = t.TempDir()
	}
	g, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	door, err := g.Handler("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	return g, door, client.New(client.InProcess(g.Control()), "")
}

// knock is the status of a first request.
func knock(door http.Handler, secret string) int { return enter(door, secret).Code }

// enter makes a first request.
func enter(door http.Handler, secret string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "http://127.0.0.1:1/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	w := httptest.NewRecorder()
	door.ServeHTTP(w, r)
	return w
}

func TestTokensOfAgents(t *testing.T) {
	file := written(t, `{agents: {list: [{id: "reader"}]}}`)
	g, door, c := tokened(t, Options{ConfigFile: file})
	made, err := c.MakeToken(t.Context(), client.TokenRequest{Name: "a", Agent: "reader"})
	if err != nil || len(made.Notes) != 1 || !strings.HasPrefix(made.Secret, "tcrib_") {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, bad := range []client.TokenRequest{{Name: "b", Agent: "nobody"}, {Name: "b", Deny: []string{"group:"}}, {Name: "a"}, {Name: ""}} {
		if again, err := c.MakeToken(t.Context(), bad); err == nil {
			t.Errorf("made %+v", again)
		} else if k := toolcrib.KindOf(err); k != toolcrib.KindInput && k != toolcrib.KindNotFound {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if got := knock(door, made.Secret); got != 200 {
		t.Errorf("with the token: %d", got)
	}
	if got := knock(door, ""); got != 401 {
		t.Errorf("without: %d", got)
	}
	// An agent that is taken out of the configuration takes its tokens' tools along.
	rewrite(t, file, `{}`)
	if err := g.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := enter(door, made.Secret).Body.String(); strings.Contains(got, `"result"`) || !strings.Contains(got, "reader") {
		t.Errorf("a session of an agent that isn't configured: %s", got)
	}
}

// TestStaticTokenReplaced: sessions of the former gateway.token end with it, and
// those of other tokens stay.
func TestStaticTokenReplaced(t *testing.T) {
	file := written(t, `{gateway: {token: "first-of-two-tokens"}}`)
	g, door, c := tokened(t, Options{ConfigFile: file})
	made, err := c.MakeToken(t.Context(), client.TokenRequest{Name: "a"})
	if err != nil || len(made.Notes) != 0 {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, secret := range []string{"first-of-two-tokens", made.Secret} {
		if got := knock(door, secret); got != 200 {
			t.Errorf("%.9s: %d", secret, got)
		}
	}
	rewrite(t, file, `{gateway: {token: "second-of-two-tokens"}}`)
	if err := g.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := g.door.Callers(); len(got) != 1 || got[0] != "a#"+made.Token.ID {
		t.Errorf("sessions are of %q", got)
	}
	if knock(door, "first-of-two-tokens") != 401 || knock(door, "second-of-two-tokens") != 200 || knock(door, made.Secret) != 200 {
		t.Error("the new one isn't in force alone, beside the one that was made")
	}
}

// TestStoreGone: while the store can't be read nobody comes in but by gateway.token.
func TestStoreGone(t *testing.T) {
	dir := t.TempDir()
	blocker := filepath.Join(dir, "blocker")
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	url, err := json.Marshal("sqlite:" + filepath.Join(blocker, "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, door, c := tokened(t, Options{ConfigFile: written(t, `{store: {url: `+string(url)+`}}`)})
	if got := knock(door, ""); got == 200 || got == 401 {
		t.Errorf("without a token: %d", got)
	}
	if _, err := c.MakeToken(t.Context(), client.TokenRequest{Name: "a"}); err == nil {
		t.Error("a token was made")
	}
	_, door, _ = tokened(t, Options{ConfigFile: written(t, `{gateway: {token: "some-static-token"}, store: {url: `+string(url)+`}}`)})
	if got := knock(door, "some-static-token"); got != 200 {
		t.Errorf("with gateway.token: %d", got)
	}
	if got := knock(door, "another"); got == 200 {
		t.Errorf("with another: %d", got)
	}
}

// TestStoreRemoved: a database that is removed under a gateway is opened anew.
func TestStoreRemoved(t *testing.T) {
	dir := t.TempDir()
	_, door, c := tokened(t, Options{StateDir: dir})
	if _, err := c.MakeToken(t.Context(), client.TokenRequest{Name: "a"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"toolcrib.db", "toolcrib.db-wal", "toolcrib.db-shm"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	made, err := c.MakeToken(t.Context(), client.TokenRequest{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if got := knock(door, made.Secret); got != 200 {
		t.Errorf("with a token of the new one: %d", got)
	}
}

// TestSweep: sessions whose token was revoked behind the gateway's back are ended,
// and others aren't.
func TestSweep(t *testing.T) {
	g, door, c := tokened(t, Options{})
	if got := knock(door, ""); got != 200 {
		t.Fatalf("without a token: %d", got)
	}
	a, err := c.MakeToken(t.Context(), client.TokenRequest{Name: "a", Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if left := g.door.Callers(); len(left) != 0 {
		t.Errorf("after the first token was made sessions are of %q", left)
	}
	b, err := c.MakeToken(t.Context(), client.TokenRequest{Name: "b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{a.Secret, b.Secret} {
		if got := knock(door, secret); got != 200 {
			t.Errorf("with a token: %d", got)
		}
	}
	store, err := g.store.tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.RevokeToken(t.Context(), a.Token.ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	g.sweepTokens(context.Background())
	if left := g.door.Callers(); len(left) != 1 || left[0] != "b#"+b.Token.ID {
		t.Errorf("sessions are of %q", left)
	}
}
