package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib"
)

// Bounds of one server's list.
const (
	maxTools     = 20_000
	maxToolBytes = 1 << 20
	maxListBytes = 64 << 20
	maxToolName  = 1024
)

// page is the raw content of one tools/list answer.
type page struct {
	tools  []json.RawMessage
	cursor string
}

// readPage takes a tools/list result apart without reading the tools.
func readPage(result json.RawMessage) (page, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(result, &parts); err != nil {
		return page{}, fmt.Errorf("the list is not an object: %w", err)
	}
	var p page
	if raw := parts["tools"]; !absent(raw) {
		if err := json.Unmarshal(raw, &p.tools); err != nil {
			return page{}, fmt.Errorf("tools is not an array: %w", err)
		}
	}
	if raw := parts["nextCursor"]; !absent(raw) {
		if err := json.Unmarshal(raw, &p.cursor); err != nil {
			return page{}, fmt.Errorf("nextCursor is not a string: %w", err)
		}
	}
	return p, nil
}

// absent reports whether a member is missing or null.
func absent(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null"
}

// stripList is what the SDK sees of a list: only the tools whose arguments it
// must copy into HTTP headers, which it does from its own memory of the list.
func stripList(result json.RawMessage) (json.RawMessage, bool) {
	bare := json.RawMessage(`{"tools":[]}`)
	if !bytes.Contains(result, []byte(`"x-mcp-header"`)) {
		return bare, true
	}
	p, err := readPage(result)
	if err != nil {
		return bare, true
	}
	type headed struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"inputSchema"`
	}
	kept := []headed{}
	for _, raw := range p.tools {
		var h headed
		if bytes.Contains(raw, []byte(`"x-mcp-header"`)) && json.Unmarshal(raw, &h) == nil && isObject(h.Schema) {
			kept = append(kept, h)
		}
	}
	out, err := json.Marshal(map[string]any{"tools": kept})
	if err != nil {
		return bare, true
	}
	return out, true
}

// isObject reports whether raw is a JSON object.
func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}

// readTool reads one tool of a list. The error says in words for a person why
// the tool can't be used; notes name parts that were ignored.
func readTool(owner string, raw json.RawMessage) (t toolcrib.Tool, notes []string, err error) {
	if len(raw) > maxToolBytes {
		return t, nil, fmt.Errorf("it has %s bytes, over the bound of %d", strconv.Itoa(len(raw)), maxToolBytes)
	}
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
		notes = append(notes, "bytes that are not UTF-8 were replaced")
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil || parts == nil {
		return t, nil, fmt.Errorf("it is not an object")
	}
	name, err := readName(parts["name"])
	if err != nil {
		return t, nil, err
	}
	schema := parts["inputSchema"]
	if !absent(schema) && !isObject(schema) {
		return t, nil, fmt.Errorf("inputSchema is not an object")
	}
	t = toolcrib.Tool{
		ID: toolcrib.MakeID(toolcrib.SourceMCP, owner, name), Source: toolcrib.SourceMCP, Owner: owner, Name: name,
	}
	notes = append(notes, readOptional(&t, parts)...)
	return t, notes, nil
}

// readName reads the one member that a tool can't do without.
func readName(raw json.RawMessage) (string, error) {
	var name string
	switch {
	case absent(raw):
		return "", fmt.Errorf("it has no name")
	case json.Unmarshal(raw, &name) != nil:
		return "", fmt.Errorf("its name is not a string")
	case strings.TrimSpace(name) == "":
		return "", fmt.Errorf("its name is empty")
	case len(name) > maxToolName:
		return "", fmt.Errorf("its name has %d bytes, over the bound of %d", len(name), maxToolName)
	}
	return name, nil
}

// readOptional fills the optional members of a tool. One in a wrong form is left
// out and named in the notes.
func readOptional(t *toolcrib.Tool, parts map[string]json.RawMessage) (notes []string) {
	text := func(key string, into *string) {
		if raw := parts[key]; !absent(raw) && json.Unmarshal(raw, into) != nil {
			*into = ""
			notes = append(notes, key+" is not a string and is ignored")
		}
	}
	object := func(key string) json.RawMessage {
		raw := parts[key]
		if absent(raw) {
			return nil
		}
		if !isObject(raw) {
			notes = append(notes, key+" is not an object and is ignored")
			return nil
		}
		return raw
	}
	text("title", &t.Label)
	text("description", &t.Description)
	t.Annotations = readAnnotations(object("annotations"))
	if t.Label == "" {
		t.Label = t.Annotations.Title
	}
	t.Parameters, t.OutputSchema, t.Meta = pack(object("inputSchema"), object("outputSchema"), object("_meta"))
	return notes
}

// readAnnotations reads the hints, each by itself.
func readAnnotations(raw json.RawMessage) (a toolcrib.Annotations) {
	var parts map[string]json.RawMessage
	if raw == nil || json.Unmarshal(raw, &parts) != nil {
		return a
	}
	hint := func(key string) *bool {
		var b *bool
		if json.Unmarshal(parts[key], &b) != nil {
			return nil
		}
		return b
	}
	if json.Unmarshal(parts["title"], &a.Title) != nil {
		a.Title = ""
	}
	a.ReadOnly, a.Destructive = hint("readOnlyHint"), hint("destructiveHint")
	a.Idempotent, a.OpenWorld = hint("idempotentHint"), hint("openWorldHint")
	return a
}

// pack compacts three values into one buffer of exactly their size.
func pack(a, b, c json.RawMessage) (x, y, z json.RawMessage) {
	var buf bytes.Buffer
	buf.Grow(len(a) + len(b) + len(c))
	var ends [3]int
	for i, raw := range []json.RawMessage{a, b, c} {
		if raw != nil {
			_ = json.Compact(&buf, raw) // it was parsed before
		}
		ends[i] = buf.Len()
	}
	whole := bytes.Clone(buf.Bytes())
	cut := func(had json.RawMessage, from, to int) json.RawMessage {
		if had == nil {
			return nil
		}
		return whole[from:to:to]
	}
	return cut(a, 0, ends[0]), cut(b, ends[0], ends[1]), cut(c, ends[1], ends[2])
}
