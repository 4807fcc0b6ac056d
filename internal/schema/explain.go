package schema

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// explainer turns the validator's findings into problems. Without a schema and
// a value it explains what a metaschema found.
type explainer struct {
	schema *jsonschema.Schema
	value  any
}

// explain returns the problems of one finding and of those it stands for.
func (x *explainer) explain(e *jsonschema.ValidationError) []Problem {
	path := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return x.missing(path, k.Missing, "")
	case *kind.DependentRequired:
		return x.missing(path, k.Missing, k.Prop)
	case *kind.Dependency:
		return x.missing(path, k.Missing, k.Prop)
	case *kind.AdditionalProperties:
		return x.unknown(path, k.Properties, e.SchemaURL)
	case *kind.Type:
		return x.one(path, Mistyped, mustBe(path, typeNames(k.Want), x.at(path)))
	case *kind.Enum:
		return x.outside(path, k.Want)
	case *kind.Const:
		return x.outside(path, []any{k.Want})
	case *kind.FalseSchema:
		return x.one(path, Forbidden, subject(path)+" is not allowed")
	case *kind.AnyOf:
		return x.closest(path, e.Causes)
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return x.one(path, Other, subject(path)+" fits several forms of which only one may hold")
		}
		return x.closest(path, e.Causes)
	case *kind.PropertyNames:
		return x.one(path, Forbidden, "property name "+quoteCut(k.Property)+within(path)+" is not allowed")
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		var all []Problem
		for _, cause := range e.Causes {
			all = append(all, x.explain(cause)...)
		}
		return all
	}
	return x.one(path, Other, subject(path)+" "+rule(e.ErrorKind))
}

func (x *explainer) one(path []string, kind ProblemKind, message string) []Problem {
	return []Problem{{Path: pointer(path), Kind: kind, Message: message}}
}

func mustBe(path []string, want string, got any) string {
	return fmt.Sprintf("%s must be %s, got %s", subject(path), want, shown(got))
}

// missing reports required names; because is the property that requires them.
func (x *explainer) missing(path, names []string, because string) []Problem {
	var all []Problem
	for _, name := range names {
		p := Problem{Path: pointer(path), Kind: Missing, Message: "missing " + quoteCut(name) + within(path)}
		if because != "" {
			p.Message += ", which " + quoteCut(because) + " requires"
		}
		if near := nearest(name, x.strays(path)); near != "" {
			p.Suggestion = name
			p.Message += ": did you mean it by " + quoteCut(near) + "?"
		}
		all = append(all, p)
	}
	return all
}

// strays lists the properties at path that no schema names.
func (x *explainer) strays(path []string) []string {
	object, ok := x.at(path).(map[string]any)
	if !ok || x.schema == nil {
		return nil
	}
	known := namesAt(x.schema, path)
	var strays []string
	for name := range object {
		if !slices.Contains(known, name) {
			strays = append(strays, name)
		}
	}
	return strays
}

// unknown reports properties that the schema at location doesn't know.
func (x *explainer) unknown(path, names []string, location string) []Problem {
	var free []string
	object, _ := x.at(path).(map[string]any)
	if x.schema != nil {
		for _, name := range propertyNames(find(x.schema, location)) {
			if _, used := object[name]; !used {
				free = append(free, name)
			}
		}
	}
	var all []Problem
	for _, name := range names {
		p := Problem{
			Path: pointer(append(slices.Clone(path), name)), Kind: Forbidden,
			Message: "unknown property " + quoteCut(name) + within(path),
		}
		if near := nearest(name, free); near != "" {
			p.Kind, p.Suggestion = Misspelt, near
			p.Message += ": did you mean " + quoteCut(near) + "?"
		}
		all = append(all, p)
	}
	return all
}

// outside reports a value that isn't one of those allowed.
func (x *explainer) outside(path []string, want []any) []Problem {
	prefix := "one of "
	if len(want) == 1 {
		prefix = ""
	}
	p := Problem{Path: pointer(path), Kind: Other, Message: mustBe(path, prefix+literals(want), x.at(path))}
	if got, ok := x.at(path).(string); ok {
		var texts []string
		for _, v := range want {
			if text, ok := v.(string); ok {
				texts = append(texts, text)
			}
		}
		p.Suggestion = nearest(got, texts)
	}
	return []Problem{p}
}

// at returns the part of the value that path leads to.
func (x *explainer) at(path []string) any {
	v := x.value
	for _, step := range path {
		switch parent := v.(type) {
		case map[string]any:
			v = parent[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			v = parent[i]
		}
	}
	return v
}

// rule says which of the simple rules a value breaks.
func rule(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters, has %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters, has %d", k.Want, k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d elements, has %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d elements, has %d", k.Want, k.Got)
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %d elements too many", k.Count)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %d properties, has %d", k.Want, k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %d properties, has %d", k.Want, k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("must not repeat elements: %d and %d are alike", k.Duplicates[0], k.Duplicates[1])
	case *kind.Pattern:
		return "must match the pattern " + quoteCut(k.Want)
	}
	return numberRule(k)
}

func numberRule(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return "must be at most " + k.Want.RatString()
	case *kind.ExclusiveMinimum:
		return "must be more than " + k.Want.RatString()
	case *kind.ExclusiveMaximum:
		return "must be less than " + k.Want.RatString()
	case *kind.MultipleOf:
		return "must be a multiple of " + k.Want.RatString()
	case *kind.Contains, *kind.MinContains:
		return "lacks an element that the schema wants"
	case *kind.MaxContains:
		return "has too many elements of one kind"
	case *kind.RefCycle:
		return "can't be checked: the schema refers to itself without end"
	}
	return "is not valid"
}
