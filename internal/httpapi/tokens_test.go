package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/token"
)

func (f *fakeControl) Tokens(context.Context) ([]client.Token, error) {
	return []client.Token{{ID: "x1", Name: "laptop"}}, f.err
}

func (f *fakeControl) MakeToken(_ context.Context, r client.TokenRequest) (client.NewToken, error) {
	return client.NewToken{Token: client.Token{ID: "x2", Name: r.Name}, Secret: "tcrib_s"}, f.err
}

func (f *fakeControl) RevokeToken(_ context.Context, token string, forget bool) (client.RevokedToken, error) {
	return client.RevokedToken{Token: client.Token{ID: token}, Notes: []string{fmt.Sprint(forget)}}, f.err
}

// fakeTokens are tokens by their secret.
type fakeTokens struct {
	all map[string]token.Token
	err error
}

func (f fakeTokens) Verify(_ context.Context, secret string) (token.Token, error) {
	if t, ok := f.all[secret]; ok || f.err != nil {
		return t, f.err
	}
	return token.Token{}, toolcrib.NewError(toolcrib.KindUnauthorized, "no", "").WithCause(token.ErrUnknown)
}

func (f fakeTokens) Any(context.Context) (bool, error) { return len(f.all) > 0, f.err }

// some are a token of each sort.
func some() fakeTokens {
	return fakeTokens{all: map[string]token.Token{
		"t-caller": {ID: "i1", Name: "caller", Agent: "writer", Harness: "codex", Deny: []string{"exec"}},
		"t-owner":  {ID: "i2", Name: "owner", Owner: true},
	}}
}

const adminSecret = "the-admin's"

func isAdmin(secret string) bool { return secret == adminSecret }

// TestWhoMayUseWhat asks for every route with every kind of token, over TCP and
// over the socket. A route that is added takes part by itself.
func TestWhoMayUseWhat(t *testing.T) {
	control := &fakeControl{}
	socket, err := NewControl(ControlOptions{Control: control, Admin: isAdmin})
	if err != nil {
		t.Fatal(err)
	}
	tcp := publicFor(t, PublicOptions{Listen: "127.0.0.1:0", Token: "t-static", Tokens: some(), Control: socket, Admin: isAdmin})
	let := func(code int) bool { return code != 401 && code != 403 }
	a := &api{control: control}
	ask := func(h http.Handler, r route, secret string) int {
		path := strings.NewReplacer("{name}", "x", "{token}", "x", "{id}", "x").Replace(r.path)
		req := httptest.NewRequest(r.method, "http://localhost"+path, strings.NewReader("{}"))
		ctx, cancel := context.WithCancel(req.Context())
		cancel() // what would stream ends at once
		if secret != "" {
			req.Header.Set("Authorization", "Bearer "+secret)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req.WithContext(ctx))
		return w.Code
	}
	secrets := []string{"", "wrong", "t-caller", "t-owner", "t-static", adminSecret}
	check := func(r route, adminOnly bool) {
		for _, secret := range secrets {
			want := 401
			switch {
			case secret == adminSecret:
				want = 0
			case strings.HasPrefix(secret, "t-"):
				want = 403
			}
			if got := ask(tcp, r, secret); got != want && (want != 0 || !let(got)) {
				t.Errorf("TCP %s %s with %q: %d, want %d", r.method, r.path, secret, got, want)
			}
			got := ask(socket, r, secret)
			if admitted := !adminOnly || secret == adminSecret; admitted != let(got) || !admitted && got != 401 {
				t.Errorf("socket %s %s with %q: %d", r.method, r.path, secret, got)
			}
		}
	}
	admins := map[string]bool{}
	for _, r := range a.adminRoutes() {
		admins[r.method+r.path] = true
	}
	for _, r := range a.allRoutes() {
		check(r, admins[r.method+r.path])
	}
	if len(admins) == 0 {
		t.Error("no route is the admin's alone")
	}
	check(route{method: "GET", path: "/api/nothing"}, false)
	check(route{method: "PATCH", path: "/api/tokens"}, false)
	for secret, want := range map[string]int{"": 401, "wrong": 401, "t-caller": 200, "t-owner": 200, "t-static": 200, adminSecret: 401} {
		if got := ask(tcp, route{method: "POST", path: "/mcp"}, secret); got != want {
			t.Errorf("/mcp with %q: %d, want %d", secret, got, want)
		}
	}
	if got := ask(controlFor(t, control, nil), route{method: "POST", path: "/api/tokens"}, ""); got != 200 {
		t.Errorf("in the process itself: %d", got)
	}
}

