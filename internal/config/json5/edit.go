package json5

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Faults of a path. Set and Unset wrap them with the step that doesn't fit.
var (
	// ErrNoSuchPath says that nothing stands at a path.
	ErrNoSuchPath = errors.New("nothing stands there")
	// ErrNotContainer says that a path goes through a value that holds nothing.
	ErrNotContainer = errors.New("the value there can't hold this")
	// ErrNotJSON says that plain JSON has no way to write a value.
	ErrNotJSON = errors.New("JSON knows no infinity and no NaN")
)

// Step is one step of a path: a key of an object or, with no Key and an Index
// of 0 or more, an item of a list. Key and Item make one.
type Step struct {
	Key   string
	Index int
}

// Key is the step to a member of an object; the empty key is a key too.
func Key(k string) Step { return Step{Key: k, Index: -1} }

// Item is the step to an item of a list, counted from 0.
func Item(i int) Step { return Step{Index: i} }

func (s Step) isItem() bool { return s.Key == "" && s.Index >= 0 }

// String names the step for an error: the key in quotes, or the number in brackets.
func (s Step) String() string {
	if s.isItem() {
		return fmt.Sprintf("[%d]", s.Index)
	}
	return fmt.Sprintf("%q", s.Key)
}

// Style says how Set writes what it adds.
type Style struct {
	// Strict makes all that is added plain JSON: double quotes, plain numbers, and
	// a comma at the end only where one stood at the end before.
	Strict bool
	// Pretty lays the value out as the text around it is laid out. Without it the
	// value stands as its source does, line ends and all.
	Pretty bool
}

// Find returns the value at path, nil when there is none.
func Find(root *Node, path []Step) *Node {
	for _, s := range path {
		switch i := root.index(s); {
		case i < 0:
			return nil
		case s.isItem():
			root = root.Items[i]
		default:
			root = root.Members[i].Value
		}
	}
	return root
}

// index is the place of what s leads to among the members or items of n, -1 when
// n has none such.
func (n *Node) index(s Step) int {
	switch {
	case n == nil:
	case s.isItem() && n.Kind == Array && s.Index < len(n.Items):
		return s.Index
	case !s.isItem() && n.Kind == Object:
		return slices.IndexFunc(n.Members, func(m Member) bool { return m.Key == s.Key })
	}
	return -1
}

// Set returns text with value, a JSON5 source, at path. What stands there is
// replaced; a key that isn't there is added at the end of its object, with the
// containers on the way that are missing; the item behind the last is added to
// its list. A null on the way counts as missing. A blank text becomes an object.
//
// All bytes that are not part of what is replaced or added stay as they are,
// but for one comma behind the last neighbour where that had none. What is added
// follows its neighbours: on its own line or not, indentation, line ends, quotes,
// and a comma at the end where one stood.
//
// The errors are the parser's Errors for a text or value that doesn't parse or
// has a key of path twice, and those that wrap ErrNoSuchPath (an item beyond the
// list), ErrNotContainer, and ErrNotJSON when the style is strict.
func Set(text []byte, path []Step, value []byte, style Style) ([]byte, error) {
	node, err := Parse(value)
	if err != nil {
		return nil, fmt.Errorf("the value: %w", err)
	}
	if Blank(text) && len(path) > 0 {
		text = blankObject(text)
	}
	d, err := open(text, path, style)
	if err != nil {
		return nil, err
	}
	changes, err := d.set(path, source{node, string(value)})
	if err != nil {
		return nil, err
	}
	return d.apply(changes)
}

// blankObject puts an empty object behind the comments of a text that has nothing else.
func blankObject(text []byte) []byte {
	newline := newlineOf(string(text))
	out := bytes.TrimRight(text, " \t")
	if s := strings.TrimPrefix(string(out), "\ufeff"); s != "" && !endsWithLine(s) {
		out = append(slices.Clip(out), newline...)
	}
	return append(slices.Clip(out), "{}"+newline...)
}

// Unset returns text without the member or item at path. With it go its comma
// and, when it has its lines for itself, those lines with the comment that
// stands at their end. Comments on lines above and below stay. It undoes a Set
// that added the key, byte for byte.
//
// The errors are those of Set; ErrNoSuchPath also says that nothing is at path.
func Unset(text []byte, path []Step) ([]byte, error) {
	d, err := open(text, path, Style{})
	if err != nil {
		return nil, err
	}
	if len(path) == 0 {
		return nil, fmt.Errorf("the whole text: %w", ErrNoSuchPath)
	}
	last := path[len(path)-1]
	holder := Find(d.root, path[:len(path)-1])
	i := holder.index(last)
	if i < 0 {
		return nil, fmt.Errorf("%v: %w", last, ErrNoSuchPath)
	}
	return d.apply(d.remove(d.container(holder), i))
}

// document is a parsed text that is edited.
type document struct {
	src    string
	root   *Node
	style  Style
	layout Layout
}

// open parses text. A key that stands twice is an error only on the way of path.
func open(text []byte, path []Step, style Style) (*document, error) {
	root, err := Parse(text)
	if root == nil || err != nil && twiceOn(root, path) {
		return nil, err
	}
	d := &document{src: string(text), root: root, style: style}
	d.layout = d.detect()
	return d, nil
}

// twiceOn reports whether a key of path stands twice in its object.
func twiceOn(root *Node, path []Step) bool {
	for i, s := range path {
		n := Find(root, path[:i])
		if n == nil {
			return false
		}
		count := 0
		for _, m := range n.Members {
			if m.Key == s.Key {
				count++
			}
		}
		if count > 1 {
			return true
		}
	}
	return false
}

// splice replaces src[from:to] by text.
type splice struct {
	from, to int
	text     string
}

// apply carries the splices out, and makes sure that the outcome is still JSON5.
// Those at one offset keep their order.
func (d *document) apply(changes []splice) ([]byte, error) {
	slices.SortStableFunc(changes, func(a, b splice) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, c := range changes {
		out = append(out, d.src[at:c.from]...)
		out = append(out, c.text...)
		at = c.to
	}
	out = append(out, d.src[at:]...)
	if n, err := Parse(out); n == nil {
		return nil, fmt.Errorf("the edited text would not parse: %w", err)
	}
	return out, nil
}
