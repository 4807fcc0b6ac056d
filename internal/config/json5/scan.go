package json5

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// eof stands for the end of the text; no character has this value.
const eof rune = -1

// scanner walks the text character by character and keeps the position.
type scanner struct {
	src string
	at  Pos
}

// peek returns the character at the position without taking it.
func (s *scanner) peek() rune {
	r, _ := s.decode(s.at.Offset)
	return r
}

// peekAt returns the byte that stands n bytes further, 0 behind the end.
func (s *scanner) peekAt(n int) byte {
	if i := s.at.Offset + n; i < len(s.src) {
		return s.src[i]
	}
	return 0
}

func (s *scanner) decode(offset int) (rune, int) {
	if offset >= len(s.src) {
		return eof, 0
	}
	if c := s.src[offset]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s.src[offset:])
}

// next takes one character. A "\r\n" is taken as two, of which only the second ends the line.
func (s *scanner) next() rune {
	r, size := s.decode(s.at.Offset)
	s.at.Offset += size
	switch {
	case r == eof:
	case r == '\n', r == '\r' && s.peekAt(0) != '\n':
		s.at.Line++
		s.at.Column = 1
	default:
		s.at.Column++
	}
	return r
}

// skip passes over white space and comments.
func (s *scanner) skip() *Error {
	for {
		switch r := s.peek(); {
		case isSpace(r):
			s.next()
		case r == '/' && s.peekAt(1) == '/':
			for r := s.peek(); r != eof && !isLineEnd(r); r = s.peek() {
				s.next()
			}
		case r == '/' && s.peekAt(1) == '*':
			if err := s.skipBlock(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (s *scanner) skipBlock() *Error {
	start := s.at
	s.next()
	s.next()
	for {
		switch r := s.next(); {
		case r == eof:
			return &Error{Pos: start, Found: `a comment "/*" that never ends`, Expected: `"*/" after it`}
		case r == '*' && s.peek() == '/':
			s.next()
			return nil
		}
	}
}

// found describes what stands at the position, without quoting words, numbers or strings.
func (s *scanner) found() string {
	switch r := s.peek(); {
	case r == eof:
		return "the end of the file"
	case r == utf8.RuneError && s.badByte():
		return fmt.Sprintf("the byte 0x%02X, which is not UTF-8", s.src[s.at.Offset])
	case r == '"', r == '\'':
		return "a string"
	case isIdentStart(r), r == '\\':
		return "a bare word"
	case r >= '0' && r <= '9':
		return "a number"
	case isLineEnd(r):
		return "the end of the line"
	case unicode.IsPrint(r) && r < utf8.RuneSelf:
		return fmt.Sprintf("%q", string(r))
	default:
		return fmt.Sprintf("the character U+%04X", r)
	}
}

// badByte reports whether the position stands on a byte that is not UTF-8.
func (s *scanner) badByte() bool {
	r, size := utf8.DecodeRuneInString(s.src[s.at.Offset:])
	return r == utf8.RuneError && size == 1
}

func (s *scanner) fault(expected string) *Error {
	return &Error{Pos: s.at, Found: s.found(), Expected: expected}
}

func isLineEnd(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029'
}

func isSpace(r rune) bool {
	switch r {
	case ' ', '\t', '\v', '\f', '\u00a0', '\ufeff':
		return true
	}
	return isLineEnd(r) || r >= utf8.RuneSelf && unicode.Is(unicode.Zs, r)
}

func isIdentStart(r rune) bool {
	switch {
	case r == '$', r == '_', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return true
	}
	return r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.Is(unicode.Nl, r))
}

func isIdentPart(r rune) bool {
	return isIdentStart(r) || '0' <= r && r <= '9' || r == '\u200c' || r == '\u200d' ||
		r >= utf8.RuneSelf && unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)
}
