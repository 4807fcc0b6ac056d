package pin

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// confusables are letters of other scripts, and signs, that look like a Latin
// letter; the value is what they look like.
var confusables = map[rune]rune{
	// Cyrillic
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'һ': 'h', 'і': 'i', 'ї': 'i', 'ј': 'j', 'к': 'k', 'ӏ': 'l', 'м': 'm', 'н': 'h',
	'о': 'o', 'р': 'p', 'ԛ': 'q', 'г': 'r', 'ѕ': 's', 'т': 't', 'у': 'y', 'ү': 'y', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', 'з': '3', 'б': '6',
	// Greek
	'α': 'a', 'β': 'b', 'ϲ': 'c', 'ε': 'e', 'η': 'n', 'ι': 'i', 'κ': 'k', 'μ': 'u', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'σ': 'o', 'τ': 't', 'υ': 'u', 'χ': 'x', 'ω': 'w', 'γ': 'y',
	// Armenian, Latin with strokes, and others
	'օ': 'o', 'ո': 'n', 'ս': 'u', 'հ': 'h', 'ց': 'g', 'զ': 'q', 'ɑ': 'a', 'ɡ': 'g', 'ı': 'i', 'ɩ': 'i', 'ł': 'l', 'ø': 'o', 'đ': 'd', 'ƅ': 'b', 'ʏ': 'y', 'ᴠ': 'v', 'ᴡ': 'w', 'ᴢ': 'z', 'ꜱ': 's', 'ᴄ': 'c', 'ᴏ': 'o',
	'ߋ': 'o', '௦': 'o', '०': 'o', '੦': 'o', '૦': 'o', '០': 'o',
	// signs that stand for a separator
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '−': '-', '﹘': '-', '·': '.', '․': '.', '‗': '_', 'ˍ': '_', 'ـ': '_',
}

// Fold is a name without what patterns of policy and readers make little of:
// letter case, the form of compatible characters, and which of - _ . and a space
// separates words.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-', '.', ' ', '/', ':':
			return '_'
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(name))
}

// Skeleton is equal for names that look alike: folded, without accents and unseen
// characters, and with letters that look like a Latin one as that one, 1 and | as l,
// and 0 as o.
func Skeleton(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		switch {
		case unicode.Is(unicode.Mn, r) || concealed(r) != "":
			continue
		case r == '1' || r == '|' || r == 'I':
			r = 'l'
		case r == '0':
			r = 'o'
		}
		r = unicode.ToLower(r)
		if like, ok := confusables[r]; ok {
			r = like
		}
		b.WriteRune(r)
	}
	// i and l are told apart in lower case alone, which a capital I undoes.
	return Fold(strings.ReplaceAll(b.String(), "i", "l"))
}
