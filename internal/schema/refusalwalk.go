package schema

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// walker goes through one schema and notes what is refused.
type walker struct {
	root  map[string]any
	found []Refusal
	seen  map[string]bool // of the rules for which once is enough
	left  int             // parts that may still be looked at

	names, values int
}

// refuse notes a broken rule.
func (w *walker) refuse(name, path, detail string) {
	r := banNamed(name)
	if key := name + " " + detail; r.once {
		if w.seen[key] {
			return
		}
		w.seen[key] = true
	}
	if len(w.found) < 4*maxRefusals {
		w.found = append(w.found, Refusal{Providers: r.providers, Rule: name, Path: path, Detail: detail, Usual: r.usual})
	}
}

// checkRoot looks at what is refused at the root alone.
func (w *walker) checkRoot() {
	if w.root["type"] != "object" {
		w.refuse("root-object", "", "")
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if _, has := w.root[key]; has {
			w.refuse("root-union", "", key)
		}
	}
	for _, key := range []string{"const", "enum", "not"} {
		if _, has := w.root[key]; has {
			w.refuse("root-keyword", "", key)
		}
	}
	properties, has := w.root["properties"].(map[string]any)
	if !has {
		w.refuse("root-properties", "", "")
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !plainKey(name) {
			w.refuse("property-name", "/properties/"+escaped(name), name)
		}
	}
}

// plainKey reports whether a name matches ^[a-zA-Z0-9_.-]{1,64}$.
func plainKey(name string) bool {
	odd := func(r rune) bool {
		return r != '_' && r != '.' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, odd)
}

// metaschema is draft 2020-12 as a schema of schemas; nil would be a fault of the library.
var metaschema = sync.OnceValue(func() *jsonschema.Schema {
	s, err := jsonschema.NewCompiler().Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		return nil
	}
	return s
})

// checkDraft notes the places where the schema is none.
func (w *walker) checkDraft() {
	meta := metaschema()
	if meta == nil {
		return
	}
	fault, ok := meta.Validate(w.root).(*jsonschema.ValidationError)
	if !ok {
		return
	}
	places := map[string]bool{}
	leaves(fault, func(at []string) {
		if len(places) < maxRefusals {
			places[jsonPointer(at)] = true
		}
	})
	for path := range places {
		w.refuse("malformed", path, "")
	}
}

// leaves yields the places of the innermost causes.
func leaves(e *jsonschema.ValidationError, yield func([]string)) {
	if len(e.Causes) == 0 {
		yield(e.InstanceLocation)
	}
	for _, c := range e.Causes {
		leaves(c, yield)
	}
}

func jsonPointer(at []string) string {
	var b strings.Builder
	for _, part := range at {
		b.WriteString("/" + escaped(part))
	}
	return b.String()
}

// escaped is a name as a part of a JSON Pointer.
func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// node looks at one schema, depth schemas deep, and at those within it. lost says
// that Gemini gets nothing of it, since it stands below a keyword that has to be
// taken out.
func (w *walker) node(schema any, path string, depth int, lost bool) {
	if w.left--; w.left < 0 {
		return
	}
	if depth > deepest {
		w.refuse("depth", path, "")
	}
	node, ok := schema.(map[string]any)
	if !ok {
		return
	}
	n := piece{walker: w, node: node, path: path, types: typesOf(node["type"])}
	n.common()
	if !lost {
		n.gemini()
	}
	n.strict()
	for _, c := range children(node, path) {
		w.node(c.schema, c.path, depth+1, lost || c.lost)
	}
}

// child is a schema within another.
type child struct {
	schema any
	path   string
	lost   bool // for Gemini
}

// children lists the schemas that stand right within one, in the order of their paths.
func children(node map[string]any, path string) []child {
	var list []child
	for _, key := range slices.Sorted(maps.Keys(node)) {
		at := path + "/" + key
		switch key {
		case "items", "not", "if", "then", "else", "contains", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "propertyNames":
			if items, ok := node[key].([]any); ok {
				list = append(list, numbered(items, at, false)...)
			} else {
				list = append(list, child{node[key], at, key != "items"})
			}
		case "allOf", "anyOf", "oneOf", "prefixItems":
			items, _ := node[key].([]any)
			list = append(list, numbered(items, at, key == "prefixItems")...)
		case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
			named, _ := node[key].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(named)) {
				list = append(list, child{named[name], at + "/" + escaped(name), key == "patternProperties" || key == "dependentSchemas"})
			}
		}
	}
	return list
}

func numbered(items []any, path string, lost bool) []child {
	list := make([]child, len(items))
	for i, item := range items {
		list[i] = child{item, path + "/" + strconv.Itoa(i), lost}
	}
	return list
}

// typesOf reads "type", one or a list.
func typesOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, item := range v {
			if name, ok := item.(string); ok {
				list = append(list, name)
			}
		}
		return list
	}
	return nil
}

// resolves reports whether a reference leads to something in the document.
// Anchors are taken to do.
func (w *walker) resolves(ref string) bool {
	path, local := strings.CutPrefix(ref, "#")
	if !local {
		return false
	}
	if path == "" || !strings.HasPrefix(path, "/") {
		return true
	}
	var at any = w.root
	for key := range strings.SplitSeq(path[1:], "/") {
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		switch v := at.(type) {
		case map[string]any:
			next, has := v[key]
			if !has {
				return false
			}
			at = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v) {
				return false
			}
			at = v[i]
		default:
			return false
		}
	}
	return true
}

// isText reports whether a value of a decoded schema is a text.
func isText(v any) bool { _, ok := v.(string); return ok }
