// Package json5 reads JSON5 text (https://spec.json5.org) into a small tree in
// which every key and every value knows where it stands: line, column and byte
// offsets. With the offsets a later edit can replace one value and leave the
// comments and the layout around it as they are.
//
// The package knows the grammar alone. What keys mean, where the text came from
// and which of its strings are secrets is for others to know; that is why its
// errors never quote the text of a string, a number or a bare word.
package json5

// Bounds on what Parse accepts.
const (
	// MaxDepth is how deep arrays and objects may nest.
	MaxDepth = 128
	// MaxValues is how many values one text may hold, containers included.
	MaxValues = 200_000
)

// Kind says what a value is.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String names the kind with its article, as an error message wants it.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a string"
	case Array:
		return "a list"
	case Object:
		return "an object"
	}
	return "an unknown kind"
}

// Pos is a place in the text.
type Pos struct {
	// Line and Column count from 1. A column is one character, not one byte.
	// Lines end as editors end them: at "\n", "\r\n" or "\r".
	Line, Column int
	// Offset counts bytes from 0.
	Offset int
}

// Node is one value. Its source text is text[Start.Offset:End.Offset].
type Node struct {
	Kind       Kind
	Start, End Pos
	// Bool is the value of a Bool.
	Bool bool
	// Number is the value of a Number; it may be infinite or NaN.
	Number float64
	// Text is a String's value with its escapes resolved, or a Number as written.
	Text string
	// Items are those of an Array.
	Items []*Node
	// Members are those of an Object, in the order of the text.
	Members []Member
}

// Member is one key with its value. The key's source text, quotes included, is
// text[KeyStart.Offset:KeyEnd.Offset].
type Member struct {
	Key              string
	KeyStart, KeyEnd Pos
	Value            *Node
}

// Get returns the value of key, nil when n is no object or has no such key. Of
// a key that stands twice it returns the first.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Key == key {
			return n.Members[i].Value
		}
	}
	return nil
}
