package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the longest word in bytes that is looked at; more of it is ignored.
const maxWord = 64

// maxParts bounds the parts of one identifier.
const maxParts = 16

// token is one word of a text, folded, as a range of the scanner's buffer.
type token struct {
	start, end int32
	marks      tokenMark
}

type tokenMark uint8

const (
	// markGap: something other than a blank, "-" or "_" stands before the token.
	markGap tokenMark = 1 << iota
	// markStop: a sentence ended before the token.
	markStop
	// markGlued: the token follows the one before inside one identifier or after a hyphen.
	markGlued
	// markWhole: the token repeats the tokens just before it as one word.
	markWhole
	// markPiece: the token repeats a piece of the token before it.
	markPiece
	// markGram: the token is a piece of a run of letters written without blanks.
	markGram
)

func (t token) has(m tokenMark) bool { return t.marks&m != 0 }

// scanner cuts texts into tokens. It is reused from text to text; tokens are
// valid until the next scan.
type scanner struct {
	buf    []byte
	tokens []token
	next   tokenMark
	runes  []rune
	joined []byte
}

// text returns the folded word of a token.
func (s *scanner) text(t token) []byte { return s.buf[t.start:t.end] }

// scan cuts text into tokens: words of any script by Unicode, identifiers into
// their parts, and runs of scripts that are written without blanks into pairs
// of letters.
func (s *scanner) scan(text string) {
	s.buf, s.tokens, s.next = s.buf[:0], s.tokens[:0], markGap
	if !isASCII(text) {
		text = norm.NFKC.String(text)
	}
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		switch class(r) {
		case classWord:
			end, plain := plainEnd(text, i)
			if plain {
				s.part(text[i:end])
			} else {
				end = wordEnd(text, i)
				s.word(text[i:end])
			}
			i = end
		case classGram:
			end := runEnd(text, i)
			s.grams(text[i:end])
			i = end
		default:
			s.separate(r, text[i+size:])
			i += size
		}
	}
}

// separate notes what stands between two words.
func (s *scanner) separate(r rune, rest string) {
	switch r {
	case ' ', '\t':
	case '-', '_', '‐', '‑':
		if s.next&markGap == 0 {
			s.next |= markGlued
		}
		return
	case '.', '!', '?':
		s.next |= markGap
		if rest == "" || rest[0] == ' ' || rest[0] == '\n' || rest[0] == '"' || rest[0] == '\'' {
			s.next |= markStop
		}
	case ';', '\n', '。', '！', '？', '；':
		s.next |= markGap | markStop
	default:
		s.next |= markGap
	}
	s.next &^= markGlued
}

type runeClass uint8

const (
	classNone runeClass = iota
	classWord
	classGram
)

func class(r rune) runeClass {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return classWord
		}
		return classNone
	}
	if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Nl, r) {
		return classNone
	}
	if unspaced(r) {
		return classGram
	}
	return classWord
}

// unspaced reports whether r is of a script whose words are not told apart by
// blanks, or, for Hangul, whose words carry endings that blanks don't separate.
func unspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r <= 0x0EFF, // Thai, Lao
		0x1000 <= r && r <= 0x109F,                             // Myanmar
		0x1780 <= r && r <= 0x17FF,                             // Khmer
		0x3005 <= r && r <= 0x3007, 0x3040 <= r && r <= 0x31FF, // kana, bopomofo
		0x3400 <= r && r <= 0x9FFF, 0xF900 <= r && r <= 0xFAFF, 0x20000 <= r && r <= 0x3FFFF, // Han
		0xAC00 <= r && r <= 0xD7A3: // Hangul
		return true
	}
	return false
}

// asciiClass tells apart the bytes of words and others.
var asciiClass = func() (table [256]byte) {
	for c := range table {
		switch {
		case 'a' <= c && c <= 'z':
			table[c] = 'a'
		case '0' <= c && c <= '9':
			table[c] = '0'
		case 'A' <= c && c <= 'Z':
			table[c] = 'A'
		case c == '\'' || c >= utf8.RuneSelf:
			table[c] = '?'
		}
	}
	return table
}()

// plainEnd returns where the word that starts at i ends, if it is of ASCII
// letters and digits and has no capital after its first letter.
func plainEnd(text string, i int) (int, bool) {
	start := i
	for i++; i < len(text); i++ {
		switch asciiClass[text[i]] {
		case 'a', '0':
		case 0:
			return i, i-start <= maxWord && text[start] < utf8.RuneSelf
		default:
			return start, false
		}
	}
	return i, i-start <= maxWord && text[start] < utf8.RuneSelf
}

