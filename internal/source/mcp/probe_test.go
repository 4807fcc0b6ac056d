package mcp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcrib/toolcrib"
)

// probe tries a server with the times of tests.
func probe(t *testing.T, s Server) Report {
	t.Helper()
	return Probe(limit(t), s, Options{
		Environ: os.Environ(), tuning: quick, Redact: func(s string) string { return strings.ReplaceAll(s, "s3cret", "***") },
	})
}

// steps are the names of a report's steps; "!" marks one that failed.
func steps(r Report) (out []string) {
	for _, s := range r.Steps {
		if s.Failed {
			s.Name += "!"
		}
		out = append(out, s.Name)
	}
	return out
}

func TestProbe(t *testing.T) {
	off := with(fake(t, "a", "two"), func(s *Server) { s.Enabled, s.Deny, s.Trusted = false, []string{"pid"}, true })
	web := serve(t, streamable(sdkServer(t.Context()), true))
	sse := serve(t, sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return sdkServer(t.Context()) }, nil))
	for name, c := range map[string]struct {
		server          Server
		steps           []string
		protocol, by    string
		tools           []string
		listed, warning int
	}{
		"stdio":       {off, []string{"start", "handshake", "list"}, "2024-11-05", "stdio", []string{"echo"}, 2, 0},
		"sdk":         {fake(t, "a", "sdk"), []string{"start", "handshake", "list"}, "2026-07-28", "stdio", sdkTools, 5, 0},
		"noisy":       {fake(t, "a", "garbage"), []string{"start", "handshake", "list"}, "2024-11-05", "stdio", []string{"echo"}, 1, 1},
		"no discover": {fake(t, "a", "no-discover"), []string{"start", "handshake", "list"}, "2024-11-05", "stdio", []string{"echo"}, 1, 1},
		"http":        {remote("a", web.URL), []string{"connect", "handshake", "list"}, "2026-07-28", "http", sdkTools, 5, 0},
		"sse":         {remote("a", sse.URL), []string{"connect", "handshake", "list"}, "2025-11-25", "sse", sdkTools, 5, 0},
	} {
		r := probe(t, c.server)
		if !r.OK() || r.Reason != "" || r.Protocol != c.protocol || r.Transport != c.by || r.Listed != c.listed || len(r.Warnings) != c.warning {
			t.Errorf("%s: %+v", name, r)
		}
		if diff := cmp.Diff(c.steps, steps(r)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := names(toolcrib.Listing{Tools: r.Tools}); !slices.Equal(got, c.tools) {
			t.Errorf("%s: tools %v", name, got)
		}
		if r.ServerName == "" || !strings.Contains(string(r.Capabilities), `"tools"`) || r.Took <= 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := probe(t, off); r.ListBytes != len(echoTool)+len(`{"name":"pid","inputSchema":{"type":"object"}}`) || !r.Tools[0].Trusted {
		t.Errorf("the list has %d bytes, tools %+v", r.ListBytes, r.Tools)
	}
}

// TestProbeLocalFaults names what is wrong with local servers.
func TestProbeLocalFaults(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/no/such/program\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		server Server
		fault  Fault
		steps  []string
		reason string
		hint   string
	}{
		"missing": {Server{Name: "a", Command: "uvx", Env: map[string]string{"PATH": t.TempDir()}}, FaultCommand, []string{"start!"}, `command "uvx" not found`, "install uv, or give its full path in mcp.servers.a.command"},
		"folder":  {Server{Name: "a", Command: "/bin/sh", Cwd: filepath.Join(t.TempDir(), "absent")}, FaultStart, []string{"start!"}, "can't be started in folder", "mcp.servers.a.cwd"},
		"script":  {Server{Name: "a", Command: script}, FaultStart, []string{"start!"}, "can't be started", ""},
		"exits":   {fake(t, "a", "exit=7"), FaultExit, []string{"start", "handshake!"}, "exited with code 7; its last words: cannot find module: ***", ""},
		"nothing": {Server{Name: "a"}, FaultConfig, nil, "neither a command nor a url", ""},
		"pattern": {with(fake(t, "a", "plain"), func(s *Server) { s.Deny = []string{""} }), FaultConfig, nil, "mcp.servers.a.deny[0]", ""},
		"name":    {fake(t, "a b", "plain"), FaultConfig, nil, `"a b"`, ""},
	} {
		r := probe(t, c.server)
		if r.Fault != c.fault || !strings.Contains(r.Reason, c.reason) || !strings.Contains(r.Hint, c.hint) || r.OK() || r.Login {
			t.Errorf("%s: %+v", name, r)
		}
		if diff := cmp.Diff(c.steps, steps(r)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if r := probe(t, fake(t, "a", "exit=7")); !slices.Equal(r.Stderr, []string{"cannot find module: ***"}) {
		t.Errorf("stderr %q", r.Stderr)
	}
}

// TestProbeSilent ends with its time, or with the caller's.
func TestProbeSilent(t *testing.T) {
	hasty := quick
	hasty.start, hasty.startMax = 300*time.Millisecond, 600*time.Millisecond
	r := Probe(limit(t), fake(t, "a", "silent"), Options{Environ: os.Environ(), tuning: hasty})
	if r.Fault != FaultSilent || !strings.Contains(r.Reason, "`initialize` was not answered in") || r.Hint == "" {
		t.Errorf("%+v", r)
	}
	web := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else it isn't seen that the client leaves
		<-r.Context().Done()
	}))
	for _, s := range []Server{fake(t, "a", "silent"), remote("a", web.URL)} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		r := Probe(ctx, s, Options{Environ: os.Environ(), tuning: quick})
		cancel()
		if r.Fault != FaultSilent || !strings.Contains(r.Reason, "answer") || len(r.Steps) != 2 || !r.Steps[1].Failed {
			t.Errorf("%+v", r)
		}
	}
}

