package session

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func redactor(t testing.TB, values []string, extra ...string) *Redactor {
	t.Helper()
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, Hidden)
	}
	r, err := NewRedactor(RedactorOptions{Values: strings.NewReplacer(pairs...).Replace, Extra: extra})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestText(t *testing.T) {
	r := redactor(t, []string{"configured-secret"}, "/acct-[0-9]+/")
	for in, want := range map[string]string{
		"":                                                  "",
		"list my invoices of May":                           "list my invoices of May",
		"author of the token economy book":                  "author of the token economy book",
		"see https://example.com/a?b=c":                     "see https://example.com/a?b=c",
		"mail bob@example.com":                              "mail bob@example.com",
		"use configured-secret please":                      "use [redacted] please",
		"pay acct-4711 now":                                 "pay [redacted] now",
		"Authorization: Bearer abcdef0123456789":            "Authorization: [redacted] [redacted]",
		"send bearer AbCdEf012345+/= on":                    "send bearer [redacted] on",
		"key sk-proj-abcdefghij0123456789 works":            "key [redacted] works",
		"ghp_abcdefghij0123456789abcdefghij012345":          "[redacted]",
		"github_pat_11ABCDEFG0abcdefghij_xyz":               "[redacted]",
		"xoxb-123456789012-abcdefghij":                      "[redacted]",
		"AKIAIOSFODNN7EXAMPLE":                              "[redacted]",
		"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0": "jwt [redacted]",
		"postgres://bob:pa/ss@db.example/x":                 "postgres://[redacted]@db.example/x",
		"https://ghtokenabc@example.com/r.git":              "https://[redacted]@example.com/r.git",
		"mysql --password=hunter2 -u bob":                   "mysql --password=[redacted] -u bob",
		"tool --api-key hunter22 go":                        "tool --api-key [redacted] go",
		`{"client_secret": "a b c", "x": 1}`:                `{"client_secret": [redacted], "x": 1}`,
		"PASSWORD: 'correct horse'":                         "PASSWORD: [redacted]",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nx\n-----END RSA PRIVATE KEY----- rest": "[redacted] rest",
		"-----BEGIN OPENSSH PRIVATE KEY-----\ncut off":                                 "[redacted]",
		"tcrib_0123456789abcdefghijABCDEFGHIJ0123456789abc":                            "[redacted]",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}

func TestArgs(t *testing.T) {
	r := redactor(t, []string{"configured-value"}, "account_number", "*_hash")
	for in, want := range map[string]string{
		``:                                                     ``,
		`{"a":1,"b":[true,null,"x"]}`:                          `{"a":1,"b":[true,null,"x"]}`,
		`{"n":12345678901234567890.10}`:                        `{"n":12345678901234567890.10}`,
		`{"password":"x","Pass_Word":1}`:                       `{"Pass_Word":"[redacted]","password":"[redacted]"}`,
		`{"apiKey":{"deep":["x"]},"pin":12}`:                   `{"apiKey":"[redacted]","pin":"[redacted]"}`,
		`{"author":"x","max_tokens":5}`:                        `{"author":"x","max_tokens":5}`,
		`{"AccountNumber":"7","file-hash":2}`:                  `{"AccountNumber":"[redacted]","file-hash":"[redacted]"}`,
		`{"access_token":null}`:                                `{"access_token":null}`,
		`{"headers":[{"name":"Authorization","value":"x y"}]}`: `{"headers":[{"name":"Authorization","value":"[redacted]"}]}`,
		`{"argv":["curl","--token","abc","-v"]}`:               `{"argv":["curl","--token","[redacted]","-v"]}`,
		`{"body":"{\"password\":\"p\",\"a\":\"<b>\"}"}`:        `{"body":"{\"a\":\"<b>\",\"password\":[redacted]}"}`,
		`{"text":"configured-value","configured-value":1}`:     `{"[redacted]":1,"text":"[redacted]"}`,
		`not json`: `{"…":"8 bytes of arguments"}`,
		`{} {}`:    `{"…":"5 bytes of arguments"}`,
	} {
		if got := string(r.Args(json.RawMessage(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestArgsAreCut(t *testing.T) {
	r := redactor(t, nil)
	long := strings.Repeat("ä", 3000)
	deep := strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100)
	many := map[string]any{}
	for i := range 5000 {
		many[fmt.Sprint("key", i)] = i
	}
	wide, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{
		`{"a":"` + long + `"}`, `["` + strings.Repeat(long+`","`, 20) + `"]`, deep, string(wide),
		`{"n":` + strings.Repeat("9", 9000) + `}`, `{"big":"` + strings.Repeat("x", 300_000) + `"}`,
		`[` + strings.Repeat(`[[[["x"]]]],`, 3000) + `1]`,
	} {
		got := r.Args(json.RawMessage(in))
		if !json.Valid(got) || len(got) > MaxArgs || !utf8.Valid(got) {
			t.Errorf("%.40s…: %d bytes, valid %v: %.80s", in, len(got), json.Valid(got), got)
		}
		if again := r.Args(json.RawMessage(in)); string(again) != string(got) {
			t.Errorf("%.40s…: cut in two ways", in)
		}
	}
}

// planted makes random arguments with secrets in every place where one is known
// to be, and returns the secrets too.
type planted struct {
	*rand.Rand
	secrets []string
	fixed   string // a configured one
}

func (p *planted) letters(n int) string {
	const set = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = set[p.IntN(len(set))]
	}
	return string(b)
}

func (p *planted) secret(n int) string {
	s := p.letters(n)
	p.secrets = append(p.secrets, s)
	return s
}

// text holds a secret in a form that can be told.
func (p *planted) text() string {
	before, after := strings.Repeat(p.letters(3)+" ", p.IntN(400)), " "+p.letters(4)
	var s string
	switch p.IntN(11) {
	case 0:
		s = "Bearer " + p.secret(24)
	case 1:
		s = "sk-" + p.secret(32)
	case 2:
		s = "ghp_" + p.secret(36)
	case 3:
		s = "eyJ" + p.secret(20) + "." + p.secret(20) + "." + p.secret(20)
	case 4:
		s = "-----BEGIN PRIVATE KEY-----\n" + p.secret(64) + "\n" + p.secret(40) + "\n-----END PRIVATE KEY-----"
	case 5:
		s = "https://" + p.letters(5) + ":" + p.secret(16) + "@example.com/x"
	case 6:
		s = "password=" + p.secret(14)
	case 7:
		s = "--secret " + p.secret(14)
	case 8:
		s, p.secrets = p.fixed, append(p.secrets, p.fixed)
	case 9:
		s = `{"db_password": "` + p.secret(12) + `"}`
	default:
		inner, _ := json.Marshal(map[string]any{"apiKey": p.secret(18), "x": p.letters(3)})
		return string(inner)
	}
	return before + s + after
}

func (p *planted) value(depth int) any {
	switch n := p.IntN(8); {
	case n < 2 || depth > 5:
		return p.text()
	case n == 2:
		return p.IntN(1000)
	case n == 3:
		return p.letters(1 + p.IntN(2000))
	case n < 6:
		list := make([]any, p.IntN(12))
		for i := range list {
			list[i] = p.value(depth + 1)
		}
		return list
	}
	object := map[string]any{}
	names := []string{"password", "apiKey", "x-api-key", "Authorization", "clientSecret", "refresh_token", "COOKIE", "user.passphrase", "auth", "otp"}
	for range p.IntN(8) {
		switch p.IntN(3) {
		case 0:
			object[names[p.IntN(len(names))]] = p.secret(10)
		case 1:
			object[names[p.IntN(len(names))]] = []any{map[string]any{"a": p.secret(10)}}
		default:
			object[p.letters(6)] = p.value(depth + 1)
		}
	}
	return object
}

// Nothing secret is written, wherever it stands and however it is cut.
func TestNothingSecretIsWritten(t *testing.T) {
	for seed := range uint64(400) {
		p := &planted{Rand: rand.New(rand.NewPCG(seed, 7)), fixed: "c0nfigured/+secret"}
		r := redactor(t, []string{p.fixed})
		args, err := json.Marshal(p.value(0))
		if err != nil {
			t.Fatal(err)
		}
		e := Event{Query: p.text(), Reason: p.text(), Client: p.text(), Hits: []string{p.text()}, CallID: p.text(), Rule: p.text(), By: p.text(), Args: args}
		clean := r.Event(e, true)
		if len(clean.Args) > MaxArgs || !json.Valid(clean.Args) {
			t.Fatalf("seed %d: %d bytes of arguments", seed, len(clean.Args))
		}
		written, err := json.Marshal(clean)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.secrets {
			for at := 0; at+8 <= len(s); at += 4 { // no piece of it either
				if piece := s[at : at+8]; strings.Contains(string(written), piece) {
					t.Fatalf("seed %d: %q of secret %q stands in\n%s\nwhich was\n%s", seed, piece, s, written, args)
				}
			}
		}
	}
}

func FuzzArgs(f *testing.F) {
	f.Add([]byte(`{"a":[1,"x"],"password":"y"}`))
	f.Add([]byte(`{"a":"{\"b\":\"[1]\"}"}`))
	f.Add([]byte("\"\xff\xfe\""))
	r := redactor(f, []string{"configured"})
	f.Fuzz(func(t *testing.T, in []byte) {
		got := r.Args(in)
		if len(in) == 0 {
			return
		}
		if !json.Valid(got) || len(got) > MaxArgs {
			t.Errorf("%q became %q", in, got)
		}
	})
}

func BenchmarkEvent(b *testing.B) {
	r := redactor(b, []string{"configured-secret"})
	e := Event{Query: "create an issue", Session: "s", Args: json.RawMessage(`{"owner":"octo","repo":"crib","title":"A title of usual length","body":"Some text that explains it. See https://example.com/a.","labels":["bug","ui"]}`)}
	for b.Loop() {
		r.Event(e, true)
	}
}
