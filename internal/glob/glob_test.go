package glob_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib/internal/glob"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"create_issue", "create_issue", true},
		{"create_issue", "Create_Issue", true},
		{"CREATE_ISSUE", "create_issue", true},
		{"create_issue", "create_issues", false},
		{"create_issue", "xcreate_issue", false},
		{"*", "", true},
		{"*", "anything at all", true},
		{"**", "x", true},
		{"create_*", "create_", true},
		{"create_*", "create", false},
		{"*_issue", "create_issue", true},
		{"*_issue", "_issue", true},
		{"a*a", "a", false},
		{"a*a", "aa", true},
		{"a*b*c", "a-b-c", true},
		{"a*b*c", "acb", false},
		{"*b*", "abc", true},
		{"*bb*b*", "abbb", true},
		{"*bb*b*", "abb", false},
		{"mcp:git*:*", "mcp:github:create_issue", true},
		{"a?c", "abc", false},
		{"a.c", "abc", false},
		{"[ab]", "a", false},
		{`a\*`, "ab", false},
		{" padded ", "padded", true},
		{"kill", "\u212Aill", false}, // Kelvin sign
		{"ski", "\u017Fki", false},   // long s
		{"read", "re\u0430d", false}, // Cyrillic a
		{"id", "\u0130d", false},     // dotted capital I
		{"ÉTÉ", "été", true},
		{"ΣΑΣ", "σας", true},
		{"\u212Aill", "\u212Aill", true},
		{"a\xffb", "a\xffb", true},
		{"a\xffb", "a\xfeb", false},
		{"a\xff", "a\uFFFD", false},
	} {
		p, err := glob.Compile(c.pattern)
		if err != nil {
			t.Fatalf("Compile(%q): %v", c.pattern, err)
		}
		if got := p.Match(c.name); got != c.want {
			t.Errorf("pattern %q, name %q: got %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}

func TestZeroAndEmptyPattern(t *testing.T) {
	if new(glob.Pattern).Match("") {
		t.Error("the zero Pattern matched")
	}
	for _, text := range []string{"", "  ", "\t"} {
		if _, err := glob.Compile(text); err != glob.ErrEmpty {
			t.Errorf("Compile(%q): got %v, want ErrEmpty", text, err)
		}
	}
}

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		name        string
		allow, deny []string
		yes, no     []string
	}{
		{name: "zero", yes: []string{"", "a"}},
		{name: "allow", allow: []string{"get_*", "list"}, yes: []string{"get_x", "LIST"}, no: []string{"put", "list_all"}},
		{name: "deny", deny: []string{"*delete*"}, yes: []string{"get"}, no: []string{"Delete", "undelete_x"}},
		{name: "deny wins", allow: []string{"*"}, deny: []string{"rm"}, yes: []string{"ls"}, no: []string{"rm"}},
	} {
		f, err := glob.NewFilter(c.allow, c.deny)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, name := range c.yes {
			if !f.Allows(name) {
				t.Errorf("%s: %q was refused", c.name, name)
			}
		}
		for _, name := range c.no {
			if f.Allows(name) {
				t.Errorf("%s: %q was allowed", c.name, name)
			}
		}
	}
	if _, err := glob.NewFilter([]string{"a", ""}, nil); err == nil || !strings.Contains(err.Error(), "allow[1]") {
		t.Errorf("empty pattern: got %v, want an error that names allow[1]", err)
	}
	if _, err := glob.NewFilter(nil, []string{" "}); err == nil || !strings.Contains(err.Error(), "deny[0]") {
		t.Errorf("empty pattern: got %v, want an error that names deny[0]", err)
	}
}

// FuzzMatch compares the matcher with a regular expression of the same meaning,
// and holds that folding is settled after one pass.
func FuzzMatch(f *testing.F) {
	f.Add("a*b", "acb")
	f.Add("*bb*b*", "abbb")
	f.Add("ΣΑ*", "σας")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if folded := glob.Fold(name); glob.Fold(folded) != folded {
			t.Fatalf("Fold(%q) = %q is not settled", name, folded)
		}
		p, err := glob.Compile(pattern)
		if err != nil || !utf8.ValidString(pattern) || !utf8.ValidString(name) {
			return
		}
		parts := strings.Split(glob.Fold(strings.TrimSpace(pattern)), "*")
		for i, part := range parts {
			parts[i] = regexp.QuoteMeta(part)
		}
		want := regexp.MustCompile(`\A(?s:` + strings.Join(parts, ".*") + `)\z`).MatchString(glob.Fold(name))
		if got := p.Match(name); got != want {
			t.Fatalf("pattern %q, name %q: got %v, want %v", pattern, name, got, want)
		}
	})
}
