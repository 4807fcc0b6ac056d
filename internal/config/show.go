package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// Secrets returns every value that must not be shown, longest first: the token,
// what ${…} brought in, values of env and headers with a secret's name, and
// passwords inside of addresses and arguments. It is for a redactor, not for showing.
func (c *Config) Secrets() []string {
	if c.state == nil {
		return nil
	}
	return slices.Clone(c.state.hide.secrets)
}

// Redact returns text with every secret of at least four bytes replaced, the
// longest first, also where it stands escaped as in JSON or in a URL.
func (c *Config) Redact(text string) string {
	if c.state == nil {
		return text
	}
	return c.state.hide.Replace(text)
}

// Dump returns the whole configuration as indented JSON, defaults included and secrets hidden.
// A Config that Load didn't make gives {}.
func (c Config) Dump() json.RawMessage {
	if c.state == nil {
		return json.RawMessage("{}")
	}
	return c.state.show(c.state.root, rootSpec(), "")
}

// Get returns the value at a path such as "tools.toolSearch.mode", as indented
// JSON with secrets hidden: null for a key that has no value, an error of kind
// KindNotFound for one that can't have any. An empty path gives all.
func (c *Config) Get(path string) (json.RawMessage, error) {
	v, s, key, err := c.find(path)
	if err != nil || v == nil {
		return json.RawMessage("null"), err
	}
	return c.state.show(v, s, key), nil
}

// Origin says where the value at a path came from. Its errors are those of Get.
func (c *Config) Origin(path string) (Origin, error) {
	v, _, _, err := c.find(path)
	if err != nil || v == nil {
		return Origin{Layer: LayerDefault}, err
	}
	return v.origin, nil
}

// find walks to a path. The value is nil when the key is known and has none.
func (c *Config) find(path string) (*value, *spec, string, error) {
	if c.state == nil {
		return nil, nil, "", toolcrib.NewError(toolcrib.KindInternal, "this Config was not made by Load", "")
	}
	v, s, at, last := c.state.root, rootSpec(), "", ""
	if path == "" {
		return v, s, "", nil
	}
	keys, err := splitPath(path)
	if err != nil {
		return nil, nil, "", toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("%q %v", path, err), "write it as in mcp.servers.github.timeoutMs")
	}
	l := overlay{}
	for _, name := range keys {
		last = name
		if s.Type&List != 0 {
			i, ok := -1, false
			if v != nil {
				i, ok = l.index(v, name)
			}
			if !ok {
				return nil, nil, "", toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("%s has no item %q", at, name), "name it by its number from 0 or by its id")
			}
			v, s, at = v.items[i], s.item, itemPath(at, i)
			continue
		}
		holder := v
		if holder == nil {
			holder = &value{}
		}
		key, child := l.match(holder, s, name, LayerFlag)
		if child == nil {
			return nil, nil, "", toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("there is no key %s", joinPath(at, name)), didYouMean(s, at, name))
		}
		if s.Path == "mcp.servers" && v.get(key) == nil {
			return nil, nil, "", toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("there is no server %q", key), "configured are: "+strings.Join(slices.Sorted(maps.Keys(c.MCP.Servers)), ", "))
		}
		v, s, at, last = v.get(key), child, joinPath(at, key), key
	}
	return v, s, last, nil
}

// show writes a value as indented JSON without secrets.
func (st *state) show(v *value, s *spec, key string) json.RawMessage {
	var flat, out bytes.Buffer
	st.write(&flat, v, s, key)
	if err := json.Indent(&out, flat.Bytes(), "", "  "); err != nil {
		return json.RawMessage(`"` + redacted + `"`) // can't be: write makes JSON
	}
	return out.Bytes()
}

func (st *state) write(b *bytes.Buffer, v *value, s *spec, key string) {
	if s == nil {
		s = &spec{}
	}
	switch v.kind {
	case json5.Null:
		b.WriteString("null")
	case json5.Bool:
		b.WriteString(strconv.FormatBool(v.bool))
	case json5.Number:
		b.WriteString(strconv.FormatInt(int64(v.num), 10))
	case json5.String:
		writeString(b, st.safe(v, s, key))
	case json5.Array:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			st.write(b, item, s.item, key)
		}
		b.WriteByte(']')
	case json5.Object:
		b.WriteByte('{')
		for i, f := range v.fields {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, f.key)
			b.WriteByte(':')
			st.write(b, f.val, s.child(f.key), f.key)
		}
		b.WriteByte('}')
	}
}

// safe is the text of a string as it may be shown. An empty one hides nothing: that
// a key isn't set is what an operator looks for.
func (st *state) safe(v *value, s *spec, key string) string {
	short := func(piece string) bool { return len(strings.TrimSpace(piece)) < minRedact }
	if v.text == "" {
		return ""
	}
	if hidden(s, key) || slices.ContainsFunc(v.pieces, short) {
		return redacted
	}
	return st.hide.Replace(v.text)
}

func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
}

// Format prints the dump, whatever the verb.
func (c Config) Format(f fmt.State, _ rune) { _, _ = f.Write(c.Dump()) }

// MarshalJSON is the dump.
func (c Config) MarshalJSON() ([]byte, error) { return c.Dump(), nil }

// brief is all that may be printed of a server that stands alone, without the
// configuration that knows its secrets.
func (s Server) brief() map[string]any {
	kind := "url"
	if s.Command != "" {
		kind = "command"
	}
	return map[string]any{
		"kind": kind, "enabled": s.Enabled, "trusted": s.Trusted, "scope": s.Scope, "timeoutMs": s.TimeoutMs,
		"env": slices.Sorted(maps.Keys(s.Env)), "headers": slices.Sorted(maps.Keys(s.Headers)),
	}
}

// Format prints what is no secret, whatever the verb.
func (s Server) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "Server%v", s.brief()) }

// MarshalJSON writes what is no secret.
func (s Server) MarshalJSON() ([]byte, error) { return json.Marshal(s.brief()) }

// brief hides the token.
func (g Gateway) brief() map[string]any {
	token := ""
	if g.Token != "" {
		token = redacted
	}
	return map[string]any{"listen": g.Listen, "token": token}
}

// Format prints all but the token, whatever the verb.
func (g Gateway) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "Gateway%v", g.brief()) }

// MarshalJSON writes all but the token.
func (g Gateway) MarshalJSON() ([]byte, error) { return json.Marshal(g.brief()) }
