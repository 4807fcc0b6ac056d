package e2e

import (
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// shows adds a bearer token to requests.
type shows string

func (s shows) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(s))
	return http.DefaultTransport.RoundTrip(r)
}

func showing(secret string) func(*http.Request) {
	return func(r *http.Request) {
		if secret != "" {
			r.Header.Set("Authorization", "Bearer "+secret)
		}
	}
}

// token makes a token and returns its secret, which must be all that is on stdout.
func (h *home) token(name string, flags ...string) string {
	h.t.Helper()
	o := h.run(append([]string{"token", "create", name}, flags...)...)
	secret, rest, _ := strings.Cut(o.stdout, "\n")
	if o.code != 0 || rest != "" || !strings.HasPrefix(secret, "tcrib_") || strings.Contains(o.stderr, secret) {
		h.t.Fatalf("token create ended with %d:\n%s%s", o.code, o.stdout, o.stderr)
	}
	return secret
}

// comes starts a session with a token, in one era.
func (r *running) comes(secret, version string) *mcp.ClientSession {
	r.t.Helper()
	return sdkClient(r.t, &mcp.StreamableClientTransport{Endpoint: r.url, HTTPClient: &http.Client{Transport: shows(secret)}, MaxRetries: -1}, version, nil)
}

// initialize is the status with which a session is begun with a token.
func (r *running) initialize(secret string) int {
	r.t.Helper()
	code, _ := post(r.t, r.url, initializeBody, showing(secret))
	return code
}

// api asks the control API over TCP.
func (r *running) api(method, path, body, secret string) (int, string) {
	r.t.Helper()
	return post(r.t, strings.Replace(r.url, "/mcp", path, 1), body, func(req *http.Request) {
		req.Method = method
		showing(secret)(req)
	})
}

// state is the state folder.
func (h *home) state() string { return filepath.Join(h.dir, "s", "toolcrib") }

// adminSecret is what is in the file of the admin token.
func (h *home) adminSecret() string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.state(), "admin.token"))
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// nowhere checks that no file of a home holds a secret.
func (h *home) nowhere(secret string) {
	h.t.Helper()
	looked := 0
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		looked++
		if bytes.Contains(data, []byte(secret)) {
			h.t.Errorf("the secret is in %s", path)
		}
		return nil
	})
	if err != nil || looked < 3 {
		h.t.Errorf("%d files were looked at: %v", looked, err)
	}
}

// TestTokens: the life of tokens beside a running gateway.
func TestTokens(t *testing.T) {
	t.Parallel()
	config := servers(object{"good": fake(t, "good")})
	config["agents"] = object{"list": []object{{"id": "reader", "tools": object{"deny": []string{"mcp:good:*"}}}}}
	h := newHome(t, config)
	g := h.serve()
	g.ready("good")
	if code := g.initialize(""); code != http.StatusOK {
		t.Errorf("before there is a token: %d", code)
	}
	p := h.hello("--attach=always") // needs none, now and later
	stream := g.stream("")
	first := h.run("token", "create", "laptop")
	secret := strings.TrimSpace(first.stdout)
	mentions(t, first.stderr, "first token", "laptop")
	stream.ends(t)
	for name, c := range map[string]struct {
		secret string
		want   int
	}{"none": {"", 401}, "wrong": {secret + "x", 401}, "cut": {secret[:20], 401}, "right": {secret, 200}, "the admin's": {h.adminSecret(), 401}} {
		if code := g.initialize(c.secret); code != c.want {
			t.Errorf("a session with %s: %d, want %d", name, code, c.want)
		}
	}
	p.knows("water plants", "mcp:good:water_plants")
	h.finds("water plants", "mcp:good:water_plants")

	denied, reader := h.token("denied", "--deny", "mcp:good:*"), h.token("reader", "--agent", "reader", "--harness", "codex")
	for era, version := range eras {
		for name, c := range map[string]struct {
			secret string
			finds  bool
		}{"free": {secret, true}, "narrowed by its list": {denied, false}, "of an agent": {reader, false}} {
			text, err := callText(t.Context(), g.comes(c.secret, version), "tool_search", object{"query": "water plants"})
			if found := strings.Contains(text, "mcp:good:water_plants"); found != c.finds && (c.finds || err == nil) {
				t.Errorf("%s: a token that is %s found %v: %s, %v", era, name, found, text, err)
			}
			text, err = callText(t.Context(), g.comes(c.secret, version), "tool_call", object{"id": "mcp:good:water_plants", "args": object{"litres": 1}})
			if called := err == nil; called != c.finds {
				t.Errorf("%s: a token that is %s called %v: %s, %v", era, name, called, text, err)
			}
		}
	}
	if code, body := post(t, g.url+"?agent=main", initializeBody, showing(reader)); code != http.StatusForbidden {
		t.Errorf("another agent than the token's: %d %s", code, body)
	}
	if code, _ := post(t, g.url+"?agent=reader", initializeBody, showing(secret)); code != http.StatusOK {
		t.Errorf("an agent for a token of any: %d", code)
	}

	list := h.ok("token", "list", "--json")
	mentions(t, list, `"name": "laptop"`, `"harness": "codex"`, `"lastUsed"`)
	text := h.ok("token", "list")
	mentions(t, text, "laptop", "reader", "good")
	for _, s := range []string{secret, denied, reader} {
		h.nowhere(s)
		if strings.Contains(list+text+g.log.String(), s) {
			t.Error("a secret was printed or logged")
		}
	}
	if strings.Contains(g.log.String(), secret[:20]) {
		t.Error("a part of a secret that was shown is in the log")
	}
	h.fails(2, []string{"already"}, "token", "create", "laptop")
	h.fails(4, []string{"nobody"}, "token", "create", "x", "--agent", "nobody")
	h.fails(4, []string{"token list"}, "token", "revoke", "nobody")
	h.fails(2, []string{"--expires"}, "token", "create", "x", "--expires", "yesterday")
}

