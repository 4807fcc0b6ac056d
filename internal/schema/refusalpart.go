package schema

import (
	"maps"
	"slices"
	"strings"
)

// piece is one schema of the walk.
type piece struct {
	*walker
	node  map[string]any
	path  string
	types []string
}

// has reports whether any of the keywords stands in the schema.
func (p piece) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { _, has := p.node[k]; return has })
}

// common looks for what several providers refuse, or OpenAI.
func (p piece) common() {
	if slices.Contains(p.types, "array") && !p.has("items") {
		p.refuse("array-items", p.path, "")
	}
	if pattern, ok := p.node["pattern"].(string); ok && looksAround(pattern) {
		p.refuse("lookaround", p.path, pattern)
	}
	if ref, ok := p.node["$ref"].(string); ok {
		p.refuse("reference", p.path, ref)
		if !p.resolves(ref) {
			p.refuse("lost-reference", p.path, ref)
		}
	}
}

// looksAround reports whether an expression has a lookahead or a lookbehind.
func looksAround(pattern string) bool {
	return slices.ContainsFunc([]string{"(?=", "(?!", "(?<=", "(?<!"}, func(s string) bool { return strings.Contains(pattern, s) })
}

// geminiKeys are the fields of Gemini's Schema.
var geminiKeys = []string{
	"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
	"minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
	"default", "items", "minimum", "maximum",
}

// gemini looks for what Gemini's form of a schema has no place for.
func (p piece) gemini() {
	if _, list := p.node["type"].([]any); list {
		p.refuse("type-list", p.path, strings.Join(p.types, ", "))
	}
	if p.path != "" && !p.has("type", "anyOf", "oneOf", "allOf", "$ref") {
		p.refuse("untyped", p.path, "")
	}
	p.geminiEnum()
	p.geminiFormat()
	properties, _ := p.node["properties"].(map[string]any)
	required, _ := p.node["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok && properties[name] == nil {
			p.refuse("required-name", p.path, name)
		}
	}
	if slices.Contains(p.types, "object") && len(properties) == 0 {
		p.refuse("empty-object", p.path, "")
	}
	for _, key := range slices.Sorted(maps.Keys(p.node)) {
		if key != "$ref" && !slices.Contains(geminiKeys, key) {
			p.refuse("keyword", p.path, key)
		}
	}
}

func (p piece) geminiEnum() {
	values, ok := p.node["enum"].([]any)
	if !ok {
		return
	}
	p.values += len(values)
	text := p.types == nil || slices.Contains(p.types, "string")
	if !text || slices.ContainsFunc(values, func(v any) bool { return !isText(v) }) {
		p.refuse("enum-type", p.path, "")
	}
	if len(values) == 0 || slices.Contains(values, any("")) {
		p.refuse("enum-empty", p.path, "")
	}
}

func (p piece) geminiFormat() {
	format, ok := p.node["format"].(string)
	if !ok {
		return
	}
	known := []string{"float", "double", "int32", "int64"}
	if p.types == nil || slices.Contains(p.types, "string") {
		known = []string{"enum", "date-time"}
	}
	if !slices.Contains(known, format) {
		p.refuse("format", p.path, format)
	}
}

// strictLacks are keywords that OpenAI's strict mode does without.
var strictLacks = []string{"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"}

// strict looks for what OpenAI's strict mode refuses.
func (p piece) strict() {
	properties, _ := p.node["properties"].(map[string]any)
	p.names += len(properties)
	if slices.Contains(p.types, "object") && p.node["additionalProperties"] != false {
		p.refuse("strict-closed", p.path, "")
	}
	required, _ := p.node["required"].([]any)
	for name := range properties {
		if !slices.Contains(required, any(name)) {
			p.refuse("strict-required", p.path, "")
		}
	}
	for _, key := range strictLacks {
		if p.has(key) {
			p.refuse("strict-keyword", p.path, key)
		}
	}
}
