package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// checker holds the tree against the table. What is out of range it clamps.
type checker struct{ *problems }

func (c checker) tree(v *value, s *spec, path string) {
	if v.bad {
		return
	}
	if !s.takes(v.kind) {
		c.mistyped(v, s, path)
		return
	}
	switch v.kind {
	case json5.Number:
		c.number(v, s, path)
	case json5.String:
		c.word(v, s, path)
	case json5.Array:
		for i, item := range v.items {
			c.tree(item, s.item, itemPath(path, i))
		}
	case json5.Object:
		c.object(v, s, path)
	}
	if s.SecretNames && !v.bad {
		asText(v)
	}
}

// asText turns a number or a boolean of env or headers into text.
func asText(v *value) {
	switch v.kind {
	case json5.Bool:
		*v = value{kind: json5.String, text: strconv.FormatBool(v.bool), origin: v.origin}
	case json5.Number:
		*v = value{kind: json5.String, text: v.text, origin: v.origin}
	}
}

func (c checker) mistyped(v *value, s *spec, path string) {
	v.bad = true
	hint := ""
	switch {
	case s.Type&List != 0 && v.kind == json5.String:
		hint = `write a list: ["…"]`
	case s.Type&String != 0 && v.kind == json5.Number:
		hint = "put it in quotes"
	case v.kind == json5.Null:
		hint = "leave the key out for its default"
	case s.Type&Whole != 0 && v.kind == json5.String && strings.HasSuffix(s.Path, "Ms"):
		hint = "write milliseconds as a whole number without quotes, such as 30000 for 30 seconds"
	case s.Type&(Bool|Whole) != 0 && v.kind == json5.String:
		hint = "write it without quotes"
	}
	c.fail(v.origin, path, fmt.Sprintf("found %v, expected %s", v.kind, s.expects()), hint)
}

func (c checker) number(v *value, s *spec, path string) {
	if v.num != math.Trunc(v.num) || math.IsInf(v.num, 0) || math.IsNaN(v.num) {
		if !s.SecretNames { // there it becomes text
			v.bad = true
			c.fail(v.origin, path, "found a number that is not whole, expected a whole number", "")
		}
		return
	}
	low, high := float64(s.Min), float64(s.Max)
	if s.Min == 0 && s.Max == 0 || v.num >= low && v.num <= high {
		return
	}
	to := int64(max(low, min(high, v.num)))
	c.warn(v.origin, path, "%s is outside %d to %d; %d is used", v.text, s.Min, s.Max, to)
	*v = *newNumber(to, v.origin)
}

// word checks a string of a fixed set. The found text is not repeated, for it
// may have come to this place by mistake.
func (c checker) word(v *value, s *spec, path string) {
	if s.Enum == nil {
		return
	}
	if slices.Contains(s.Enum, v.text) {
		return
	}
	v.bad = true
	hint := ""
	if strings.HasSuffix(s.Path, "toolSearch.mode") && v.text == "direct" {
		hint = "set " + strings.TrimSuffix(path, ".mode") + " to false to show every tool directly"
	} else if near := Nearest(v.text, s.Enum); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if s.name == "toolSearch" && slices.Contains(s.child("mode").Enum, v.text) {
		hint = fmt.Sprintf("write it as {mode: %q}", v.text)
	} else if s.Type&Bool != 0 && (v.text == "true" || v.text == "false") {
		hint = "write it without quotes"
	}
	c.fail(v.origin, path, "found another word, expected "+s.expects(), hint)
}

func (c checker) object(v *value, s *spec, path string) {
	for _, f := range v.fields {
		child := s.child(f.key)
		if child == nil {
			hint := ""
			if !c.full() {
				hint = didYouMean(s, path, f.key)
			}
			c.fail(f.at, joinPath(path, f.key), "unknown key", hint)
			continue
		}
		if s.Path == "mcp.servers" && !toolcrib.ValidOwner(f.key) {
			c.fail(f.at, joinPath(path, f.key), "the name of a server is a letter or digit, then at most 63 letters, digits, _, . or -",
				fmt.Sprintf("for example %q", slug(f.key)))
		}
		c.tree(f.val, child, joinPath(path, f.key))
	}
}

// slug makes a clean name of any text, short enough for a number behind it.
func slug(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '.':
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	out := strings.TrimLeft(b.String(), "-_.")
	out = strings.TrimRight(out[:min(len(out), 56)], "-")
	if out == "" {
		return "server"
	}
	return out
}