// TestScopeOfToken: what a token says reaches what serves MCP, and ?agent= can't
// leave it.
func TestScopeOfToken(t *testing.T) {
	var got toolcrib.Scope
	h := publicFor(t, PublicOptions{Listen: "127.0.0.1:0", Token: "t-static", Tokens: some(), MCP: func(w http.ResponseWriter, _ *http.Request, s toolcrib.Scope, _ string) {
		got = s
		w.WriteHeader(200)
	}})
	for _, test := range []struct {
		secret, agent string
		want          *toolcrib.Scope
	}{
		{"t-caller", "", &toolcrib.Scope{Agent: "writer", Caller: "caller#i1", Harness: "codex", Narrow: &toolcrib.Narrowing{Token: &toolcrib.ToolList{Deny: []string{"exec"}}}}},
		{"t-caller", "writer", &toolcrib.Scope{Agent: "writer", Caller: "caller#i1", Harness: "codex", Narrow: &toolcrib.Narrowing{Token: &toolcrib.ToolList{Deny: []string{"exec"}}}}},
		{"t-caller", "main", nil},
		{"t-owner", "", &toolcrib.Scope{Agent: "main", Caller: "owner#i2", Owner: true}},
		{"t-owner", "reader", &toolcrib.Scope{Agent: "reader", Caller: "owner#i2", Owner: true}},
		{"t-static", "", &toolcrib.Scope{Agent: "main", Caller: StaticCaller}},
		{"t-static", "main", &toolcrib.Scope{Agent: "main", Caller: StaticCaller}},
		{"t-static", "reader", nil},
	} {
		got = toolcrib.Scope{}
		url := "http://localhost/mcp"
		if test.agent != "" {
			url += "?agent=" + test.agent
		}
		r := httptest.NewRequest("POST", url, nil)
		r.Header.Set("Authorization", "Bearer "+test.secret)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if test.want == nil {
			if w.Code != 403 {
				t.Errorf("%s for agent %q: %d", test.secret, test.agent, w.Code)
			}
			continue
		}
		test.want.Door = toolcrib.DoorMCP
		if diff := cmp.Diff(*test.want, got); diff != "" || w.Code != 200 {
			t.Errorf("%s for agent %q: %d (-want +got):\n%s", test.secret, test.agent, w.Code, diff)
		}
	}
}

// TestTokensAreAsked: an address of this machine asks for a token as soon as there
// is one, and nothing is let in when that can't be told.
func TestTokensAreAsked(t *testing.T) {
	for _, test := range []struct {
		name   string
		tokens Tokens
		secret string
		want   int
	}{
		{"none made", fakeTokens{}, "", 200},
		{"none made, one shown", fakeTokens{}, "x", 200},
		{"one made", some(), "", 401},
		{"one made, another shown", some(), "x", 401},
		{"one made and shown", some(), "t-owner", 200},
		{"the store fails", fakeTokens{err: toolcrib.NewError(toolcrib.KindUnavailable, "the store failed", "")}, "", 503},
		{"the store fails, one shown", fakeTokens{err: errors.New("secret text")}, "x", 500},
	} {
		h := publicFor(t, PublicOptions{Listen: "127.0.0.1:0", Tokens: test.tokens})
		r := httptest.NewRequest("POST", "http://localhost/mcp", nil)
		if test.secret != "" {
			r.Header.Set("Authorization", "Bearer "+test.secret)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s: %d, want %d", test.name, w.Code, test.want)
		}
	}
	if _, err := NewPublic(PublicOptions{MCP: answerScope, Listen: "0.0.0.0:1", Tokens: fakeTokens{}}); toolcrib.KindOf(err) != toolcrib.KindConfig {
		t.Errorf("other machines are let in without any token: %v", err)
	}
	if _, err := NewPublic(PublicOptions{MCP: answerScope, Listen: "0.0.0.0:1", Tokens: some()}); err != nil {
		t.Error(err)
	}
}