// aStream is an open answer.
type aStream struct{ ended chan error }

func (s aStream) ends(t testing.TB) {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(patience):
		t.Error("an open stream goes on")
	}
}

// stream opens a session of the era of initialize and its standing stream.
func (r *running) stream(secret string) aStream {
	r.t.Helper()
	begin, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url, strings.NewReader(initializeBody))
	if err != nil {
		r.t.Fatal(err)
	}
	begin.Header.Set("Content-Type", "application/json")
	begin.Header.Set("Accept", "application/json, text/event-stream")
	showing(secret)(begin)
	answer, err := http.DefaultClient.Do(begin)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	listen, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.url, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	listen.Header.Set("Accept", "text/event-stream")
	listen.Header.Set("Mcp-Session-Id", answer.Header.Get("Mcp-Session-Id"))
	showing(secret)(listen)
	open, err := http.DefaultClient.Do(listen)
	if err != nil || open.StatusCode != http.StatusOK {
		r.t.Fatalf("no stream: %v, %v", open, err)
	}
	s := aStream{make(chan error, 1)}
	go func() {
		defer open.Body.Close()
		_, err := io.Copy(io.Discard, open.Body)
		s.ended <- err
	}()
	return s
}

// TestRevokedToken: a token that was revoked, here or by another process on the
// same store, opens nothing from then on, and what it had open ends.
func TestRevokedToken(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "tokens.db")
	config := servers(object{"thinker": fake(t, "hangs"), "good": fake(t, "good")})
	config["store"] = object{"url": "sqlite:" + db}
	h := newHome(t, config)
	g := h.serve()
	g.ready("thinker", "good")
	elsewhere := newHome(t, config) // no gateway runs there: it writes into the store by itself
	for place, revoker := range map[string]*home{"here": h, "elsewhere": elsewhere} {
		name := "token-" + place
		secret := h.token(name)
		stream := g.stream(secret)
		ended := map[string]chan error{}
		for era, version := range eras {
			c := g.comes(secret, version)
			ended[era] = make(chan error, 1)
			go func() {
				_, err := callText(t.Context(), c, "tool_call", object{"id": "mcp:thinker:ponder", "args": object{}})
				ended[era] <- err
			}()
		}
		idle := map[string]*mcp.ClientSession{}
		for era, version := range eras {
			idle[era] = g.comes(secret, version)
			if _, err := callText(t.Context(), idle[era], "tool_search", object{"query": "water"}); err != nil {
				t.Fatal(err)
			}
		}
		revoker.ok("token", "revoke", name)
		for era, c := range idle {
			if text, err := callText(t.Context(), c, "tool_search", object{"query": "water"}); err == nil {
				t.Errorf("%s: an open session of the %s era goes on: %s", place, era, text)
			}
		}
		if code := g.initialize(secret); code != http.StatusUnauthorized {
			t.Errorf("%s: a new session: %d", place, code)
		}
		stream.ends(t)
		for era, end := range ended {
			select {
			case err := <-end:
				if err == nil {
					t.Errorf("%s: a call of the %s era had an answer", place, era)
				}
			case <-time.After(patience):
				t.Errorf("%s: a call of the %s era goes on", place, era)
			}
		}
	}
	// All are revoked: that doesn't open the gateway. Forgetting them does.
	if code := g.initialize(""); code != http.StatusUnauthorized {
		t.Errorf("after all were revoked: %d", code)
	}
	h.ok("token", "revoke", "token-here", "--forget")
	mentions(t, h.run("token", "revoke", "token-elsewhere", "--forget").stderr, "no token is left")
	if code := g.initialize(""); code != http.StatusOK {
		t.Errorf("after all were forgotten: %d", code)
	}
}

