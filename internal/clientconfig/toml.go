package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/toolcrib/toolcrib"
)

// tomlDoc is a TOML text with the places of all its keys.
type tomlDoc struct {
	text  []byte
	items []tomlItem
}

// tomlItem is a header of a table, or a key with its value.
type tomlItem struct {
	header bool
	// path is absolute; below an array of tables it is nil.
	path []string
	// keys are the places of the key's own parts.
	keys []span
	// value is that of a key.
	value span
	// lines are the whole lines of what stands at the top level.
	lines span
	// in is the item whose inline table holds this one, -1 at the top level.
	in int
	// table is the header that this one stands below, -1 above the first.
	table int
	// inline says that the value is an inline table.
	inline bool
}

type span struct{ from, to int }

// decodeTOML reads the data of a text. The error says the place and quotes nothing.
func decodeTOML(f File, text []byte) (map[string]any, error) {
	out := map[string]any{}
	err := toml.Unmarshal(text, &out)
	if err == nil {
		return out, nil
	}
	what := "it is not valid TOML"
	if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
		line, column := at.Position()
		what = fmt.Sprintf("line %d, column %d: it is not valid TOML", line, column)
	}
	return nil, toolcrib.NewError(toolcrib.KindConfig, f.Path+": "+what, "nothing was changed; mend the file and try again").WithCause(err)
}

// scanTOML finds the places in a text that decodes.
func scanTOML(text []byte) (*tomlDoc, error) {
	d := &tomlDoc{text: text}
	var p unstable.Parser
	p.Reset(text)
	table, base, lost := -1, []string(nil), false
	for p.NextExpression() {
		n := p.Expression()
		switch n.Kind {
		case unstable.Table, unstable.ArrayTable:
			path, spans := tomlKey(n)
			lost = n.Kind == unstable.ArrayTable || d.belowArray(path)
			base, table = path, len(d.items)
			item := tomlItem{header: true, path: path, keys: spans, in: -1, table: table}
			if lost {
				item.path = nil
			}
			item.lines = d.lines(span{spans[0].from, spans[len(spans)-1].to})
			d.items = append(d.items, item)
			if n.Kind == unstable.ArrayTable {
				d.items[table].path, d.items[table].inline = path, true // an array; see belowArray
			}
		case unstable.KeyValue:
			d.pair(n, base, table, -1, lost)
		}
	}
	return d, p.Error()
}

// belowArray reports whether a header stands below an array of tables.
func (d *tomlDoc) belowArray(path []string) bool {
	return slices.ContainsFunc(d.items, func(i tomlItem) bool {
		return i.header && i.inline && len(i.path) < len(path) && slices.Equal(i.path, path[:len(i.path)])
	})
}

func tomlKey(n *unstable.Node) (path []string, spans []span) {
	for it := n.Key(); it.Next(); {
		k := it.Node()
		path = append(path, string(k.Data))
		spans = append(spans, span{int(k.Raw.Offset), int(k.Raw.Offset + k.Raw.Length)})
	}
	return path, spans
}

// pair notes a key with its value, and those inside of its inline table.
func (d *tomlDoc) pair(n *unstable.Node, base []string, table, in int, lost bool) {
	path, spans := tomlKey(n)
	item := tomlItem{path: slices.Concat(base, path), keys: spans, in: in, table: table, inline: n.Value().Kind == unstable.InlineTable}
	from := spans[len(spans)-1].to
	from += bytes.IndexByte(d.text[from:], '=') + 1
	from += len(d.text[from:]) - len(bytes.TrimLeft(d.text[from:], " \t"))
	item.value = span{from, valueEnd(d.text, from)}
	if in < 0 {
		item.lines = d.lines(span{spans[0].from, item.value.to})
	}
	whole := item.path
	if lost {
		item.path = nil
	}
	at := len(d.items)
	d.items = append(d.items, item)
	if !item.inline {
		return
	}
	for it := n.Value().Children(); it.Next(); {
		if it.Node().Kind == unstable.KeyValue {
			d.pair(it.Node(), whole, table, at, lost)
		}
	}
}

// lines widens a span to whole lines.
func (d *tomlDoc) lines(s span) span {
	s.from = bytes.LastIndexByte(d.text[:s.from], '\n') + 1
	if i := bytes.IndexByte(d.text[s.to:], '\n'); i >= 0 {
		s.to += i + 1
	} else {
		s.to = len(d.text)
	}
	return s
}

// valueEnd is where the value at from ends.
func valueEnd(b []byte, from int) int {
	depth := 0
	for i := from; i < len(b); {
		switch c := b[i]; {
		case c == '"' || c == '\'':
			i = stringEnd(b, i)
			if depth == 0 {
				return i
			}
			continue
		case c == '[' || c == '{':
			depth++
		case (c == ']' || c == '}') && depth > 0:
			if depth--; depth == 0 {
				return i + 1
			}
		case c == '#' && depth > 0:
			for i < len(b) && b[i] != '\n' {
				i++
			}
			continue
		case depth == 0 && bytes.IndexByte([]byte(",]}#\r\n"), c) >= 0:
			return from + len(bytes.TrimRight(b[from:i], " \t"))
		}
		i++
	}
	return from + len(bytes.TrimRight(b[from:], " \t"))
}

// stringEnd is where the string at from ends.
func stringEnd(b []byte, from int) int {
	q := b[from]
	long := bytes.HasPrefix(b[from:], []byte{q, q, q})
	i := from + 1
	if long {
		i = from + 3
	}
	for ; i < len(b); i++ {
		switch {
		case b[i] == '\\' && q == '"':
			i++
		case b[i] == q && !long:
			return i + 1
		case long && bytes.HasPrefix(b[i:], []byte{q, q, q}):
			for i += 3; i < len(b) && b[i] == q; i++ { // up to two quotes belong to the text
			}
			return i
		}
	}
	return len(b)
}

// newline is how the text ends its lines.
func (d *tomlDoc) newline() string {
	if bytes.Contains(d.text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// find returns the item at exactly this path, -1 when there is none.
func (d *tomlDoc) find(path ...string) int {
	return slices.IndexFunc(d.items, func(i tomlItem) bool { return slices.Equal(i.path, path) && !(i.header && i.inline) })
}

func below(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}
