package schema

// admitNull rewrites every schema in doc that says "nullable": true beside its
// "type" so that null is valid too. Values that only look like schemas, such as
// a default, stay as they are.
func admitNull(doc any) {
	schema, ok := doc.(map[string]any)
	if !ok {
		return
	}
	if schema["nullable"] == true {
		allowNull(schema)
	}
	for _, key := range []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"} {
		if named, ok := schema[key].(map[string]any); ok {
			for _, sub := range named {
				admitNull(sub)
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties", "additionalItems", "contains", "not", "if", "then", "else"} {
		admitNull(schema[key])
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems", "items"} {
		if list, ok := schema[key].([]any); ok {
			for _, sub := range list {
				admitNull(sub)
			}
		}
	}
}

func allowNull(schema map[string]any) {
	switch types := schema["type"].(type) {
	case string:
		if types != "null" {
			schema["type"] = []any{types, "null"}
		}
	case []any:
		for _, t := range types {
			if t == "null" {
				return
			}
		}
		schema["type"] = append(types, "null")
	default:
		return
	}
	if enum, ok := schema["enum"].([]any); ok {
		for _, v := range enum {
			if v == nil {
				return
			}
		}
		schema["enum"] = append(enum, nil)
	}
}