// TestTokensWithoutGateway: tokens are made before a gateway runs, which then asks
// for one, and may listen where others reach it; no server is started for that.
func TestTokensWithoutGateway(t *testing.T) {
	t.Parallel()
	h := newHome(t, servers(object{"good": fake(t, "good")}))
	h.fails(3, []string{"token create"}, "serve", "--listen", "0.0.0.0:0")
	secret := h.token("laptop")
	short := h.token("short", "--expires", "2s")
	if runtime.GOOS == "linux" && len(children(t, h.dir, "fake-good")) > 0 {
		t.Error("a server runs")
	}
	g := h.serve("--listen", "0.0.0.0:0")
	for s, want := range map[string]int{"": 401, secret: 200, secret + "x": 401} {
		if code := g.initialize(s); code != want {
			t.Errorf("%.8s…: %d, want %d", s, code, want)
		}
	}
	eventually(t, "a token expires", func() bool { return g.initialize(short) == 401 })
	mentions(t, h.ok("token", "list"), "expired")
	config := servers(object{})
	config["store"] = object{"url": "memory:"}
	newHome(t, config).fails(3, []string{"memory:"}, "token", "create", "x")
}

// TestAdminToken: the file opens the control API over TCP, and what says what may
// run takes it at the socket, too.
func TestAdminToken(t *testing.T) {
	t.Parallel()
	config := servers(object{"good": fake(t, "good")})
	config["gateway"] = object{"token": "correct-horse-battery"}
	h := newHome(t, config)
	g := h.serve()
	g.ready("good")
	file := filepath.Join(h.state(), "admin.token")
	for path, want := range map[string]fs.FileMode{file: 0o600, h.state(): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	admin, owner := h.adminSecret(), h.token("owner", "--owner")
	caller := h.token("caller")
	before := h.ok("token", "list", "--json")
	for _, secret := range []string{"", "wrong", caller, owner, "correct-horse-battery"} {
		want := http.StatusForbidden
		if secret == "" || secret == "wrong" {
			want = http.StatusUnauthorized
		}
		for _, request := range []string{"GET /api/status", "GET /api/tokens", "POST /api/tokens", "DELETE /api/tokens/owner", "POST /api/call", "POST /api/reload", "GET /api/attach", "GET /api/nothing", "PUT /api/status", "GET /metrics"} {
			method, path, _ := strings.Cut(request, " ")
			if code, body := g.api(method, path, `{"name":"x"}`, secret); code != want {
				t.Errorf("%s over TCP with %.9q: %d %s", request, secret, code, body)
			}
		}
	}
	if after := h.ok("token", "list", "--json"); strings.Count(after, `"id"`) != strings.Count(before, `"id"`) {
		t.Errorf("something has changed:\n%s", after)
	}
	if code, body := g.api("GET", "/api/tokens", "", admin); code != 200 || !strings.Contains(body, `"owner":true`) {
		t.Errorf("with the admin token: %d %s", code, body)
	}
	if code, body := g.api("POST", "/api/tokens", `{"name":"over-tcp"}`, admin); code != 200 || !strings.Contains(body, `"secret":"tcrib_`) {
		t.Errorf("with the admin token: %d %s", code, body)
	}
	if code, body := post(t, strings.Replace(g.url, "/mcp", "/api/search", 1), `{"query":"x"}`, func(r *http.Request) {
		showing(admin)(r)
		r.Header.Set("Origin", "https://evil.example")
	}); code != http.StatusForbidden {
		t.Errorf("a page of another site: %d %s", code, body)
	}

	// Without the file the commands read, and change nothing.
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	h.ok("token", "list")
	h.ok("tools", "list")
	h.fails(5, []string{"admin token"}, "token", "create", "y")
	h.fails(5, []string{"admin token"}, "token", "revoke", "caller")
	if code, _ := g.api("GET", "/api/status", "", admin); code != http.StatusUnauthorized {
		t.Errorf("a token whose file is gone: %d", code)
	}
	mentions(t, h.ok("token", "admin", "rotate"), file)
	second := h.adminSecret()
	if code, _ := g.api("GET", "/api/status", "", second); code != http.StatusOK || second == admin {
		t.Errorf("the new one: %d", code)
	}
	if code, _ := g.api("GET", "/api/status", "", admin); code != http.StatusUnauthorized {
		t.Errorf("the one before: %d", code)
	}
	h.ok("token", "create", "y")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _ := g.api("GET", "/api/status", "", second); code != http.StatusOK {
		t.Errorf("after its mode was changed: %d", code)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !strings.Contains(g.log.String(), "narrowed") {
		t.Errorf("%v, %v\n%s", info.Mode(), err, g.log)
	}
	if text := g.log.String(); slices.ContainsFunc([]string{admin, second, owner, caller, "correct-horse"}, func(s string) bool { return strings.Contains(text, s) }) {
		t.Errorf("a secret is in the log:\n%s", text)
	}
}
