package config

import (
	"strings"
	"sync"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// spec is one key with the keys below it: the table as a tree.
type spec struct {
	Key
	name     string
	children []*spec
	any      *spec // the values of a Map
	item     *spec // the items of a List
}

// rootSpec is the tree of Keys, built once and never changed.
var rootSpec = sync.OnceValue(func() *spec {
	root := &spec{Key: Key{Type: Object}}
	for _, k := range Keys() {
		parent := root
		names := strings.Split(k.Path, ".")
		for _, name := range names[:len(names)-1] {
			parent = parent.child(name)
		}
		parent.add(&spec{Key: k, name: names[len(names)-1]})
	}
	return root
})

func (s *spec) add(c *spec) {
	switch c.name {
	case "*":
		s.any = c
	case "[]":
		s.item = c
	default:
		s.children = append(s.children, c)
	}
}

// child returns the spec of the key name below s, nil when there is none.
func (s *spec) child(name string) *spec {
	for _, c := range s.children {
		if c.name == name {
			return c
		}
	}
	if s.Type&List != 0 {
		return s.item
	}
	return s.any
}

// takes reports whether a value of this kind is of the key's type.
func (s *spec) takes(kind json5.Kind) bool {
	switch kind {
	case json5.Bool:
		return s.Type&Bool != 0
	case json5.Number:
		return s.Type&Whole != 0
	case json5.String:
		return s.Type&String != 0
	case json5.Array:
		return s.Type&List != 0
	case json5.Object:
		return s.Type&(Object|Map) != 0
	}
	return false
}

// expects says in words what the key takes.
func (s *spec) expects() string {
	var words []string
	for _, w := range []struct {
		t    Type
		word string
	}{{String, "a string"}, {Whole, "a whole number"}, {Bool, "true or false"}, {List, "a list"}, {Object | Map, "an object"}} {
		switch {
		case s.Type&w.t == 0:
		case w.t == String && s.Enum != nil:
			words = append(words, orList(s.Enum))
		default:
			words = append(words, w.word)
		}
	}
	return strings.Join(words, " or ")
}

// orList quotes words and joins them as a sentence does.
func orList(words []string) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(`"` + w + `"`)
	}
	return b.String()
}
