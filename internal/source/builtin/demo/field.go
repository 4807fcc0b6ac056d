package demo

import (
	"maps"
	"slices"
)

// schema is a JSON Schema being put together.
type schema = map[string]any

// field is a named value: a column of a table, an argument, a part of an answer.
type field struct {
	name     string
	schema   schema
	required bool
	preset   any // what a new record gets when the caller gives nothing
}

func newField(name, about, kind string, more schema) field {
	s := schema{"type": kind, "description": about}
	maps.Copy(s, more)
	return field{name: name, schema: s}
}

// text is a line of at most 200 characters.
func text(name, about string) field {
	return newField(name, about, "string", schema{"maxLength": 200})
}

// prose is a text of at most 4,000 characters.
func prose(name, about string) field {
	return newField(name, about, "string", schema{"maxLength": 4000})
}

func choice(name, about string, values ...string) field {
	return newField(name, about, "string", schema{"enum": values})
}

func email(name, about string) field {
	return newField(name, about, "string", schema{"format": "email", "maxLength": 120})
}

// day is a date such as 2026-03-01.
func day(name, about string) field { return newField(name, about, "string", schema{"format": "date"}) }

// moment is a time such as 2026-03-01T09:00:00Z.
func moment(name, about string) field {
	return newField(name, about, "string", schema{"format": "date-time"})
}

func whole(name, about string, least, most int) field {
	return newField(name, about, "integer", schema{"minimum": least, "maximum": most})
}

func number(name, about string, least, most float64) field {
	return newField(name, about, "number", schema{"minimum": least, "maximum": most})
}

func yesNo(name, about string) field { return newField(name, about, "boolean", nil) }

// currency is one of the four that the demo has rates for.
func currency(name, about string) field { return choice(name, about, "EUR", "USD", "GBP", "JPY") }

// maxItems bounds the lists inside a record.
const maxItems = 20

// several is a list of at most maxItems of what each describes.
func several(name, about string, each schema) field {
	return newField(name, about, "array", schema{"items": each, "maxItems": maxItems})
}

// words is a list of short strings.
func words(name, about string) field {
	return several(name, about, schema{"type": "string", "maxLength": 120})
}

// emails is a list of mail addresses.
func emails(name, about string) field {
	return several(name, about, schema{"type": "string", "format": "email", "maxLength": 120})
}

// listing is a list in an answer, of what shape describes.
func listing(name, about string, each any) field {
	return newField(name, about, "array", schema{"items": each}).must()
}

// must makes the field required.
func (f field) must() field { f.required = true; return f }

// or gives the field a preset; a record always has it then.
func (f field) or(preset any) field { f.preset = preset; return f }

// always reports whether every record has the field.
func (f field) always() bool { return f.required || f.preset != nil }

// shape is a closed object with these fields; those that are always there are required.
func shape(parts ...field) schema {
	properties, required := schema{}, []string{}
	for _, f := range parts {
		properties[f.name] = f.schema
		if f.always() {
			required = append(required, f.name)
		}
	}
	return closed(properties, required)
}

// arguments is the schema of an input: only required fields are required, and
// presets are shown as defaults.
func arguments(parts []field) schema {
	properties, required := schema{}, []string{}
	for _, f := range parts {
		s := maps.Clone(f.schema)
		if f.preset != nil && !f.required {
			s["default"] = f.preset
		}
		if f.required {
			required = append(required, f.name)
			if s["type"] == "string" && s["enum"] == nil && s["pattern"] == nil {
				s["minLength"] = 1
			}
		}
		properties[f.name] = s
	}
	return closed(properties, required)
}

func closed(properties schema, required []string) schema {
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		slices.Sort(required)
		s["required"] = required
	}
	return s
}

// fields is a way to write a list of them.
func fields(list ...field) []field { return list }
