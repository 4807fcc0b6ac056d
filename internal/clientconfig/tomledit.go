package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// errByHand says that a text has a form that isn't edited.
var errByHand = errors.New("the way it is written can't be edited without loss")

// replace puts text in place of a span.
func (d *tomlDoc) replace(s span, text string) []byte {
	return slices.Concat(d.text[:s.from], []byte(text), d.text[s.to:])
}

// addTable puts a table below [mcp_servers]: at the end of the text, or inside of
// the inline table that holds the servers.
func (d *tomlDoc) addTable(name string, members object) ([]byte, error) {
	if i := d.find(codexKey); i >= 0 && !d.items[i].header {
		return d.addInline(i, name, members)
	}
	nl := d.newline()
	var b strings.Builder
	if text := string(d.text); strings.TrimSpace(text) != "" {
		if !strings.HasSuffix(text, "\n") {
			b.WriteString(nl)
		}
		if !strings.HasSuffix(text, "\n"+nl) {
			b.WriteString(nl)
		}
	}
	fmt.Fprintf(&b, "[%s.%s]%s", codexKey, tomlName(name), nl)
	for _, m := range members {
		fmt.Fprintf(&b, "%s = %s%s", tomlName(m.key), tomlValue(m.value), nl)
	}
	return append(slices.Clip(d.text), b.String()...), nil
}

// addInline puts a member into the inline table that is the value of item i.
func (d *tomlDoc) addInline(i int, name string, value any) ([]byte, error) {
	if !d.items[i].inline {
		return nil, errByHand
	}
	member := tomlName(name) + " = " + tomlValue(value)
	last := -1
	for k, item := range d.items {
		if item.in == i {
			last = k
		}
	}
	if last >= 0 {
		at := d.items[last].value.to
		return d.replace(span{at, at}, ", "+member), nil
	}
	v := d.items[i].value
	if len(bytes.TrimSpace(d.text[v.from+1:v.to-1])) > 0 {
		return nil, errByHand // a comment
	}
	return d.replace(v, "{ "+member+" }"), nil
}

// addMember puts a key into the table of a server, however that is written.
func (d *tomlDoc) addMember(server []string, key string, value any) ([]byte, error) {
	line, head, at := -1, "", -1
	for k, item := range d.items {
		switch {
		case !below(item.path, server) || item.header && item.inline:
		case slices.Equal(item.path, server) && !item.header:
			return d.addInline(k, key, value)
		case item.in >= 0:
		case item.header && len(item.path) == len(server):
			line, head, at = k, "", k
		case !item.header && at >= 0 && item.table == at:
			line = k
		case !item.header && at < 0 && item.tableDepth() < len(server):
			own := len(server) - item.tableDepth()
			line, head = k, string(d.text[item.keys[0].from:item.keys[own-1].to])+"."
		}
	}
	if line < 0 {
		return nil, errByHand
	}
	item := d.items[line]
	indent := ""
	if !item.header {
		indent = string(d.text[item.lines.from:item.keys[0].from])
	}
	text := indent + head + tomlName(key) + " = " + tomlValue(value) + d.newline()
	if to := item.lines.to; !bytes.HasSuffix(d.text[:to], []byte("\n")) {
		text = d.newline() + strings.TrimSuffix(text, d.newline())
	}
	return d.replace(span{item.lines.to, item.lines.to}, text), nil
}

// tableDepth is how many keys of an item's path are those of its header.
func (i tomlItem) tableDepth() int { return len(i.path) - len(i.keys) }

// removeAll takes out all that stands at or below a path.
func (d *tomlDoc) removeAll(path []string) []byte {
	var cut []span
	for k, item := range d.items {
		if !below(item.path, path) || item.header && item.inline {
			continue
		}
		switch {
		case item.header:
			cut = append(cut, d.table(k))
		case item.in < 0:
			cut = append(cut, item.lines)
		case !below(d.items[item.in].path, path):
			cut = append(cut, d.inlineMember(k))
		}
	}
	slices.SortFunc(cut, func(a, b span) int { return a.from - b.from })
	out, at := []byte{}, 0
	for _, s := range cut {
		if s.to > at {
			out = append(out, d.text[at:max(s.from, at)]...)
			at = s.to
		}
	}
	return append(out, d.text[at:]...)
}

// table is a header with its keys and the empty line above.
func (d *tomlDoc) table(k int) span {
	out := d.items[k].lines
	for _, item := range d.items[k+1:] {
		if item.table == k && item.in < 0 {
			out.to = item.lines.to
		}
	}
	above := bytes.TrimSuffix(bytes.TrimSuffix(d.text[:out.from], []byte("\n")), []byte("\r"))
	if bytes.HasSuffix(above, []byte("\n")) {
		out.from = len(above)
	}
	return out
}

// inlineMember is a member of an inline table with its comma.
func (d *tomlDoc) inlineMember(k int) span {
	item := d.items[k]
	out := span{item.keys[0].from, item.value.to}
	for i, other := range d.items {
		switch {
		case other.in != item.in:
		case i < k:
			out.from = other.value.to
		case i > k && out.from == item.keys[0].from:
			out.to = other.keys[0].from
			return out
		}
	}
	return out
}

// tomlName is a key as source.
func tomlName(key string) string {
	bare := func(r rune) bool {
		return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if key != "" && strings.IndexFunc(key, func(r rune) bool { return !bare(r) }) < 0 {
		return key
	}
	return tomlBasic(key)
}

// tomlValue is a value as source on one line.
func tomlValue(v any) string {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, `\`) && strings.IndexFunc(v, func(r rune) bool { return r == '\'' || r < ' ' || r == 0x7f }) < 0 {
			return "'" + v + "'"
		}
		return tomlBasic(v)
	case []string:
		return tomlList(v)
	case []any:
		return tomlList(v)
	case map[string]string:
		return tomlTable(v)
	case map[string]any:
		return tomlTable(v)
	case object:
		return tomlMembers(v)
	case float64:
		text := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	return fmt.Sprint(v) // a whole number, true or false, a date
}

func tomlList[T any](items []T) string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = tomlValue(item)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func tomlTable[T any](table map[string]T) string {
	var out object
	for _, key := range slices.Sorted(maps.Keys(table)) {
		out = append(out, pair{key, table[key]})
	}
	return tomlMembers(out)
}

func tomlMembers(members object) string {
	if len(members) == 0 {
		return "{}"
	}
	out := make([]string, len(members))
	for i, m := range members {
		out[i] = tomlName(m.key) + " = " + tomlValue(m.value)
	}
	return "{ " + strings.Join(out, ", ") + " }"
}

// tomlBasic is a text in double quotes.
func tomlBasic(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
