package results

import (
	"bytes"
	"unicode/utf8"
)

// text is a kept text, valid UTF-8. It is never changed.
type text struct {
	s       string
	dropped int // bytes after the end that were not kept
}

// newText copies at most limit bytes of whole, cut between characters. What is
// not UTF-8 becomes U+FFFD, one for each run of such bytes.
func newText(whole []byte, limit int) text {
	kept := clip(whole, limit)
	dropped := len(whole) - len(kept)
	if !utf8.Valid(kept) {
		valid := bytes.ToValidUTF8(kept, []byte("\uFFFD"))
		kept = clip(valid, limit)
		dropped += len(valid) - len(kept)
	}
	return text{string(kept), dropped}
}

// clip cuts b to at most limit bytes without splitting a character.
func clip(b []byte, limit int) []byte {
	if len(b) <= limit {
		return b
	}
	end := limit
	for back := 0; back < utf8.UTFMax-1 && end > 0 && !utf8.RuneStart(b[end]); back++ {
		end--
	}
	return b[:end]
}

// slice returns whole characters from offset on, at most length bytes of them
// and fewer when they would cost more than budget as JSON, and where they start:
// an offset inside a character is moved to its beginning. One character is
// returned, whatever it costs, when there is one.
func (t text) slice(offset, length, budget int) (start int, piece string) {
	if offset >= len(t.s) {
		return offset, ""
	}
	for !utf8.RuneStart(t.s[offset]) {
		offset--
	}
	end := offset
	for end < len(t.s) {
		r, size := utf8.DecodeRuneInString(t.s[end:])
		budget -= cost(r, size)
		if end > offset && (budget < 0 || end+size-offset > length) {
			break
		}
		end += size
	}
	return offset, t.s[offset:end]
}

// cost is the most bytes that a character takes inside a JSON string.
func cost(r rune, size int) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t':
		return 2
	case r < 0x20, r == '\u2028', r == '\u2029':
		return 6
	}
	return size
}