// TestWrongTokensAreAlike: the answer doesn't tell a revoked token from one that
// never was, and neither the answer nor the log holds what was shown.
func TestWrongTokensAreAlike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		tokens := some()
		h := publicFor(t, PublicOptions{Listen: "127.0.0.1:0", Tokens: wrongly{tokens}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		answers := map[string]bool{}
		for i := range 300 {
			r := httptest.NewRequest("POST", "http://localhost/mcp", nil)
			r.Header.Set("Authorization", "Bearer shown-"+[]string{"unknown", "revoked", "expired"}[i%3])
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			answers[fmt.Sprint(w.Code, w.Header(), w.Body)] = true
			time.Sleep(100 * time.Millisecond)
		}
		if len(answers) != 1 {
			t.Errorf("the answers differ: %v", answers)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 3 || strings.Contains(log.String(), "shown-") {
			t.Errorf("the log has %d lines:\n%s", lines, &log)
		}
		if !strings.Contains(log.String(), "others=99") {
			t.Errorf("the log doesn't say how many:\n%s", &log)
		}
	})
}

// wrongly refuses for the reason that the secret says.
type wrongly struct{ fakeTokens }

func (w wrongly) Verify(_ context.Context, secret string) (token.Token, error) {
	why := map[string]error{"shown-unknown": token.ErrUnknown, "shown-revoked": token.ErrRevoked, "shown-expired": token.ErrExpired}[secret]
	return token.Token{}, toolcrib.NewError(toolcrib.KindUnauthorized, why.Error(), "").WithCause(why)
}

func TestTokenRoutes(t *testing.T) {
	for name, c := range clients(t, controlFor(t, &fakeControl{}, nil)) {
		list, err := c.Tokens(t.Context())
		if err != nil || len(list) != 1 || list[0].Name != "laptop" {
			t.Errorf("%s: %v, %v", name, list, err)
		}
		made, err := c.MakeToken(t.Context(), client.TokenRequest{Name: "phone", Expires: time.Now().Add(time.Hour)})
		if err != nil || made.Token.Name != "phone" || made.Secret != "tcrib_s" {
			t.Errorf("%s: %v, %v", name, made, err)
		}
		for _, forget := range []bool{false, true} {
			gone, err := c.RevokeToken(t.Context(), "a/b", forget)
			if err != nil || gone.Token.ID != "a/b" || gone.Notes[0] != fmt.Sprint(forget) {
				t.Errorf("%s: %v, %v", name, gone, err)
			}
		}
	}
}

// TestTokenJSON: a token without bounds shows no times that never were.
func TestTokenJSON(t *testing.T) {
	got, err := json.Marshal(client.Token{ID: "i", Name: "n", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	if want := `{"id":"i","name":"n","created":"2026-01-02T03:04:05Z"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// TestClientShowsToken: a client with the admin token gets where others don't.
func TestClientShowsToken(t *testing.T) {
	h, err := NewControl(ControlOptions{Control: &fakeControl{}, Admin: isAdmin})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range clients(t, h) {
		if _, err := c.MakeToken(t.Context(), client.TokenRequest{Name: "x"}); toolcrib.KindOf(err) != toolcrib.KindUnauthorized {
			t.Errorf("%s without it: %v", name, err)
		}
		if _, err := c.WithToken(adminSecret).MakeToken(t.Context(), client.TokenRequest{Name: "x"}); err != nil {
			t.Errorf("%s with it: %v", name, err)
		}
		if _, err := c.MakeToken(t.Context(), client.TokenRequest{Name: "x"}); err == nil {
			t.Errorf("%s: the client it was made of has it, too", name)
		}
	}
}
