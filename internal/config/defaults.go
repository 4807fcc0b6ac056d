package config

import (
	"strings"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// fillDefaults gives every key of the table that has a default and no value its default.
func fillDefaults(v *value, s *spec) {
	if v.kind == json5.Array {
		for _, item := range v.items {
			if s.item != nil {
				fillDefaults(item, s.item)
			}
		}
		return
	}
	if v.kind != json5.Object {
		return
	}
	for _, c := range s.children {
		switch have := v.get(c.name); {
		case have != nil:
		case c.Default != "":
			v.set(c.name, defaultOf(c))
		case c.Type == Object && hasDefaults(c):
			v.set(c.name, newObject(Origin{Layer: LayerDefault}))
		}
	}
	for _, f := range v.fields {
		if child := s.child(f.key); child != nil {
			fillDefaults(f.val, child)
		}
	}
}

func hasDefaults(s *spec) bool {
	for _, c := range s.children {
		if c.Default != "" || hasDefaults(c) {
			return true
		}
	}
	return false
}

// defaultOf is the default of a key as a value.
func defaultOf(s *spec) *value {
	node, err := json5.Parse([]byte(s.Default))
	if err != nil {
		panic("the default of " + s.Path + " in keys.go is not JSON: " + err.Error())
	}
	return fromNode(node, func(json5.Pos) Origin { return Origin{Layer: LayerDefault} })
}

func defaultWhole(path string) int {
	s := rootSpec()
	for name := range strings.SplitSeq(path, ".") {
		s = s.child(name)
	}
	return int(defaultOf(s).num)
}
