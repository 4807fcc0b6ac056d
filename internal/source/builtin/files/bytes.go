package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// load reads a file up to a bound and says whether that was all of it. It looks
// at ctx between pieces.
func load(ctx context.Context, f *os.File, bound int) (data []byte, whole bool, err error) {
	const piece = 256 << 10
	buf := bytes.Buffer{}
	for buf.Len() <= bound {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		n, err := io.CopyN(&buf, f, int64(min(piece, bound+1-buf.Len())))
		if err == io.EOF || err == nil && n == 0 {
			return buf.Bytes(), true, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return buf.Bytes()[:bound], false, nil
}

// hashOf is the first 64 bits of SHA-256 (FIPS 180-4) in hexadecimal: enough to
// see that a file is another, short enough for a model to repeat.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// stamp is a time as answers give it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

const byteOrderMark = "\xef\xbb\xbf"

// Line ends of a text.
const (
	endsNone  = "none"
	endsLF    = "lf"
	endsCRLF  = "crlf"
	endsMixed = "mixed"
)

// text is a file's content as a model sees it: without a byte order mark, and
// with plain line ends where all of them are CRLF.
type text struct {
	view []byte
	bom  bool
	ends string
}

func textOf(raw []byte) text {
	t := text{view: raw, ends: endsNone}
	t.view, t.bom = bytes.CutPrefix(raw, []byte(byteOrderMark))
	all, pairs := bytes.Count(t.view, []byte("\n")), bytes.Count(t.view, []byte("\r\n"))
	switch {
	case all == 0:
	case pairs == 0:
		t.ends = endsLF
	case pairs == all:
		t.ends = endsCRLF
		t.view = bytes.ReplaceAll(t.view, []byte("\r\n"), []byte("\n"))
	default:
		t.ends = endsMixed
	}
	return t
}

// raw is the file for another view of the same text.
func (t text) raw(view []byte) []byte {
	if t.ends == endsCRLF {
		view = bytes.ReplaceAll(view, []byte("\n"), []byte("\r\n"))
	}
	if t.bom {
		return append([]byte(byteOrderMark), view...)
	}
	return view
}

// fit is text in the line ends of the view.
func (t text) fit(s string) string {
	if t.ends == endsCRLF {
		return strings.ReplaceAll(s, "\r\n", "\n")
	}
	return s
}

// sniffed is how many bytes are looked at to tell text from the rest.
const sniffed = 8 << 10

// binary says what a file is that is no text; empty for text.
func binary(data []byte) string {
	head := data[:min(len(data), sniffed)]
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "text in UTF-16"
	case bytes.HasPrefix(head, []byte("\x7fELF")), bytes.HasPrefix(head, []byte("MZ")) && bytes.IndexByte(head, 0) >= 0, bytes.HasPrefix(head, []byte("\xcf\xfa\xed\xfe")):
		return "a program"
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return "an SQLite database"
	}
	kind := http.DetectContentType(head)
	if strings.HasPrefix(kind, "text/") && bytes.IndexByte(head, 0) < 0 {
		return ""
	}
	if kind == "application/octet-stream" || strings.HasPrefix(kind, "text/") {
		if bytes.IndexByte(head, 0) < 0 && mostlyText(head) {
			return ""
		}
		return "binary data"
	}
	if kind == "application/pdf" || bytes.IndexByte(head, 0) >= 0 || !mostlyText(head) {
		return "binary data (" + kind + ")"
	}
	return ""
}

// mostlyText reports whether few bytes are control characters, whatever the encoding.
func mostlyText(head []byte) bool {
	odd := 0
	for _, c := range head {
		if c < ' ' && !strings.ContainsRune("\t\n\r\f\b\x1b", rune(c)) || c == 0x7f {
			odd++
		}
	}
	return odd*20 <= len(head)
}

// jsonCost is what a text costs in JSON, without its quotes. Bytes that are not
// UTF-8 count as U+FFFD.
func jsonCost(s string) int {
	n := 0
	for _, r := range s {
		n += runeCost(r)
	}
	return n
}

func runeCost(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\n' || r == '\r' || r == '\t' || r == '\b' || r == '\f':
		return 2
	case r < ' ', r == '\u2028', r == '\u2029':
		return 6
	}
	return utf8.RuneLen(r)
}

// head is the longest start of a text that costs at most n, and ends between characters.
func head(s []byte, n int) []byte {
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRune(s[at:])
		if n -= runeCost(r); n < 0 {
			break
		}
		at += size
	}
	return s[:at]
}
