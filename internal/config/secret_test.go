package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The secrets of secretFile, each long enough to be looked for in any text.
var secretWords = []string{
	"s3cret-env", "s3cret-file", "s3cret-token", "s3cret-name", "s3cret-bearer", "s3cret-literal", "s3cret-url", "s3cret-query",
	"s3cret-arg", "s3cret-next", "s3cret-number-no", "s3cret-off", "s3cret\"quoted\\", "s3cret-allow", "s3cret-cwd", "s3cret-header",
}

const secretFile = `{
  tools: {allow: ["${ALLOW}"]},
  mcp: {servers: {
    a: {
      command: "${CMD}", args: ["--api-key=s3cret-arg", "--token", "s3cret-next", "-v", "${FILE_ARG}"],
      env: {PLAIN: "${ENV}", API_KEY: "s3cret-name", QUOTED_PASSWORD: 's3cret"quoted\\', SHORT_TOKEN: "abc", MODE: "visible-mode"},
      cwd: "/tmp/${CWD}",
    },
    b: {
      url: "https://user:s3cret-url@x.example/mcp?api_key=s3cret-query&page=visible-page",
      headers: {Authorization: "Bearer s3cret-bearer", "X-Custom": "pre-${HEADER}", Accept: "visible-accept"},
    },
    off: {command: "x", enabled: false, env: {GITHUB_TOKEN: "s3cret-off", LIT: "${file:secret.txt}"}},
  }},
  gateway: {token: "s3cret-token"},
  %
}`

func secretOptions(t *testing.T, extra string) Options {
	o := write(t, strings.Replace(secretFile, "%", extra, 1), "ENV=s3cret-env", "CMD=s3cret-number-no", "ALLOW=s3cret-allow",
		"FILE_ARG=s3cret-literal", "CWD=s3cret-cwd", "HEADER=s3cret-header", "HOME=/home/me")
	return withFile(t, o, "secret.txt", "s3cret-file\n")
}

// exposed names the first secret that text shows.
func exposed(text string) string {
	for _, s := range secretWords {
		escaped, _ := json.Marshal(s)
		if strings.Contains(text, s) || strings.Contains(text, strings.Trim(string(escaped), `"`)) {
			return s
		}
	}
	if i := strings.Index(text, "s3cret"); i >= 0 {
		return text[i:min(len(text), i+30)]
	}
	return ""
}

func TestNoPrintShowsASecret(t *testing.T) {
	c, _ := load(t, secretOptions(t, ""))
	marshal := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var logged strings.Builder
	for _, h := range []slog.Handler{slog.NewTextHandler(&logged, nil), slog.NewJSONHandler(&logged, nil)} {
		slog.New(h).Info("x", "config", c, "value", *c, "server", c.MCP.Servers["a"], "gateway", c.Gateway, "servers", c.MCP)
	}
	var all strings.Builder
	all.WriteString(string(c.Dump()) + marshal(c) + marshal(*c) + marshal(c.MCP) + marshal(c.Gateway) + logged.String())
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, v := range []any{c, *c, c.MCP, &c.MCP, c.MCP.Servers, c.MCP.Servers["a"], c.MCP.Servers["b"], c.Gateway, &c.Gateway, struct{ C any }{c}, []Config{*c}} {
			all.WriteString(fmt.Sprintf(verb, v))
		}
	}
	for _, path := range []string{"", "mcp", "mcp.servers.a.env.PLAIN", "mcp.servers.a.env.SHORT_TOKEN", "mcp.servers.b.url", "gateway.token", "mcp.servers.a.args", "tools"} {
		got, err := c.Get(path)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(string(got))
	}
	if s := exposed(all.String()); s != "" {
		t.Errorf("%q is shown", s)
	}
	if strings.Contains(all.String(), `"abc"`) {
		t.Error("the short token is shown")
	}
	for _, word := range []string{"visible-mode", "visible-page", "visible-accept", "/tmp/[redacted]", "--api-key=[redacted]"} {
		if !strings.Contains(string(c.Dump()), word) {
			t.Errorf("the dump hides %q:\n%s", word, c.Dump())
		}
	}
	if s := c.MCP.Servers["a"]; s.Env["API_KEY"] != "s3cret-name" || c.Gateway.Token != "s3cret-token" {
		t.Error("those who need a secret don't get it")
	}
}

