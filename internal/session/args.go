package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Bounds of the arguments that are kept.
const (
	// MaxArgs is how many bytes of JSON are kept of a call's arguments.
	MaxArgs = 4 << 10
	// maxParsed is how many are looked at: of more only the size is kept.
	maxParsed = 256 << 10
	maxDepth  = 32
)

// Args returns arguments without secrets, as valid JSON of at most MaxArgs bytes:
// texts, lists and objects that are too long are cut.
func (r *Redactor) Args(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return nil
	}
	if len(args) > maxParsed {
		return onlySize(len(args))
	}
	value, ok := parse(args)
	if !ok {
		return onlySize(len(args))
	}
	return fit(r.value(value, 0), len(args))
}

// parse reads one JSON value, with objects in their order and numbers as written.
func parse(data []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}

// value takes secrets out of a value.
func (r *Redactor) value(v any, depth int) any {
	if depth > maxDepth {
		return "…"
	}
	switch v := v.(type) {
	case string:
		return r.inside(v, depth)
	case json.Number:
		if clean := r.Text(v.String()); clean != v.String() {
			return clean
		}
		return v
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = r.item(v, i, item, depth)
		}
		return out
	case map[string]any:
		named := r.secretEntry(v)
		out := make(map[string]any, len(v))
		for key, item := range v {
			if item != nil && (r.secretName(key) || named && isValueKey(key)) {
				out[r.Text(key)] = Hidden
				continue
			}
			out[r.Text(key)] = r.value(item, depth+1)
		}
		return out
	}
	return v
}

// item cleans an item of a list: what follows an option such as --token is a secret.
func (r *Redactor) item(list []any, i int, item any, depth int) any {
	if i > 0 {
		option, ok := list[i-1].(string)
		if ok && len(option) > 1 && option[0] == '-' && !bytes.ContainsAny([]byte(option), "= ") && r.secretName(option) {
			return Hidden
		}
	}
	return r.value(item, depth+1)
}

// secretEntry reports whether an object is a pair such as {"name": "API_KEY", "value": …}.
func (r *Redactor) secretEntry(v map[string]any) bool {
	for _, key := range []string{"name", "key", "header"} {
		if name, ok := v[key].(string); ok && r.secretName(name) {
			return true
		}
	}
	return false
}

func isValueKey(key string) bool { return key == "value" || key == "values" || key == "val" }

// inside cleans a string, and a string that holds JSON as that JSON.
func (r *Redactor) inside(s string, depth int) string {
	if len(s) > 1 && (s[0] == '{' || s[0] == '[') {
		if v, ok := parse([]byte(s)); ok {
			return r.Text(string(encode(r.value(v, depth+1))))
		}
	}
	return r.Text(s)
}

// fit cuts a value until its JSON fits.
func fit(v any, size int) json.RawMessage {
	out := encode(v)
	for _, c := range []cutter{{1024, 64}, {256, 32}, {96, 16}, {32, 8}, {16, 4}} {
		if len(out) <= MaxArgs {
			return out
		}
		out = encode(c.cut(v, 0))
	}
	if len(out) <= MaxArgs {
		return out
	}
	return onlySize(size)
}

// cutter says how long texts, and how many the members of lists and objects, may be.
type cutter struct{ text, members int }

func (c cutter) cut(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return clip(v, c.text)
	case json.Number:
		if len(v) > c.text {
			return clip(v.String(), c.text)
		}
	case []any:
		out := make([]any, 0, min(len(v), c.members+1))
		for _, item := range v[:min(len(v), c.members)] {
			out = append(out, c.cut(item, depth+1))
		}
		if more := len(v) - c.members; more > 0 {
			out = append(out, fmt.Sprintf("… and %d more", more))
		}
		return out
	case map[string]any:
		out := make(map[string]any, min(len(v), c.members+1))
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys[:min(len(keys), c.members)] {
			out[clip(key, c.text)] = c.cut(v[key], depth+1)
		}
		if more := len(v) - c.members; more > 0 {
			out["…"] = fmt.Sprintf("and %d more", more)
		}
		return out
	}
	return v
}

func onlySize(n int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"…":"%d bytes of arguments"}`, n))
}

func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil { // what was parsed can be written
		return onlySize(0)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
