package session

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Hidden stands where a secret stood.
const Hidden = "[redacted]"

// Redactor takes secrets out of what is recorded. It is immutable and safe for
// concurrent use.
type Redactor struct {
	values   func(string) string
	names    []string // folded
	globs    []*regexp.Regexp
	patterns []*regexp.Regexp
}

// RedactorOptions says what is secret beside what always is.
type RedactorOptions struct {
	// Values takes known secrets, such as those of the configuration, out of a
	// text; nil for none.
	Values func(string) string
	// Extra are more names of keys, in which case, "_" and "-" don't count and "*"
	// stands for anything, or, between slashes, regular expressions: /acct-[0-9]+/.
	Extra []string
}

// NewRedactor returns a Redactor. It fails for an expression that is none.
func NewRedactor(o RedactorOptions) (*Redactor, error) {
	r := &Redactor{values: o.Values}
	if r.values == nil {
		r.values = func(s string) string { return s }
	}
	for _, text := range o.Extra {
		if inner, ok := expression(text); ok {
			p, err := regexp.Compile(inner)
			if err != nil {
				return nil, fmt.Errorf("%q is no regular expression: %w", text, err)
			}
			r.patterns = append(r.patterns, p)
			continue
		}
		switch folded := fold(text); {
		case folded == "":
		case strings.Contains(folded, "*"):
			glob := strings.ReplaceAll(regexp.QuoteMeta(folded), `\*`, `.*`)
			r.globs = append(r.globs, regexp.MustCompile(`^`+glob+`$`))
		default:
			r.names = append(r.names, folded)
		}
	}
	return r, nil
}

// Redactor is what takes secrets out of what the log writes now.
func (l *Log) Redactor() *Redactor { return l.rules.Load().redactor }

// expression is the inside of /…/.
func expression(text string) (string, bool) {
	if len(text) < 3 || text[0] != '/' || text[len(text)-1] != '/' {
		return "", false
	}
	return text[1 : len(text)-1], true
}

// Text returns a text without the secrets that can be told: known values, tokens
// of known forms, and what stands after a name that says so.
func (r *Redactor) Text(s string) string {
	if s == "" {
		return s
	}
	s = r.values(s)
	for _, p := range r.patterns {
		s = p.ReplaceAllLiteralString(s, Hidden)
	}
	low := strings.ToLower(s)
	for _, f := range forms {
		if f.may(low) {
			s = f.pattern.ReplaceAllString(s, f.with)
		}
	}
	return s
}

// form is a way in which secrets look.
type form struct {
	pattern *regexp.Regexp
	with    string
	// hints save the work of matching: one of them stands in every text that the
	// pattern fits, in lower case.
	hints []string
}

func (f form) may(low string) bool {
	for _, h := range f.hints {
		if strings.Contains(low, h) {
			return true
		}
	}
	return false
}

// secretWords are what stands before a secret in a text.
const secretWords = `pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|api[_-]?key|access[_-]?key|private[_-]?key|auth(?:orization)?|cookie|jwt`

var secretHints = []string{"pass", "pwd", "secret", "token", "credential", "key", "auth", "cookie", "jwt"}

