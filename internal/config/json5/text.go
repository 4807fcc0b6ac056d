package json5

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a quoted string at the position.
func (s *scanner) str() (string, *Error) {
	start := s.at
	quote := s.next()
	from := s.at.Offset
	var b *strings.Builder // nil while the text holds no escape
	for {
		r, at := s.peek(), s.at
		switch {
		case r == eof, r == '\n', r == '\r':
			return "", &Error{
				Pos: start, Found: "a string that does not end on its line",
				Expected: "a closing " + string(quote) + " (or a \\ at the end of the line to go on)",
			}
		case r == utf8.RuneError && s.badByte():
			return "", s.fault("UTF-8 text")
		case r == quote:
			s.next()
			if b == nil {
				return s.src[from:at.Offset], nil
			}
			return b.String(), nil
		case r == '\\':
			if b == nil {
				b = &strings.Builder{}
				b.WriteString(s.src[from:at.Offset])
			}
			if err := s.escape(b); err != nil {
				return "", err
			}
		default:
			s.next()
			if b != nil {
				b.WriteRune(r)
			}
		}
	}
}

// escape reads one escape, of which the position is the backslash.
func (s *scanner) escape(b *strings.Builder) *Error {
	start := s.at
	s.next()
	r := s.peek()
	switch {
	case r == eof:
		return s.fault("a character after the \\")
	case r == utf8.RuneError && s.badByte():
		return s.fault("UTF-8 text")
	case r == 'u':
		return s.unicodeEscape(b, start)
	case r == 'x':
		s.next()
		v, err := s.hex(2, start)
		if err == nil {
			b.WriteRune(v)
		}
		return err
	case r >= '1' && r <= '9', r == '0' && isDigit(s.peekAt(1)):
		return &Error{Pos: start, Found: "an octal escape", Expected: "\\xHH or \\uHHHH"}
	}
	s.next()
	if isLineEnd(r) { // the line goes on
		if r == '\r' && s.peek() == '\n' {
			s.next()
		}
		return nil
	}
	b.WriteRune(unescape(r))
	return nil
}

func unescape(r rune) rune {
	switch r {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	case '0':
		return 0
	}
	return r
}

// unicodeEscape reads uHHHH and joins a pair of surrogates; half a pair becomes U+FFFD.
func (s *scanner) unicodeEscape(b *strings.Builder, start Pos) *Error {
	s.next()
	v, err := s.hex(4, start)
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(v) && s.peek() == '\\' && s.peekAt(1) == 'u' {
		back := *s
		low := s.at
		s.next()
		s.next()
		second, err := s.hex(4, low)
		if err != nil {
			return err
		}
		if joined := utf16.DecodeRune(v, second); joined != utf8.RuneError {
			b.WriteRune(joined)
			return nil
		}
		*s = back
	}
	b.WriteRune(v)
	return nil
}

// hex reads exactly n hexadecimal digits of the escape that began at start.
func (s *scanner) hex(n int, start Pos) (rune, *Error) {
	var v rune
	for range n {
		d := hexDigit(s.peek())
		if d < 0 {
			want := map[int]string{2: "\\x and two hexadecimal digits", 4: "\\u and four hexadecimal digits"}[n]
			return 0, &Error{Pos: start, Found: "an escape that is cut short", Expected: want}
		}
		v = v<<4 | d
		s.next()
	}
	return v, nil
}

func hexDigit(r rune) rune {
	switch {
	case '0' <= r && r <= '9':
		return r - '0'
	case 'a' <= r && r <= 'f':
		return r - 'a' + 10
	case 'A' <= r && r <= 'F':
		return r - 'A' + 10
	}
	return -1
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// ident reads an unquoted key at the position.
func (s *scanner) ident() (string, *Error) {
	var b strings.Builder
	for {
		r, start := s.peek(), s.at
		allowed := isIdentPart
		if b.Len() == 0 {
			allowed = isIdentStart
		}
		if r != '\\' {
			if !allowed(r) {
				return b.String(), nil
			}
			b.WriteRune(s.next())
			continue
		}
		s.next()
		if s.peek() != 'u' {
			return "", &Error{Pos: start, Found: "a \\ in an unquoted key", Expected: "\\u and four hexadecimal digits, or quotes around the key"}
		}
		s.next()
		v, err := s.hex(4, start)
		if err != nil {
			return "", err
		}
		if !allowed(v) {
			return "", &Error{Pos: start, Found: "an escape for a character that an unquoted key can't hold", Expected: "quotes around the key"}
		}
		b.WriteRune(v)
	}
}
