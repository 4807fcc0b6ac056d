package json5

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// number reads a number at the position: a sign, digits, a dot, "0x", "Infinity" or "NaN".
func (s *scanner) number() (float64, *Error) {
	sign := 1.0
	if r := s.peek(); r == '+' || r == '-' {
		s.next()
		if r == '-' {
			sign = -1
		}
	}
	v, err := s.unsigned()
	if err != nil {
		return 0, err
	}
	if r := s.peek(); isIdentStart(r) || isDigitRune(r) || r == '\\' {
		return 0, &Error{Pos: s.at, Found: s.found() + " right behind a number", Expected: `",", "}", "]" or white space`}
	}
	return sign * v, nil
}

func isDigitRune(r rune) bool { return '0' <= r && r <= '9' }

func (s *scanner) unsigned() (float64, *Error) {
	switch rest := s.src[s.at.Offset:]; {
	case strings.HasPrefix(rest, "Infinity"):
		s.advance(len("Infinity"))
		return math.Inf(1), nil
	case strings.HasPrefix(rest, "NaN"):
		s.advance(len("NaN"))
		return math.NaN(), nil
	case strings.HasPrefix(rest, "0x"), strings.HasPrefix(rest, "0X"):
		return s.hexNumber()
	}
	return s.decimal()
}

// advance takes n bytes of plain ASCII.
func (s *scanner) advance(n int) {
	for range n {
		s.next()
	}
}

func (s *scanner) hexNumber() (float64, *Error) {
	s.advance(2)
	from := s.at.Offset
	for hexDigit(s.peek()) >= 0 {
		s.next()
	}
	if from == s.at.Offset {
		return 0, s.fault("a hexadecimal digit after 0x")
	}
	digits := s.src[from:s.at.Offset]
	if v, err := strconv.ParseUint(digits, 16, 64); err == nil {
		return float64(v), nil
	}
	if len(strings.TrimLeft(digits, "0")) > 256 {
		return math.Inf(1), nil // beyond the largest float64, which has 256 digits
	}
	whole, _ := new(big.Int).SetString(digits, 16)
	v, _ := new(big.Float).SetInt(whole).Float64()
	return v, nil
}

func (s *scanner) decimal() (float64, *Error) {
	start := s.at
	whole := s.digits()
	if whole > 1 && s.src[start.Offset] == '0' {
		return 0, &Error{Pos: start, Found: "a number that begins with 0", Expected: "a number without leading zeros"}
	}
	fraction := 0
	if s.peek() == '.' {
		s.next()
		fraction = s.digits()
	}
	if whole+fraction == 0 {
		return 0, s.fault("a digit")
	}
	if r := s.peek(); r == 'e' || r == 'E' {
		s.next()
		if r := s.peek(); r == '+' || r == '-' {
			s.next()
		}
		if s.digits() == 0 {
			return 0, s.fault("a digit of the exponent")
		}
	}
	// Out of range is no fault: ParseFloat gives an infinity or a zero then.
	v, _ := strconv.ParseFloat(s.src[start.Offset:s.at.Offset], 64)
	return v, nil
}

// digits takes decimal digits and counts them.
func (s *scanner) digits() int {
	n := 0
	for isDigit(s.peekAt(0)) {
		s.next()
		n++
	}
	return n
}