// wordEnd returns where the word that starts at i ends. An apostrophe between
// letters belongs to it.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if class(r) != classWord && !(apostrophe(r) && i+size < len(text) && class(firstRune(text[i+size:])) == classWord) {
			return i
		}
		i += size
	}
	return i
}

func apostrophe(r rune) bool { return r == '\'' || r == '’' }

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// runEnd returns where the run of unspaced letters that starts at i ends.
func runEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if class(r) != classGram {
			return i
		}
		i += size
	}
	return i
}

// word adds the tokens of one word, which may be an identifier.
func (s *scanner) word(w string) {
	if i := strings.IndexAny(w, "'’"); i > 0 {
		s.shortened(w, i)
		return
	}
	s.identifier(w)
}

// shortened adds a word with an apostrophe at i: "user's" is user, "don't" is
// nothing, and "l'eau" is two words.
func (s *scanner) shortened(w string, i int) {
	_, size := utf8.DecodeRuneInString(w[i:])
	head, tail := w[:i], w[i+size:]
	switch strings.ToLower(tail) {
	case "t":
		if c := head[len(head)-1]; c == 'n' || c == 'N' {
			return
		}
		s.identifier(head)
	case "s", "d", "m", "re", "ve", "ll":
		s.identifier(head)
	default:
		s.identifier(head)
		s.word(tail)
	}
}

// identifier splits camelCase and adds the parts. Two parts, and a part of one
// letter with its neighbour, are added as one word as well: "GitHub", "iPhone".
func (s *scanner) identifier(w string) {
	if len(w) > maxWord {
		w = strings.ToValidUTF8(w[:maxWord], "")
	}
	var cuts [maxParts + 1]int
	n := camelCuts(w, &cuts)
	if n == 1 {
		s.part(w)
		return
	}
	for i := range n {
		p := w[cuts[i]:cuts[i+1]]
		if i > 0 {
			s.next |= markGlued
		}
		if len(p) == 1 && i+1 < n {
			s.part(w[cuts[i]:cuts[i+2]])
			continue
		}
		s.part(p)
	}
	if n == 2 && cuts[1] > 1 {
		s.add(w, markWhole)
	}
}

// part adds one word and, if it is letters followed by digits, the letters too:
// "base64" is base64 and base.
func (s *scanner) part(w string) {
	s.add(w, 0)
	digits := len(w)
	for digits > 0 && '0' <= w[digits-1] && w[digits-1] <= '9' {
		digits--
	}
	if digits == len(w) || digits == 0 {
		return
	}
	if digits >= 3 {
		s.add(w[:digits], markPiece)
	}
	if len(w)-digits >= 3 {
		s.add(w[digits:], markPiece)
	}
}

func (s *scanner) add(w string, marks tokenMark) {
	start := int32(len(s.buf))
	s.buf = appendFolded(s.buf, w)
	if end := int32(len(s.buf)); end > start {
		s.tokens = append(s.tokens, token{start, end, s.next | marks})
		s.next = 0
	}
}

// grams adds the pairs of neighbouring letters of a run, or its one letter.
func (s *scanner) grams(run string) {
	s.runes = append(s.runes[:0], []rune(run)...)
	if len(s.runes) == 1 {
		s.add(run, markGram)
		return
	}
	for i := range len(s.runes) - 1 {
		s.add(string(s.runes[i:i+2]), markGram)
	}
}

// camelCuts writes the starts of the parts of an identifier, then its length,
// and returns how many parts there are: HTTPServer is HTTP and Server, APIs is one.
func camelCuts(w string, cuts *[maxParts + 1]int) int {
	n := 1
	prev, before := rune(0), 0
	run := 0 // capitals in a row before the present letter
	for i, r := range w {
		upper := isUpper(r)
		switch {
		case i == 0 || n >= maxParts:
		case upper && !isUpper(prev):
			cuts[n] = i
			n++
		case !upper && unicode.IsLower(r) && run >= 2 && !pluralTail(w[i:]):
			if before > cuts[n-1] {
				cuts[n] = before
				n++
			}
		}
		if upper {
			run++
		} else {
			run = 0
		}
		prev, before = r, i
	}
	cuts[n] = len(w)
	return n
}

func isUpper(r rune) bool {
	if r < utf8.RuneSelf {
		return 'A' <= r && r <= 'Z'
	}
	return unicode.IsUpper(r)
}

// pluralTail reports whether rest is the "s" of a plural such as APIs.
func pluralTail(rest string) bool {
	if rest[0] != 's' {
		return false
	}
	return len(rest) == 1 || isUpper(firstRune(rest[1:]))
}