// TestProbeRemoteFaults names what is wrong with remote servers.
func TestProbeRemoteFaults(t *testing.T) {
	answer := func(status int, header, body string) string {
		return serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if header != "" {
				w.Header().Set("Www-Authenticate", header)
			}
			http.Error(w, body, status)
		})).URL
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	plain := serve(t, http.NotFoundHandler()).URL
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	secure.StartTLS()
	t.Cleanup(func() { shut(t, secure) })
	const oauth = `Bearer error="invalid_token", resource_metadata="https://login.example/.well-known/oauth-protected-resource?k=s3cret"`
	token := map[string]string{"authorization": "Bearer s3cret"}
	for name, c := range map[string]struct {
		url     string
		headers map[string]string
		fault   Fault
		words   []string
		at      string
	}{
		"401":       {answer(401, "", "no"), nil, FaultLogin, []string{"HTTP 401", "needs a login or token", "set mcp.servers.a.headers.Authorization", `"Bearer TOKEN"`}, ""},
		"oauth":     {answer(401, oauth, "no"), nil, FaultLogin, []string{"needs a login", "set mcp.servers.a.headers.Authorization"}, "https://login.example/.well-known/oauth-protected-resource"},
		"basic":     {answer(401, `Basic realm="x"`, "no"), nil, FaultLogin, []string{`"Basic TOKEN"`}, ""},
		"expired":   {answer(401, oauth, "no"), token, FaultLogin, []string{"the token is not accepted", "correct mcp.servers.a.headers.Authorization"}, "https://login.example/.well-known/oauth-protected-resource"},
		"scope":     {answer(403, `Bearer error="insufficient_scope", scope="files:read"`, "no"), token, FaultLogin, []string{`lacks the scope "files:read"`}, ""},
		"forbidden": {answer(403, "", "no"), token, FaultStatus, []string{"HTTP 403", "the token may not use it"}, ""},
		"403 login": {answer(403, oauth, "no"), nil, FaultLogin, []string{"needs a login or token"}, "https://login.example/.well-known/oauth-protected-resource"},
		"404":       {answer(404, "", "no"), nil, FaultStatus, []string{"no MCP server at this path", "check mcp.servers.a.url"}, ""},
		"500":       {answer(500, "", "out of s3cret cheese"), nil, FaultStatus, []string{"HTTP 500", "out of *** cheese"}, ""},
		"html":      {serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })).URL, nil, FaultProtocol, []string{"text/html"}, ""},
		"moved":     {serve(t, http.RedirectHandler("https://elsewhere.example/mcp", http.StatusPermanentRedirect)).URL, nil, FaultMoved, []string{"redirects to https://elsewhere.example/mcp"}, ""},
		"refused":   {closed.URL, nil, FaultNetwork, []string{"refused", "is the server running?"}, ""},
		"unknown":   {secure.URL, nil, FaultTLS, []string{"authority that this machine doesn't know", "SSL_CERT_FILE"}, ""},
		"no tls":    {strings.Replace(plain, "http:", "https:", 1), nil, FaultTLS, []string{"doesn't speak TLS", "http://"}, ""},
	} {
		s := remote("a", c.url)
		s.Headers = c.headers
		r := probe(t, s)
		text := fmt.Sprintf("%+v", r)
		if r.Fault != c.fault || r.Login != (c.fault == FaultLogin) || r.LoginAt != c.at || strings.Contains(text, "s3cret") {
			t.Errorf("%s: %s", name, text)
		}
		for _, w := range c.words {
			if !strings.Contains(r.Reason+": "+r.Hint, w) {
				t.Errorf("%s: %q, %q doesn't say %q", name, r.Reason, r.Hint, w)
			}
		}
	}
}