// forms are tried in this order. None of them makes what another would find.
var forms = []form{
	{regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\z)`), Hidden, []string{"private key"}},
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{4,}\.?[A-Za-z0-9_.-]*`), Hidden, []string{"eyj"}},
	{regexp.MustCompile(`://[^\s/?#"'<>@]+@`), "://" + Hidden + "@", []string{"@"}},
	{regexp.MustCompile(`://[^\s/?#"'<>@:]*:[^\s"'<>]*@`), "://" + Hidden + "@", []string{"@"}},
	{regexp.MustCompile(`(?i)\b(bearer|basic|digest|negotiate|token|apikey)(\s+)[A-Za-z0-9._~+/=-]{8,}`), "${1}${2}" + Hidden, []string{"bearer", "basic", "digest", "negotiate", "token", "apikey"}},
	{regexp.MustCompile(`\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}`), Hidden, []string{"sk-", "sk_", "pk-", "pk_", "rk-", "rk_"}},
	{regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,})`), Hidden, []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"}},
	{regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}`), Hidden, []string{"xox", "xapp-"}},
	{regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{16,}`), Hidden, []string{"akia", "asia", "aiza", "ya29."}},
	{regexp.MustCompile(`\b(?:npm_|hf_|tcrib_|dop_v1_|shpat_|pypi-|SG\.)[A-Za-z0-9_.-]{20,}`), Hidden, []string{"npm_", "hf_", "tcrib_", "dop_v1_", "shpat_", "pypi-", "sg."}},
	{regexp.MustCompile(`(?i)((?:` + secretWords + `)["']?\s*[=:]\s*)(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"',;&}\])]+)`), "${1}" + Hidden, secretHints},
	{regexp.MustCompile(`(?i)(-{1,2}[a-z0-9_-]*(?:` + secretWords + `)\s+)(?:"[^"]*"?|'[^']*'?|[^\s"'-][^\s"']*)`), "${1}" + Hidden, secretHints},
}

// secretParts make a name secret wherever they stand in it.
var secretParts = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "apikey", "accesskey", "privatekey", "sshkey", "signingkey", "encryptionkey",
	"credential", "authorization", "bearer", "cookie", "connectionstring", "webhookurl",
}

// secretAlone make a name secret as a word of it: "auth_header", not "author".
var secretAlone = map[string]bool{
	"auth": true, "pass": true, "pwd": true, "pin": true, "otp": true, "jwt": true, "pat": true, "dsn": true, "totp": true, "mfa": true, "cvv": true, "cvc": true,
}

// secretName reports whether a value under such a key is a secret, whatever it says.
func (r *Redactor) secretName(name string) bool {
	flat := fold(name)
	for _, part := range secretParts {
		if strings.Contains(flat, part) {
			return true
		}
	}
	if strings.HasSuffix(flat, "token") {
		return true
	}
	for _, word := range words(name) {
		if secretAlone[word] || word == "token" {
			return true
		}
	}
	if slices.Contains(r.names, flat) {
		return true
	}
	for _, g := range r.globs {
		if g.MatchString(flat) {
			return true
		}
	}
	return false
}

// fold is a name in lower case without what separates words.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.', ' ', ':', '/':
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// words are the parts of a name, in lower case: separators and capitals begin one.
func words(name string) []string {
	var b strings.Builder
	var last rune
	for _, r := range name {
		upper := r >= 'A' && r <= 'Z'
		switch {
		case r == '_' || r == '-' || r == '.' || r == ':' || r == '/':
			r = ' '
		case upper && last >= 'a' && last <= 'z':
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	return strings.Fields(strings.ToLower(b.String()))
}

// Event returns the event as it may be written. withArgs keeps the arguments.
func (r *Redactor) Event(e Event, withArgs bool) Event {
	for _, text := range []*string{&e.Run, &e.Caller, &e.Client, &e.CallID, &e.Parent, &e.Tool, &e.Query, &e.Reason, &e.Rule, &e.By} {
		*text = clip(r.Text(*text), maxText)
	}
	e.Session, e.Agent = clip(r.values(e.Session), maxText), clip(r.values(e.Agent), maxText)
	if e.Hits != nil {
		hits := make([]string, min(len(e.Hits), maxHits))
		for i := range hits {
			hits[i] = clip(r.Text(e.Hits[i]), maxText)
		}
		e.Hits = hits
	}
	if !withArgs {
		e.Args = nil
	}
	e.Args = r.Args(e.Args)
	return e
}

// Bounds of one event.
const (
	maxText = 2000 // bytes of one text
	maxHits = 64
)

// clip cuts a text to n bytes at a character's edge.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const mark = "…"
	cut := n - len(mark)
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + mark
}
