package exec

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// capture keeps the head and the tail of a stream and counts the rest. Its size
// doesn't grow with the stream.
type capture struct {
	head  []byte
	ring  []byte // the tail, once it is full from at on
	at    int
	half  int
	total int64
}

func newCapture(limit int) *capture { return &capture{half: max(limit/2, 1)} }

// Write implements io.Writer; it never fails.
func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	if room := c.half - len(c.head); room > 0 {
		take := min(room, len(p))
		c.head, p = append(c.head, p[:take]...), p[take:]
	}
	if len(p) > c.half {
		p = p[len(p)-c.half:]
	}
	if room := c.half - len(c.ring); room > 0 {
		take := min(room, len(p))
		c.ring, p = append(c.ring, p[:take]...), p[take:]
	}
	for len(p) > 0 {
		took := copy(c.ring[c.at:], p)
		c.at, p = (c.at+took)%c.half, p[took:]
	}
	return n, nil
}

// text is what was kept, and whether the middle is missing.
func (c *capture) text() (text string, truncated bool) {
	tail := string(c.ring[c.at:]) + string(c.ring[:c.at])
	missing := c.total - int64(len(c.head)) - int64(len(tail))
	if missing == 0 {
		return strings.ToValidUTF8(string(c.head)+tail, "\uFFFD"), false
	}
	head := string(c.head)
	for len(head) > 0 && len(c.head)-len(head) < utf8.UTFMax-1 && !endsWhole(head) {
		head = head[:len(head)-1]
	}
	for i := 0; i < utf8.UTFMax-1 && len(tail) > 0 && !utf8.RuneStart(tail[0]); i++ {
		tail = tail[1:]
	}
	missing = c.total - int64(len(head)) - int64(len(tail))
	return strings.ToValidUTF8(head, "\uFFFD") + fmt.Sprintf("\n[%d bytes left out]\n", missing) + strings.ToValidUTF8(tail, "\uFFFD"), true
}

// endsWhole reports whether a text doesn't end within a character.
func endsWhole(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return r != utf8.RuneError || size > 1
}

// drain copies a stream to its end.
func drain(into *capture, from io.ReadCloser, done chan<- struct{}) {
	_, _ = io.CopyBuffer(into, from, make([]byte, 32<<10))
	done <- struct{}{}
}