func TestNoErrorOrWarningShowsASecret(t *testing.T) {
	for _, extra := range []string{
		`log: {level: "s3cret-env"}`,
		`log: {level: "${ENV}"}`,
		`log: {level: s3cret-env}`,
		`log: {"level": "s3cret-env`,
		`agents: {list: [{id: "${ENV} "}]}`,
		`tool: "s3cret-env"`,
		`"s3cret-env": 1`,
		`agents: "${ENV}"`,
		`agents: {list: [{id: 'a', tools: {maxResultBytes: "${ENV}", toolSearch: {mode: "${ENV}", codeTimeoutMs: "${ENV}"}}}]}`,
		`log: {level: "${s3cret env}"}`,
	} {
		o := secretOptions(t, extra)
		o.Environ = append(o.Environ, "TOOLCRIB_TOOLS__MAXRESULTBYTES=s3cret-env", "TOOLCRIB_X=s3cret-env", "TOOLCRIB_AGENTS__LIST=[s3cret-env")
		o.Flags = []string{"s3cret-env", "gateway.listen=s3cret-env", `mcp.servers.z={"command": "s3cret-env`}
		_, warnings, err := Load(o)
		if err == nil {
			t.Fatalf("%s: accepted", extra)
		}
		if s := exposed(fmt.Sprintf("%v %+v %q", err, warnings, said(o, warnings))); s != "" {
			t.Errorf("%s: %q is shown in %v %v", extra, s, err, warnings)
		}
	}
}

func TestRedact(t *testing.T) {
	c, _ := load(t, write(t, `{mcp: {servers: {a: {command: "x", env: {A_TOKEN: "abcd", B_TOKEN: "abcdefgh", C_TOKEN: "xyz", D_TOKEN: "p&q r\"<", H: "${HOME}", P: "${PORT:-8080}"}}}}}`, "HOME=/home/me"))
	if diff := cmp.Diff([]string{"abcdefgh", `p&q r"<`, "abcd", "xyz"}, c.Secrets()); diff != "" {
		t.Error(diff)
	}
	for text, want := range map[string]string{
		"":                              "",
		"abcdefgh abcde abcd abc":       "[redacted] [redacted]e [redacted] abc",
		"xyz":                           "xyz",
		`raw p&q r"< end`:               "raw [redacted] end",
		`{"a":"p\u0026q r\"\u003c"}`:    `{"a":"[redacted]"}`,
		`{"a":"p&q r\"<"}`:              `{"a":"[redacted]"}`,
		"https://x/?a=p%26q+r%22%3C&b=": "https://x/?a=[redacted]&b=",
		"/home/me:8080":                 "/home/me:8080",
	} {
		if got := c.Redact(text); got != want {
			t.Errorf("Redact(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSecretNames(t *testing.T) {
	for _, name := range []string{
		"GITHUB_TOKEN", "token", "API_KEY", "apiKey", "X-Api-Key", "Authorization", "Proxy-Authorization", "Cookie", "AWS_SECRET_ACCESS_KEY",
		"PGPASSWORD", "DB_PASS", "PASSPHRASE", "DATABASE_URL", "SENTRY_DSN", "OPENAI_KEY", "GH_PAT", "PRIVATE-KEY", "SLACK_WEBHOOK",
	} {
		if !secretName(name) {
			t.Errorf("%s looks plain", name)
		}
	}
	for _, name := range []string{"PATH", "NODE_ENV", "LOG_LEVEL", "KEYBOARD", "Accept", "User-Agent", "PORT", "MONKEY", "COMPASS", "PATTERN"} {
		if secretName(name) {
			t.Errorf("%s looks like a secret", name)
		}
	}
}
