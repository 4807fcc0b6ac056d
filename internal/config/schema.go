package config

import (
	"encoding/json"
	"strings"
)

// Schema returns the JSON Schema (2020-12) of the configuration file, indented.
// A key that doesn't take free text also takes a string with a ${…} in it.
func Schema() json.RawMessage {
	root := schemaOf(rootSpec())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "toolcrib configuration"
	root["$defs"] = map[string]any{"reference": map[string]any{
		"type": "string", "pattern": `\$\{`, "description": "A value from outside: ${NAME}, ${NAME:-default}, ${env:NAME} or ${file:PATH}.",
	}}
	properties := root["properties"].(map[string]any)
	properties["mcpServers"] = map[string]any{
		"type": "object", "additionalProperties": map[string]any{"type": "object"},
		"description": "Servers as other programs write them, in place of mcp.servers.",
	}
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("the schema holds nothing but maps and words: " + err.Error())
	}
	return append(out, '\n')
}

func schemaOf(s *spec) map[string]any {
	var forms []any
	if s.Type&Bool != 0 {
		forms = append(forms, map[string]any{"type": "boolean"})
	}
	if s.Type&Whole != 0 {
		whole := map[string]any{"type": "integer"}
		if s.Min != 0 || s.Max != 0 {
			whole["minimum"], whole["maximum"] = s.Min, s.Max
		}
		forms = append(forms, whole)
	}
	switch {
	case s.Type&String == 0:
	case s.Enum != nil:
		forms = append(forms, map[string]any{"enum": s.Enum})
	default:
		forms = append(forms, map[string]any{"type": "string"})
	}
	if s.Type&List != 0 {
		forms = append(forms, map[string]any{"type": "array", "items": schemaOf(s.item)})
	}
	if s.Type&(Object|Map) != 0 {
		forms = append(forms, objectSchema(s))
	}
	if free := s.Type&String != 0 && s.Enum == nil; !free && s.Path != "" {
		forms = append(forms, map[string]any{"$ref": "#/$defs/reference"})
	}
	out := map[string]any{"anyOf": forms}
	if len(forms) == 1 {
		out = forms[0].(map[string]any)
	}
	if s.Doc != "" {
		out["description"] = s.Doc
	}
	if s.Default != "" {
		out["default"] = json.RawMessage(s.Default)
	}
	return out
}

func objectSchema(s *spec) map[string]any {
	out := map[string]any{"type": "object"}
	if s.any != nil {
		out["additionalProperties"] = schemaOf(s.any)
		if s.Path == "mcp.servers" || s.Path == "hooks" || s.Path == "plugins.entries" {
			out["propertyNames"] = map[string]any{"pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"}
		}
		return out
	}
	properties := map[string]any{}
	for _, c := range s.children {
		properties[c.name] = schemaOf(c)
	}
	out["properties"], out["additionalProperties"] = properties, false
	switch {
	case s.Path == "hooks.*":
		out["required"] = []string{"event"}
		fallthrough
	case strings.HasSuffix(s.Path, "servers.*"):
		out["oneOf"] = []any{map[string]any{"required": []string{"command"}}, map[string]any{"required": []string{"url"}}}
	case strings.HasSuffix(s.Path, "list.[]"):
		out["required"] = []string{"id"}
	}
	return out
}
