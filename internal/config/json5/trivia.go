package json5

import (
	"strings"
	"unicode/utf8"
)

// triviaKind says what a piece of the text between two tokens is.
type triviaKind uint8

const (
	space triviaKind = iota // white space within a line
	lineEnd
	comment
)

// piece is src[from:to], which is no token.
type piece struct {
	kind     triviaKind
	from, to int
}

// trivia takes the text from an offset to the next token apart.
func (d *document) trivia(at int) []piece {
	s := scanner{src: d.src, at: Pos{Offset: at}}
	var out []piece
	for {
		p := piece{from: s.at.Offset}
		switch r := s.peek(); {
		case isLineEnd(r):
			p.kind = lineEnd
			s.next()
			if r == '\r' && s.peek() == '\n' {
				s.next()
			}
		case isSpace(r):
			for r := s.peek(); isSpace(r) && !isLineEnd(r); r = s.peek() {
				s.next()
			}
		case r == '/' && s.peekAt(1) == '*':
			p.kind = comment
			_ = s.skipBlock() // the text is parsed, so it ends
		case r == '/' && s.peekAt(1) == '/':
			p.kind = comment
			for r := s.peek(); r != eof && !isLineEnd(r); r = s.peek() {
				s.next()
			}
		default:
			return out
		}
		p.to = s.at.Offset
		out = append(out, p)
	}
}

// tokenAfter is the offset of the first token at or behind an offset.
func (d *document) tokenAfter(at int) int {
	if pieces := d.trivia(at); len(pieces) > 0 {
		return pieces[len(pieces)-1].to
	}
	return at
}

// endOfLine finds the end of the line behind an offset when nothing but white
// space and comments that fit on the line stands before it.
func (d *document) endOfLine(at int) (end piece, ok bool) {
	for _, p := range d.trivia(at) {
		switch {
		case p.kind == lineEnd:
			return p, true
		case p.kind == comment && strings.ContainsFunc(d.src[p.from:p.to], isLineEnd):
			return piece{}, false
		}
	}
	return piece{}, false
}

// behindLine is where a new line can begin behind a token that ends at an
// offset: before the end of its line, else behind the last comment.
func (d *document) behindLine(at int) int {
	for _, p := range d.trivia(at) {
		switch p.kind {
		case lineEnd:
			return p.from
		case comment:
			at = p.to
		}
	}
	return at
}

// lineStart is the offset at which the line of an offset starts.
func (d *document) lineStart(at int) int {
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(d.src[:at])
		if isLineEnd(r) {
			return at
		}
		at -= size
	}
	return 0
}

// startsLine reports whether only white space stands before an offset on its line.
func (d *document) startsLine(at int) bool {
	return blank(d.src[d.lineStart(at):at])
}

// beforeLine is the offset of the line end before the line of an offset, and
// whether there is one.
func (d *document) beforeLine(at int) (int, bool) {
	start := d.lineStart(at)
	if start == 0 {
		return 0, false
	}
	if strings.HasSuffix(d.src[:start], "\r\n") {
		return start - 2, true
	}
	_, size := utf8.DecodeLastRuneInString(d.src[:start])
	return start - size, true
}

// indentAt is the indentation, in spaces and tabs, of the line of an offset.
func (d *document) indentAt(at int) string {
	line := d.src[d.lineStart(at):at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// backOver is at without the white space before it on its line.
func (d *document) backOver(at int) int {
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(d.src[:at])
		if !isSpace(r) || isLineEnd(r) {
			break
		}
		at -= size
	}
	return at
}

// hasLineEnd reports whether a line ends among the pieces, outside of comments.
func hasLineEnd(pieces []piece) bool {
	for _, p := range pieces {
		if p.kind == lineEnd {
			return true
		}
	}
	return false
}

// blank reports whether s is white space alone.
func blank(s string) bool { return !strings.ContainsFunc(s, func(r rune) bool { return !isSpace(r) }) }

// onLine reports whether s is white space without a line end.
func onLine(s string) bool { return blank(s) && !strings.ContainsFunc(s, isLineEnd) }

func endsWithLine(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return isLineEnd(r)
}

// newlineOf is the first line end of s, "\n" when it has none.
func newlineOf(s string) string {
	i := strings.IndexAny(s, "\r\n")
	switch {
	case i < 0 || s[i] == '\n':
		return "\n"
	case strings.HasPrefix(s[i:], "\r\n"):
		return "\r\n"
	}
	return "\r"
}
