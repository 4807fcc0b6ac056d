package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
	"github.com/toolcrib/toolcrib/internal/near"
)

// maxProblems bounds how many errors are reported of one manifest.
const maxProblems = 50

// reader holds a tree against what is known, and collects what is wrong.
type reader struct {
	path string
	errs []error
}

// fail notes an error with its place.
func (r *reader) fail(at json5.Pos, key, message, hint string) {
	if key != "" {
		message = key + ": " + message
	}
	if len(r.errs) < maxProblems {
		r.errs = append(r.errs, toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("%s:%d:%d: %s", r.path, at.Line, at.Column, message), hint))
	}
}

func (r *reader) err() error { return errors.Join(r.errs...) }

// is reports whether a value is of a kind, and says so when it isn't.
func (r *reader) is(n *json5.Node, kind json5.Kind, key string) bool {
	if n.Kind == kind {
		return true
	}
	hint := ""
	switch {
	case n.Kind == json5.Null:
		hint = "leave the key out"
	case kind == json5.Array && n.Kind == json5.String:
		hint = `write a list: ["…"]`
	case kind == json5.String && n.Kind == json5.Number:
		hint = "put it in quotes"
	case n.Kind == json5.String && (kind == json5.Bool || kind == json5.Number):
		hint = "write it without quotes"
	}
	r.fail(n.Start, key, fmt.Sprintf("found %v, expected %v", n.Kind, kind), hint)
	return false
}

// fields reads an object: each key by its function, given the key's full path.
func (r *reader) fields(n *json5.Node, path string, known map[string]func(v *json5.Node, key string)) {
	if !r.is(n, json5.Object, path) {
		return
	}
	for _, m := range n.Members {
		key := join(path, m.Key)
		read, ok := known[m.Key]
		if !ok {
			names := make([]string, 0, len(known))
			for name := range known {
				names = append(names, name)
			}
			slices.Sort(names)
			hint := "known keys here: " + strings.Join(names, ", ")
			if other := near.Word(m.Key, names); other != "" {
				hint = fmt.Sprintf("did you mean %q?", other)
			}
			r.fail(m.KeyStart, key, "unknown key", hint)
			continue
		}
		read(m.Value, key)
	}
}

// join appends a key to a path, quoted where it needs to be.
func join(path, key string) string {
	plain := key != "" && !strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune(`.[]="`, c) })
	switch {
	case !plain:
		return path + "[" + strconv.Quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

// text reads a string.
func (r *reader) text(into *string) func(*json5.Node, string) {
	return func(n *json5.Node, key string) {
		if r.is(n, json5.String, key) {
			*into = n.Text
		}
	}
}

// word reads one of a few strings.
func (r *reader) word(into *string, words ...string) func(*json5.Node, string) {
	return func(n *json5.Node, key string) {
		if !r.is(n, json5.String, key) {
			return
		}
		if slices.Contains(words, n.Text) {
			*into = n.Text
			return
		}
		hint := ""
		if w := near.Word(n.Text, words); w != "" {
			hint = fmt.Sprintf("did you mean %q?", w)
		}
		r.fail(n.Start, key, `found another word, expected "`+strings.Join(words, `" or "`)+`"`, hint)
	}
}

// yes reads a boolean.
func (r *reader) yes(into *bool) func(*json5.Node, string) {
	return func(n *json5.Node, key string) {
		if r.is(n, json5.Bool, key) {
			*into = n.Bool
		}
	}
}

// whole reads a whole number between two bounds.
func (r *reader) whole(into *int, low, high int) func(*json5.Node, string) {
	return func(n *json5.Node, key string) {
		if !r.is(n, json5.Number, key) {
			return
		}
		if n.Number != math.Trunc(n.Number) || n.Number < float64(low) || n.Number > float64(high) {
			r.fail(n.Start, key, fmt.Sprintf("is no whole number from %d to %d", low, high), "")
			return
		}
		*into = int(n.Number)
	}
}

// texts reads a list of strings.
func (r *reader) texts(into *[]string) func(*json5.Node, string) {
	return func(n *json5.Node, key string) {
		if !r.is(n, json5.Array, key) {
			return
		}
		for i, item := range n.Items {
			if r.is(item, json5.String, fmt.Sprintf("%s[%d]", key, i)) {
				*into = append(*into, item.Text)
			}
		}
	}
}

// variables reads an object of texts; numbers and booleans become text.
func (r *reader) variables(into *map[string]string) func(*json5.Node, string) {
	return func(n *json5.Node, key string) {
		if !r.is(n, json5.Object, key) {
			return
		}
		*into = make(map[string]string, len(n.Members))
		for _, m := range n.Members {
			at := join(key, m.Key)
			if m.Key == "" || strings.ContainsAny(m.Key, "=\x00") {
				r.fail(m.KeyStart, at, "is not a name that can be used here", `a name holds no "="`)
			}
			switch m.Value.Kind {
			case json5.Bool:
				(*into)[m.Key] = strconv.FormatBool(m.Value.Bool)
			case json5.Number:
				(*into)[m.Key] = m.Value.Text
			default:
				if r.is(m.Value, json5.String, at) {
					(*into)[m.Key] = m.Value.Text
				}
			}
			if strings.Contains((*into)[m.Key], "\x00") {
				r.fail(m.Value.Start, at, "holds a NUL character", "")
			}
		}
	}
}

// schema reads a JSON Schema: an object, kept as JSON.
func (r *reader) schema(into *json.RawMessage) func(*json5.Node, string) {
	return func(n *json5.Node, key string) {
		if !r.is(n, json5.Object, key) {
			return
		}
		if text, ok := r.json(nil, n, key); ok {
			*into = text
		}
	}
}

// json appends a value as JSON, its keys in the order of the text.
func (r *reader) json(b []byte, n *json5.Node, key string) (out []byte, ok bool) {
	switch n.Kind {
	case json5.Null:
		return append(b, "null"...), true
	case json5.Bool:
		return strconv.AppendBool(b, n.Bool), true
	case json5.Number:
		return r.jsonNumber(b, n, key)
	case json5.String:
		return appendString(b, n.Text), true
	case json5.Array:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			if b, ok = r.json(b, item, fmt.Sprintf("%s[%d]", key, i)); !ok {
				return b, false
			}
		}
		return append(b, ']'), true
	}
	b = append(b, '{')
	for i, m := range n.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, m.Key), ':')
		if b, ok = r.json(b, m.Value, join(key, m.Key)); !ok {
			return b, false
		}
	}
	return append(b, '}'), true
}

// jsonNumber appends a number as it is written, where JSON has that form.
func (r *reader) jsonNumber(b []byte, n *json5.Node, key string) ([]byte, bool) {
	if json.Valid([]byte(n.Text)) {
		return append(b, n.Text...), true
	}
	text, err := json.Marshal(n.Number)
	if err != nil {
		r.fail(n.Start, key, "is a number that JSON doesn't have", "write a finite number")
		return b, false
	}
	return append(b, text...), true
}

// appendString appends a JSON string.
func appendString(b []byte, s string) []byte {
	text, _ := json.Marshal(strings.ToValidUTF8(s, "\uFFFD")) // a string can't fail
	return append(b, text...)
}
