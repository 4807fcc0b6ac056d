package cli

import (
	"encoding/json"
	"slices"
	"strings"
)

// pair is one KEY=VALUE of the command line.
type pair struct{ key, value string }

// object makes the arguments of a call from pairs, each value as the tool's
// schema wants it. Without a schema, or for a key that it doesn't tell of, a
// value that is JSON is taken as that and everything else as text.
func object(pairs []pair, schema json.RawMessage) (json.RawMessage, error) {
	s := kindsOf{root: schema}
	args := make(map[string]json.RawMessage, len(pairs))
	for _, p := range pairs {
		args[p.key] = s.read(p.value, s.property(p.key), false)
	}
	return json.Marshal(args)
}

// Bounds of what is read of a schema for one value: how many references in a
// row are followed, and how many schemas are looked at in all.
const (
	maxRefs    = 16
	maxSchemas = 100
)

// kindsOf reads from a JSON Schema what kinds of value a key takes. It knows
// the keywords that say so plainly, and takes silence for "anything".
type kindsOf struct{ root json.RawMessage }

// node is the part of a schema that matters here.
type node struct {
	Type       json.RawMessage            `json:"type"`
	Ref        string                     `json:"$ref"`
	Properties map[string]json.RawMessage `json:"properties"`
	Items      json.RawMessage            `json:"items"`
	Enum       []json.RawMessage          `json:"enum"`
	Const      json.RawMessage            `json:"const"`
	AnyOf      []json.RawMessage          `json:"anyOf"`
	OneOf      []json.RawMessage          `json:"oneOf"`
}

// property returns the schema of a key, nil when nothing is known.
func (k kindsOf) property(key string) json.RawMessage {
	return k.resolve(k.root).Properties[key]
}

// resolve decodes a schema and follows its references within the document.
func (k kindsOf) resolve(raw json.RawMessage) node {
	for range maxRefs {
		var n node
		if json.Unmarshal(raw, &n) != nil {
			return node{}
		}
		path, local := strings.CutPrefix(n.Ref, "#/")
		if !local {
			return n
		}
		raw = k.root
		for key := range strings.SplitSeq(path, "/") {
			var holder map[string]json.RawMessage
			if json.Unmarshal(raw, &holder) != nil {
				return node{}
			}
			raw = holder[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
		}
	}
	return node{}
}

// kinds returns the JSON kinds that a schema takes, and the schema of a list's
// items; none when it doesn't say.
func (k kindsOf) kinds(raw json.RawMessage) (kinds []string, items json.RawMessage) {
	left := maxSchemas
	return k.collect(raw, &left)
}

func (k kindsOf) collect(raw json.RawMessage, left *int) (kinds []string, items json.RawMessage) {
	if *left--; len(raw) == 0 || *left < 0 {
		return nil, nil
	}
	n := k.resolve(raw)
	var one string
	var several []string
	switch {
	case json.Unmarshal(n.Type, &one) == nil && one != "":
		kinds = []string{one}
	case json.Unmarshal(n.Type, &several) == nil:
		kinds = several
	case n.Const != nil:
		kinds = []string{kindOf(n.Const)}
	default:
		for _, value := range n.Enum {
			kinds = append(kinds, kindOf(value))
		}
	}
	items = n.Items
	for _, branch := range slices.Concat(n.AnyOf, n.OneOf) {
		more, of := k.collect(branch, left)
		kinds = append(kinds, more...)
		if items == nil {
			items = of
		}
	}
	return kinds, items
}

// kindOf names the kind of a JSON value as schemas do.
func kindOf(value json.RawMessage) string {
	switch text := strings.TrimSpace(string(value)); {
	case text == "":
		return ""
	case text[0] == '{':
		return "object"
	case text[0] == '[':
		return "array"
	case text[0] == '"':
		return "string"
	case text == "null":
		return "null"
	case text == "true", text == "false":
		return "boolean"
	}
	return "number"
}

// read turns the text of a value into what a schema takes.
// A key that takes text alone gets every text as it is.
// Words of a list that is inside of a list are not taken apart.
func (k kindsOf) read(text string, schema json.RawMessage, inside bool) json.RawMessage {
	kinds, items := k.kinds(schema)
	switch {
	case len(kinds) == 0:
		return asJSON(text)
	case slices.Contains(kinds, "string") && !slices.ContainsFunc(kinds, func(kind string) bool { return kind != "string" && kind != "null" }):
		return asText(text)
	case json.Valid([]byte(text)) && takes(kinds, kindOf(json.RawMessage(text))):
		return json.RawMessage(text)
	case slices.Contains(kinds, "array") && !inside:
		return k.list(text, items)
	case slices.Contains(kinds, "string"):
		return asText(text)
	}
	return asJSON(text)
}

// takes reports whether a value of this kind is one of kinds.
func takes(kinds []string, kind string) bool {
	return slices.Contains(kinds, kind) || kind == "number" && slices.Contains(kinds, "integer")
}

// list reads words with commas between them; one JSON value that is an item
// makes a list of one.
func (k kindsOf) list(text string, items json.RawMessage) json.RawMessage {
	if kinds, _ := k.kinds(items); json.Valid([]byte(text)) && kindOf(json.RawMessage(text)) == "object" && (kinds == nil || takes(kinds, "object")) {
		return json.RawMessage("[" + text + "]")
	}
	list := []json.RawMessage{}
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, k.read(word, items, true))
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return json.RawMessage("[]") // what read returns is JSON
	}
	return raw
}

// asJSON takes a value that is JSON as it is, and everything else as text.
func asJSON(value string) json.RawMessage {
	if json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	return asText(value)
}

// asText is a text as JSON.
func asText(value string) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage(`""`) // a string can always be written
	}
	return text
}
