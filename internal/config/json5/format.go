package json5

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// maxInline is how many characters a list or object has at most to stand on one line.
const maxInline = 80

// Format writes n as source. Lines behind the first are set in by indent and one
// Indent more for each level. Lists of plain values stand on one line when they
// are short. A Number is written as its Text says; when Strict, one that JSON
// can't write becomes null.
func Format(n *Node, l Layout, indent string) []byte {
	w := writer{Layout: l}
	return []byte(w.text(n, indent, l.Newline == ""))
}

// writer writes values in one layout.
type writer struct {
	Layout
	// verbatim is a value that is written as raw.
	verbatim *Node
	raw      string
}

// part is a value with its key, if the step has one.
func (w writer) part(s Step, n *Node, indent string, inline bool) string {
	return w.stepKey(s) + w.text(n, indent, inline)
}

// stepKey is a member's key with its colon; an item has none.
func (w writer) stepKey(s Step) string {
	if s.isItem() {
		return ""
	}
	return w.key(s.Key) + w.colon()
}

func (w writer) colon() string {
	if w.Colon == "" {
		return ": "
	}
	return w.Colon
}

// afterComma stands behind a comma within a line.
func (w writer) afterComma() string {
	if w.colon() == ":" {
		return ""
	}
	return " "
}

func (w writer) text(n *Node, indent string, inline bool) string {
	if n == w.verbatim {
		return w.raw
	}
	switch n.Kind {
	case Bool:
		return strconv.FormatBool(n.Bool)
	case Number:
		return w.number(n)
	case String:
		return w.quoted(n.Text, w.Quote)
	case Array, Object:
		return w.container(n, indent, inline)
	}
	return "null"
}

func (w writer) number(n *Node) string {
	switch {
	case n.Text != "" && (!w.Strict || json.Valid([]byte(n.Text))):
		return n.Text
	case w.Strict && (math.IsInf(n.Number, 0) || math.IsNaN(n.Number)):
		return "null"
	case math.IsInf(n.Number, 0):
		return strings.Replace(strconv.FormatFloat(n.Number, 'g', -1, 64), "Inf", "Infinity", 1)
	case n.Number == math.Trunc(n.Number) && math.Abs(n.Number) < 1<<53:
		return strconv.FormatFloat(n.Number, 'f', -1, 64)
	}
	return strconv.FormatFloat(n.Number, 'g', -1, 64)
}

// container writes a list or an object, on one line or on several.
func (w writer) container(n *Node, indent string, inline bool) string {
	brackets := "{}"
	if n.Kind == Array {
		brackets = "[]"
	}
	if len(n.Items)+len(n.Members) == 0 {
		return brackets
	}
	if !inline && n.flat() {
		if line := brackets[:1] + strings.Join(w.parts(n, indent, true), ","+w.afterComma()) + brackets[1:]; len(line) <= maxInline {
			return line
		}
	}
	if inline {
		return brackets[:1] + strings.Join(w.parts(n, indent, true), ","+w.afterComma()) + brackets[1:]
	}
	deeper := indent + w.Indent
	lines := w.Newline + deeper + strings.Join(w.parts(n, deeper, false), ","+w.Newline+deeper)
	if w.TrailingComma && !w.Strict {
		lines += ","
	}
	return brackets[:1] + lines + w.Newline + indent + brackets[1:]
}

func (w writer) parts(n *Node, indent string, inline bool) []string {
	var out []string
	for _, item := range n.Items {
		out = append(out, w.text(item, indent, inline))
	}
	for _, m := range n.Members {
		out = append(out, w.part(Key(m.Key), m.Value, indent, inline))
	}
	return out
}

// flat reports whether n is a list that holds no containers.
func (n *Node) flat() bool {
	for _, item := range n.Items {
		if item.Kind == Array || item.Kind == Object {
			return false
		}
	}
	return n.Kind == Array
}

// key writes a key, bare where the layout wants that and the key allows it.
func (w writer) key(k string) string {
	if w.BareKeys && !w.Strict && bareKey(k) {
		return k
	}
	if w.KeyQuote != 0 {
		return w.quoted(k, w.KeyQuote)
	}
	return w.quoted(k, w.Quote)
}

// bareKey reports whether a key needs no quotes in any reader of JSON5.
func bareKey(k string) bool {
	for i, r := range k {
		letter := r < 0x80 && isIdentStart(r)
		if !letter && (i == 0 || !isDigitRune(r)) {
			return false
		}
	}
	return k != ""
}

// quoted writes a string in the given quotes, or in the others when it holds
// those alone.
func (w writer) quoted(s string, quote byte) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	double := strings.TrimSuffix(b.String(), "\n")
	single, dbl := strings.Contains(s, "'"), strings.Contains(s, `"`)
	if w.Strict || quote != '\'' && !(dbl && !single) || quote == '\'' && single && !dbl {
		return double
	}
	return "'" + singleQuoted(double[1:len(double)-1]) + "'"
}

// singleQuoted turns the inside of a double-quoted string into that of a single-quoted one.
func singleQuoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[i+1] == '"':
			b.WriteByte('"')
			i++
		case s[i] == '\\':
			b.WriteString(s[i : i+2])
			i++
		case s[i] == '\'':
			b.WriteString(`\'`)
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
