package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// minRedact is the length in bytes from which a secret is looked for in any
// text; shorter ones would hit half of all words. Dump hides them all the same.
const minRedact = 4

// plainVariables are variables of the system whose values are no secrets.
var plainVariables = map[string]bool{
	"HOME": true, "USER": true, "LOGNAME": true, "USERNAME": true, "USERPROFILE": true, "PATH": true, "PWD": true,
	"SHELL": true, "LANG": true, "TERM": true, "TMPDIR": true, "TEMP": true, "TMP": true, "HOST": true,
	"HOSTNAME": true, "PORT": true, "APPDATA": true, "LOCALAPPDATA": true, "SYSTEMROOT": true,
	"XDG_CONFIG_HOME": true, "XDG_STATE_HOME": true, "XDG_CACHE_HOME": true, "XDG_DATA_HOME": true, "XDG_RUNTIME_DIR": true,
}

// authSchemes are the words that stand before a credential in a header.
var authSchemes = []string{"bearer", "basic", "token", "apikey", "digest", "negotiate"}

// secretName reports whether a variable, header, option or query parameter of
// this name likely holds a secret.
func secretName(name string) bool {
	name = strings.ToLower(name)
	flat := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, name)
	for _, word := range []string{
		"token", "secret", "passw", "passphrase", "apikey", "accesskey", "privatekey", "credential", "auth", "cookie",
		"session", "bearer", "signature", "connectionstring", "databaseurl", "dsn", "jwt", "webhook", "clientid",
	} {
		if strings.Contains(flat, word) {
			return true
		}
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	return slices.ContainsFunc(parts, func(p string) bool {
		return p == "key" || p == "pass" || p == "pwd" || p == "pat" || p == "pin" || p == "sig"
	})
}

// hidden reports whether the value at a key is a secret whatever it says.
func hidden(s *spec, key string) bool {
	return s.Secret || s.SecretNames && secretName(key)
}

// secretsOf returns every secret of the tree, longest first.
func secretsOf(root *value) []string {
	c := secretCollector{}
	c.walk(root, rootSpec(), "")
	out := make([]string, 0, len(c))
	for s := range c {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return out
}

type secretCollector map[string]bool

func (c secretCollector) add(s string) {
	if s = strings.TrimSpace(s); s != "" {
		c[s] = true
	}
}

func (c secretCollector) walk(v *value, s *spec, key string) {
	for _, piece := range v.pieces {
		c.add(piece)
	}
	switch {
	case s == nil:
		s = &spec{}
	case hidden(s, key):
		c.add(v.text)
		if scheme, rest, ok := strings.Cut(v.text, " "); ok && slices.Contains(authSchemes, strings.ToLower(scheme)) {
			c.add(rest)
		}
	}
	if v.kind == json5.String {
		c.address(v.text)
	}
	if s.name == "args" {
		c.arguments(v.items)
	}
	for _, item := range v.items {
		c.walk(item, s.item, key)
	}
	for _, f := range v.fields {
		c.walk(f.val, s.child(f.key), f.key)
	}
}

// address finds a password or a secret parameter in a URL.
func (c secretCollector) address(text string) {
	if !strings.Contains(text, "://") {
		return
	}
	u, err := url.Parse(text)
	if err != nil {
		return
	}
	if password, ok := u.User.Password(); ok {
		c.add(password)
		if raw := strings.SplitN(text, "@", 2)[0]; strings.Contains(raw, ":") {
			c.add(raw[strings.LastIndexByte(raw, ':')+1:]) // as it is written, escapes and all
		}
	}
	for name, values := range u.Query() {
		if secretName(name) {
			for _, v := range values {
				c.add(v)
			}
		}
	}
}

// arguments finds --token=VALUE and --token VALUE.
func (c secretCollector) arguments(args []*value) {
	for i, arg := range args {
		name, text, ok := strings.Cut(arg.text, "=")
		if !strings.HasPrefix(name, "-") || !secretName(strings.TrimLeft(name, "-")) {
			continue
		}
		switch {
		case ok:
			c.add(text)
		case i+1 < len(args) && !strings.HasPrefix(args[i+1].text, "-"):
			c.add(args[i+1].text)
		}
	}
}

// redactor replaces secrets in any text.
type redactor struct {
	secrets  []string
	replacer *strings.Replacer
}

func newRedactor(secrets []string) *redactor {
	var forms []string
	for _, s := range secrets {
		if len(s) < minRedact {
			continue
		}
		html, _ := json.Marshal(s)
		var plain bytes.Buffer
		writeString(&plain, s)
		forms = append(forms, s, unquoted(html), unquoted(plain.Bytes()), url.QueryEscape(s), url.PathEscape(s))
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	forms = slices.Compact(forms)
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range forms {
		pairs = append(pairs, f, redacted)
	}
	return &redactor{secrets: secrets, replacer: strings.NewReplacer(pairs...)}
}

// unquoted is a JSON string without its quotes.
func unquoted(quoted []byte) string {
	quoted = bytes.TrimSpace(quoted)
	return string(quoted[1 : len(quoted)-1])
}

// Replace returns text with every secret replaced, the longest first.
func (r *redactor) Replace(text string) string {
	if r == nil {
		return text
	}
	return r.replacer.Replace(text)
}
