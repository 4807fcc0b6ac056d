package signature

// keywords are the parts of one schema that have a say in its type, as read in
// one pass. A later key of the same name wins, as in other readers of JSON.
type keywords struct {
	ref, constant, enum            value
	anyOf, oneOf, allOf            value
	types, nullable                value
	properties, required           value
	additional, unevaluated        value
	patterns                       value
	items, prefixItems, extraItems value
	unevaluatedItems, minItems     value
	condition                      bool // something that a type can't say
}

func read(schema value) *keywords {
	k := &keywords{}
	for name, v := range schema.members() {
		if field := k.field(name); field != nil {
			*field = v
			continue
		}
		switch name {
		case "not", "if", "dependentSchemas", "dependentRequired", "dependencies", "$dynamicRef", "$recursiveRef":
			k.condition = true
		}
	}
	return k
}

func (k *keywords) field(name string) *value {
	switch name {
	case "$ref":
		return &k.ref
	case "const":
		return &k.constant
	case "enum":
		return &k.enum
	case "anyOf":
		return &k.anyOf
	case "oneOf":
		return &k.oneOf
	case "allOf":
		return &k.allOf
	case "type":
		return &k.types
	case "nullable":
		return &k.nullable
	}
	return k.nestedField(name)
}

func (k *keywords) nestedField(name string) *value {
	switch name {
	case "properties":
		return &k.properties
	case "required":
		return &k.required
	case "additionalProperties":
		return &k.additional
	case "unevaluatedProperties":
		return &k.unevaluated
	case "patternProperties":
		return &k.patterns
	case "items":
		return &k.items
	case "prefixItems":
		return &k.prefixItems
	case "additionalItems":
		return &k.extraItems
	case "unevaluatedItems":
		return &k.unevaluatedItems
	case "minItems":
		return &k.minItems
	}
	return nil
}

// objectLike reports whether the schema says something about properties.
func (k *keywords) objectLike() bool {
	return k.types.text() == "object" || k.properties != nil || k.required.kind() == '[' ||
		k.additional != nil || k.patterns != nil
}

// silent reports whether the schema says nothing about its type.
func (k *keywords) silent() bool {
	return !k.objectLike() && k.ref == nil && k.constant == nil && k.enum == nil && k.anyOf == nil &&
		k.oneOf == nil && k.allOf == nil && k.types == nil && k.items == nil && k.prefixItems == nil
}

// closed reports whether the object may have no properties but those it names.
func (k *keywords) closed() bool { return k.additional.is("false") || k.unevaluated.is("false") }

// alternatives returns the parts of anyOf or oneOf.
func (k *keywords) alternatives() value {
	if k.anyOf.kind() == '[' {
		return k.anyOf
	}
	if k.oneOf.kind() == '[' {
		return k.oneOf
	}
	return nil
}