// TestNetworkFaults are those that no server on this machine can show.
func TestNetworkFaults(t *testing.T) {
	s := &Server{Name: "a"}
	for _, c := range []struct {
		err   error
		fault Fault
		word  string
	}{
		{&net.OpError{Op: "dial", Err: &net.DNSError{Name: "nowhere.example", IsNotFound: true}}, FaultDNS, `"nowhere.example" is not known`},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, FaultNetwork, "in time"},
		{x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"}, FaultTLS, "another name"},
		{x509.CertificateInvalidError{Reason: x509.Expired}, FaultTLS, "expired"},
		{x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign}, FaultTLS, "no encrypted connection"},
		{tls.AlertError(40), FaultTLS, "handshake failure"},
		{errors.New("odd"), FaultNetwork, "h can't be reached: around: odd"},
	} {
		if d := networkReason(s, "h", fmt.Errorf("around: %w", c.err)); d.fault != c.fault || !strings.Contains(d.Error(), c.word) {
			t.Errorf("%v: %+v", c.err, d)
		}
	}
}

// TestProbeApart leaves no trace beside a running server, and no process.
func TestProbeApart(t *testing.T) {
	cache, logs := t.TempDir(), t.TempDir()
	a := fake(t, "a", "two")
	s := open(t, Options{Servers: []Server{a}, CacheDir: cache, LogDir: logs})
	pid := ready(t, s, "a").pid
	before := folder(t, cache) + folder(t, logs)
	a.Env["OTHER"] = "1"
	if r := Probe(limit(t), a, Options{Environ: os.Environ(), CacheDir: cache, LogDir: logs, tuning: quick}); !r.OK() {
		t.Errorf("%+v", r)
	}
	if after := folder(t, cache) + folder(t, logs); after != before {
		t.Errorf("files were %s, are %s", before, after)
	}
	if got := ready(t, s, "a"); got.pid != pid || got.starts != 1 {
		t.Errorf("the running one: %+v", got)
	}
}

// folder describes the files of a folder.
func folder(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range list {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: %d; ", f.Name(), len(data))
	}
	return b.String()
}

// TestStatusLogin says in the status of a server that it waits for a login.
func TestStatusLogin(t *testing.T) {
	web := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	s := open(t, Options{Servers: []Server{remote("web", web.URL)}, tuning: tuning{retryMin: time.Hour, retryMax: time.Hour, grace: quick.grace}})
	down(t, s, "web")
	if st := s.Status()[0]; st.Fault != FaultLogin || !strings.Contains(st.Reason, "set mcp.servers.web.headers.Authorization") {
		t.Errorf("status %+v", st)
	}
}

func FuzzChallenges(f *testing.F) {
	f.Add(`Bearer realm="x", error="insufficient_scope", scope="a b", resource_metadata="https://h/.well-known/x?y#z"`)
	f.Add(`Basic realm="\"", Bearer resource_metadata=http://user:pass@h/`)
	f.Add(`"`)
	f.Add(`Negotiate abc==, bearer a=b`)
	f.Fuzz(func(t *testing.T, value string) {
		c := readChallenges([]string{value})
		if c.scheme != "" && c.scheme != "Bearer" && c.scheme != "Basic" {
			t.Errorf("scheme %q", c.scheme)
		}
		if strings.ContainsAny(c.metadata, "?#@ \n\"") && !strings.Contains(c.metadata, "%") || len(c.scope) > 220 || !utf8.ValidString(c.scope) {
			t.Errorf("%q is read as %+v", value, c)
		}
	})
}
