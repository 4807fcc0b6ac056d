package config

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// Layer says which layer set a value.
type Layer string

// The layers, weakest first.
const (
	LayerDefault     Layer = "default"
	LayerFile        Layer = "file"
	LayerEnvironment Layer = "environment"
	LayerFlag        Layer = "flag"
)

// Origin says where a value came from.
type Origin struct {
	Layer Layer `json:"layer"`
	// Name is the file, the variable, or the flag or its path; empty for a default.
	Name string `json:"name,omitempty"`
	// Line and Column count from 1 and are 0 outside of files.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// String is FILE:LINE:COLUMN, the variable, the flag, or "default".
func (o Origin) String() string {
	switch o.Layer {
	case LayerFile:
		if o.Line == 0 {
			return o.Name
		}
		return fmt.Sprintf("%s:%d:%d", o.Name, o.Line, o.Column)
	case LayerEnvironment:
		return "environment variable " + o.Name
	case LayerFlag:
		if o.Name == "" {
			return "flag"
		}
		return "flag " + o.Name
	}
	return string(LayerDefault)
}

// compare sorts by layer, then by place in the file.
func (o Origin) compare(p Origin) int {
	rank := map[Layer]int{LayerDefault: 0, LayerFile: 1, LayerEnvironment: 2, LayerFlag: 3}
	return cmp.Or(cmp.Compare(rank[o.Layer], rank[p.Layer]), cmp.Compare(o.Line, p.Line), cmp.Compare(o.Column, p.Column))
}

// value is a value of any layer, with its origin.
type value struct {
	kind   json5.Kind
	bool   bool
	num    float64
	text   string // of a string; of a number as written
	items  []*value
	fields []field
	origin Origin
	// pieces are the secrets that expansion put into text.
	pieces []string
	// bad marks a value that has been reported, so that nothing more is said of it.
	bad bool
}

type field struct {
	key string
	at  Origin // of the key
	val *value
}

// fromNode turns a tree of the parser into values; origin places a node.
func fromNode(n *json5.Node, origin func(json5.Pos) Origin) *value {
	v := &value{kind: n.Kind, bool: n.Bool, num: n.Number, text: n.Text, origin: origin(n.Start)}
	for _, item := range n.Items {
		v.items = append(v.items, fromNode(item, origin))
	}
	for _, m := range n.Members {
		v.fields = append(v.fields, field{m.Key, origin(m.KeyStart), fromNode(m.Value, origin)})
	}
	return v
}

func newObject(at Origin) *value { return &value{kind: json5.Object, origin: at} }

func newString(s string, at Origin) *value { return &value{kind: json5.String, text: s, origin: at} }

func newBool(b bool, at Origin) *value { return &value{kind: json5.Bool, bool: b, origin: at} }

func newNumber(n int64, at Origin) *value {
	return &value{kind: json5.Number, num: float64(n), text: strconv.FormatInt(n, 10), origin: at}
}

// get returns the value of a key, nil when v is nil or has none.
func (v *value) get(key string) *value {
	if f := v.field(key); f != nil {
		return f.val
	}
	return nil
}

func (v *value) field(key string) *field {
	if v == nil {
		return nil
	}
	for i := range v.fields {
		if v.fields[i].key == key {
			return &v.fields[i]
		}
	}
	return nil
}

// set gives key a value, in its old place if it has one.
func (v *value) set(key string, val *value) {
	if f := v.field(key); f != nil {
		f.at, f.val = val.origin, val
		return
	}
	v.fields = append(v.fields, field{key, val.origin, val})
}

// drop takes a key away.
func (v *value) drop(key string) {
	for i := range v.fields {
		if v.fields[i].key == key {
			v.fields = append(v.fields[:i], v.fields[i+1:]...)
			return
		}
	}
}

// clone copies the tree, so that the copy can be changed.
func (v *value) clone() *value {
	if v == nil {
		return nil
	}
	c := *v
	c.items, c.fields = nil, nil
	for _, item := range v.items {
		c.items = append(c.items, item.clone())
	}
	for _, f := range v.fields {
		c.fields = append(c.fields, field{f.key, f.at, f.val.clone()})
	}
	return &c
}

// joinPath appends a key to the path of its parent, quoted where it needs to be.
func joinPath(path, key string) string {
	if !plainKey(key) {
		return path + "[" + strconv.Quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func plainKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		if c == '.' || c == '[' || c == ']' || c == '=' || c == '"' || c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return key != ""
}

func itemPath(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }
