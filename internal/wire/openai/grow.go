package openai

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/toolcrib/toolcrib/internal/rawjson"
)

// grown is a value that comes in pieces: strings are joined, objects and lists
// grow, and everything else is replaced by what comes later.
type grown struct {
	kind   byte // '{', '[', '"', or 0 for another value
	text   bytes.Buffer
	raw    json.RawMessage
	keys   []string
	fields map[string]*grown
	list   []*grown
}

// whole are the members that are never pieces of a text.
var whole = []string{"role", "type", "id", "format", "index"}

// add joins a piece to the value. A null adds nothing.
func (g *grown) add(key string, piece []byte) {
	if rawjson.IsNull(piece) {
		if g.kind == 0 && g.raw == nil {
			g.raw = json.RawMessage("null")
		}
		return
	}
	if piece[0] != g.kind && piece[0] != '{' && piece[0] != '[' && piece[0] != '"' {
		*g = grown{raw: slices.Clone(piece)}
		return
	}
	if piece[0] != g.kind {
		*g = grown{kind: piece[0], fields: map[string]*grown{}}
	}
	switch g.kind {
	case '"':
		s, _ := rawjson.String(piece)
		if slices.Contains(whole, key) && s != "" {
			g.text.Reset()
		}
		g.text.WriteString(s)
	case '{':
		members, _ := rawjson.Members(piece)
		for _, m := range members {
			g.field(m.Key).add(m.Key, piece[m.From:m.To])
		}
	case '[':
		spans, _ := rawjson.Elements(piece)
		for _, s := range spans {
			g.element(piece[s.From:s.To]).add("", piece[s.From:s.To])
		}
	}
}

// field returns a member, which is made if it isn't there.
func (g *grown) field(key string) *grown {
	if g.fields == nil {
		g.kind, g.fields = '{', map[string]*grown{}
	}
	f, ok := g.fields[key]
	if !ok {
		f = &grown{}
		g.fields[key] = f
		g.keys = append(g.keys, key)
	}
	return f
}

// element is the one of the list that has the index of the piece, or a new one.
func (g *grown) element(piece []byte) *grown {
	if index := rawjson.Find(piece, "index"); !rawjson.IsNull(index) {
		for _, e := range g.list {
			if known := e.fields["index"]; known != nil && string(known.raw) == string(index) {
				return e
			}
		}
	}
	e := &grown{}
	g.list = append(g.list, e)
	return e
}

// bytes writes the value.
func (g *grown) bytes() []byte {
	switch g.kind {
	case '"':
		return rawjson.Quote(g.text.String())
	case '{':
		out := []byte("{")
		for i, key := range g.keys {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(append(out, rawjson.Quote(key)...), ':'), g.fields[key].bytes()...)
		}
		return append(out, '}')
	case '[':
		parts := make([][]byte, 0, len(g.list))
		for _, e := range g.list {
			parts = append(parts, e.bytes())
		}
		return rawjson.List(parts)
	}
	if g.raw == nil {
		return []byte("null")
	}
	return g.raw
}
