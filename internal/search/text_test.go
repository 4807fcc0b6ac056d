package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// tokensOf returns the words of a text as the index sees them, before stemming.
func tokensOf(text string) string {
	var s scanner
	s.scan(text)
	var words []string
	for i, t := range s.tokens {
		words = append(words, string(s.text(t)))
		if joined, ok := s.pair(i); ok {
			words = append(words, "+"+joined)
		}
	}
	return strings.Join(words, " ")
}

func TestScan(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"create_event", "create event"},
		{"createEvent", "create event createevent"},
		{"create-calendar-event", "create calendar event"},
		{"HTTPServer", "http server httpserver"},
		{"parseHTTPResponse", "parse http response"},
		{"GitHub's API", "git hub github api"},
		{"list all APIs and IDs", "list all apis and ids"},
		{"iPhone", "iphone phone"},
		{"OAuth2Token", "oauth2 oauth auth2 auth token"},
		{"getURL", "get url geturl"},
		{"base64 s3 ms365", "base64 base s3 ms365 365"},
		{"math.factorial", "math factorial"},
		{"Don't stop the user’s job", "stop the user job"},
		{"l'eau d'Arve", "l eau d arve"},
		{"Café Résumé Straße Ærø łódź", "cafe resume strasse aero lodz"},
		{"ＦＵＬＬ ｗｉｄｔｈ ﬁle", "full width file"},
		{"Ёлка й", "елка й"},
		{"Άλφα", "αλφα"},
		{"hindi हिन्दी", "hindi हिन्दी"},
		{"搜索网页", "搜索 索网 网页"},
		{"查 API 文档", "查 api 文档"},
		{"ค้นหา", "ค้ ้น นห หา"},
		{"날씨 검색", "날씨 검색"},
		{"カレンダー", "カレ レン ンダ ダー"},
		{"e-mail", "e mail +email"},
		{"log in, sign up", "log in +login sign up +signup"},
		{"log, in", "log in"},
		{"my to-do list", "my to do +todo list"},
		{"a to do list", "a to do +todo list"},
		{"what to do with a file", "what to do with a file"},
		{"create_to_do", "create to do +todo"},
		{"\x00tab\x07le\xff\xfe", "tab le"},
		{"👩‍💻 🚀", ""},
		{"", ""},
	} {
		if got := tokensOf(c.text); got != c.want {
			t.Errorf("scan(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestScanBounds(t *testing.T) {
	var s scanner
	s.scan(strings.Repeat("x", 1<<20))
	if len(s.tokens) != 1 || len(s.text(s.tokens[0])) > maxWord {
		t.Errorf("a word of 1 MiB became %d tokens, the first of %d bytes", len(s.tokens), len(s.text(s.tokens[0])))
	}
	s.scan(strings.Repeat("aB", 1000))
	if n := len(s.tokens); n > maxParts {
		t.Errorf("an identifier of 1,000 parts became %d tokens, want at most %d", n, maxParts)
	}
}

func TestStem(t *testing.T) {
	for _, group := range [][]string{
		{"page", "pages"},
		{"organize", "organise", "organizing", "organised"},
		{"color", "colour", "colours", "colored"},
		{"person", "people", "persons"},
		{"write", "writing", "written", "wrote"},
		{"index", "indices", "indexes"},
		{"delete", "deleted", "deleting", "deletes"},
		{"analyze", "analyse", "analyzing"},
		{"query", "queries"},
	} {
		for _, word := range group[1:] {
			if got, want := stem(word), stem(group[0]); got != want {
				t.Errorf("stem(%q) = %q, but stem(%q) = %q", word, got, group[0], want)
			}
		}
	}
	for _, word := range []string{"搜索", "s3", "événement", "id", ""} {
		if got := stem(word); got != word {
			t.Errorf("stem(%q) = %q, want it unchanged", word, got)
		}
	}
}

func TestWalkSchema(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{
			"properties", `{"type":"object","description":"root","properties":{"city":{"type":"string","description":"the town"},"unit":{"enum":["celsius","kelvin",3,null]}}}`,
			"root city: the town unit: celsius kelvin",
		},
		{"nested", `{"properties":{"a":{"items":{"properties":{"b":{"anyOf":[{"description":"one"},{"properties":{"c":{}}}]}}}}}}`, "a: b: one c:"},
		{"escapes", `{"properties":{"a\u0062\n":{"description":"say \"hi\""}}}`, "ab\n: say \"hi\""},
		{"a property called properties", `{"properties":{"properties":{"properties":{"x":true}}}}`, "properties: x:"},
		{"definitions", `{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"}}}}}`, "next:"},
		{"default is data", `{"default":{"properties":{"x":{}}},"properties":{"y":false}}`, "y:"},
		{"no schema", `null`, ""},
		{"empty", ``, ""},
		{"list", `[1,[2,{"a":3}]]`, ""},
		{"cut off", `{"properties":{"a":{"description":"one"},"b":{"descr`, "a: one b:"},
		{"garbage", `{"properties":}}}]{"a"`, ""},
	} {
		var got []string
		walkSchema([]byte(c.schema), func(kind schemaText, text string) {
			if kind == schemaName {
				text += ":"
			}
			got = append(got, text)
		})
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestWalkSchemaBounds(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 100_000) + "{}" + strings.Repeat("}}", 100_000)
	wide := `{"properties":{` + strings.Repeat(`"p":{"description":"d"},`, 100_000) + `"q":{}}}`
	for name, schema := range map[string]string{"deep": deep, "wide": wide} {
		n := 0
		walkSchema([]byte(schema), func(schemaText, string) { n++ })
		if n == 0 || n > maxSchemaNames+maxSchemaTexts {
			t.Errorf("%s: %d texts, want some and at most %d", name, n, maxSchemaNames+maxSchemaTexts)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		limit, want int
	}{
		{"calender", "calendar", 2, 1},
		{"isseu", "issue", 1, 1},
		{"event", "events", 1, 1},
		{"kitten", "sitting", 3, 3},
		{"kitten", "sitting", 2, 3},
		{"a", "abcdef", 2, 3},
		{"größe", "grösse", 2, 2},
		{"", "", 1, 0},
	} {
		if got := distance(c.a, c.b, c.limit); got != c.want {
			t.Errorf("distance(%q, %q, %d) = %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
	}
}

func TestLengthCodes(t *testing.T) {
	last := -1
	for n := range maxLength + 100 {
		got := lengthen(shorten(n))
		if got < last || got > n || n <= maxLength && n-got > n/32 {
			t.Fatalf("length %d is kept as %d (the one before as %d)", n, got, last)
		}
		last = got
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{"createHTTPServer_v2", "搜索 web页", "don't e-mail İstanbul", "\xff\x00’'", "ﬁ½ǅ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var a, b scanner
		a.scan(text)
		b.scan("something else first")
		b.scan(text)
		if diff := cmp.Diff(string(a.buf), string(b.buf)); diff != "" {
			t.Fatalf("a used scanner sees another text (-new +used):\n%s", diff)
		}
		for i, tok := range a.tokens {
			if word := a.text(tok); len(word) == 0 || !utf8.Valid(word) {
				t.Fatalf("token %d of %q is %q", i, text, word)
			}
			a.pair(i)
		}
	})
}

func FuzzWalkSchema(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"enum":["x"]},"b":{"items":[{}]}},"anyOf":[true]}`))
	f.Add([]byte(`{"a":"\u12`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		n := 0
		walkSchema(schema, func(schemaText, string) { n++ })
		if n > maxSchemaNames+maxSchemaTexts {
			t.Fatalf("%d texts", n)
		}
	})
}
