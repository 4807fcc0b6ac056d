package rawjson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
)

// Edit puts With in the place of text[From:To].
type Edit struct {
	From, To int
	With     []byte
}

// Splice returns a copy of text with all edits made. They must not overlap;
// those at one place keep their order.
func Splice(text []byte, edits ...Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	size := len(text)
	for _, e := range edits {
		size += len(e.With) - (e.To - e.From)
	}
	out := make([]byte, 0, size)
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.From]...), e.With...)
		at = e.To
	}
	return append(out, text[at:]...)
}

// Object is an object that is about to be changed.
type Object struct {
	text    []byte
	members []Member
	edits   []Edit
	gone    map[int]bool
	added   [][]byte
}

// Open reads an object to change it.
func Open(text []byte) (*Object, error) {
	members, err := Members(text)
	return &Object{text: text, members: members, gone: map[int]bool{}}, err
}

// Again returns the object as it was opened, to be changed otherwise.
func (o *Object) Again() *Object {
	return &Object{text: o.text, members: o.members, gone: map[int]bool{}}
}

// Get returns the value that a member had when the object was opened; nil for none.
func (o *Object) Get(key string) []byte {
	if i := o.find(key); i >= 0 {
		return o.text[o.members[i].From:o.members[i].To]
	}
	return nil
}

// Members are those that the object had when it was opened.
func (o *Object) Members() []Member { return o.members }

// Set replaces the value of a member, or adds the member at the end. Each
// member may be changed once.
func (o *Object) Set(key string, value []byte) {
	if i := o.find(key); i >= 0 {
		o.edits = append(o.edits, Edit{o.members[i].From, o.members[i].To, value})
		return
	}
	o.added = append(o.added, slices.Concat(Quote(key), []byte(":"), value))
}

// Delete takes a member out, if it is there.
func (o *Object) Delete(key string) {
	if i := o.find(key); i >= 0 {
		o.gone[i] = true
	}
}

func (o *Object) find(key string) int {
	return slices.IndexFunc(o.members, func(m Member) bool { return m.Key == key })
}

// Len is how many members the changed object has.
func (o *Object) Len() int { return len(o.members) - len(o.gone) + len(o.added) }

// Bytes returns the changed object; the very text when nothing was changed.
func (o *Object) Bytes() []byte {
	if len(o.edits) == 0 && len(o.gone) == 0 && len(o.added) == 0 {
		return o.text
	}
	edits := slices.Clone(o.edits)
	kept := 0 // members that are left before the one that is looked at
	for i, m := range o.members {
		if !o.gone[i] {
			kept++
			continue
		}
		e := Edit{From: m.KeyFrom, To: m.To}
		switch {
		case kept > 0: // with the comma before it
			e.From = o.members[i-1].To
		case i+1 < len(o.members): // with the comma after it
			e.To = o.members[i+1].KeyFrom
		}
		edits = append(edits, e)
	}
	end := bytes.LastIndexByte(o.text, '}')
	if n := len(o.members); n > 0 {
		end = o.members[n-1].To
	}
	for i, member := range o.added {
		if kept+i > 0 {
			member = append([]byte(","), member...)
		}
		edits = append(edits, Edit{end, end, member})
	}
	return Splice(o.text, edits...)
}

// Quote writes a string as JSON, without escaping what only HTML minds.
func Quote(s string) []byte { return Encode(s) }

// Encode writes a value that can be nothing but encodable, such as a string or
// a map of them, without escaping what only HTML minds; null when it can't.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// List writes an array of values.
func List(values [][]byte) []byte {
	size := 2 + len(values)
	for _, v := range values {
		size += len(v)
	}
	out := append(make([]byte, 0, size), '[')
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}
