package schema

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// closest explains a value that fits none of several forms: by one sentence
// when they differ only in types or allowed values, else by what is wrong with
// the form that fits best.
func (x *explainer) closest(path []string, causes []*jsonschema.ValidationError) []Problem {
	if len(causes) == 0 {
		return x.one(path, Other, subject(path)+" fits none of the allowed forms")
	}
	if types, ok := wantedTypes(path, causes); ok {
		return x.one(path, Mistyped, mustBe(path, typeNames(types), x.at(path)))
	}
	if values, ok := wantedValues(path, causes); ok {
		return x.outside(path, values)
	}
	best, bestCost := []Problem(nil), 0
	for i, cause := range causes {
		problems := x.explain(cause)
		if cost := cost(path, cause, len(problems)); i == 0 || cost < bestCost {
			best, bestCost = problems, cost
		}
	}
	return best
}

// cost says how far a form is from the value: another type is furthest, then
// another value of a property that tells forms apart, then anything else.
func cost(path []string, e *jsonschema.ValidationError, problems int) int {
	switch e := unwrap(e); e.ErrorKind.(type) {
	case *kind.Type:
		if len(e.InstanceLocation) == len(path) {
			return 10000
		}
	case *kind.Const, *kind.Enum:
		return 100 + problems
	case *kind.Group:
		total := problems
		for _, cause := range e.Causes {
			total += cost(path, cause, 0)
		}
		return total
	}
	return problems
}

// unwrap looks behind findings that only say through which reference they came.
func unwrap(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	for len(e.Causes) == 1 {
		switch e.ErrorKind.(type) {
		case *kind.Reference, *kind.Group, *kind.Schema, *kind.AllOf:
			e = e.Causes[0]
		default:
			return e
		}
	}
	return e
}

func wantedTypes(path []string, causes []*jsonschema.ValidationError) ([]string, bool) {
	var types []string
	for _, cause := range causes {
		e := unwrap(cause)
		k, ok := e.ErrorKind.(*kind.Type)
		if !ok || len(e.InstanceLocation) != len(path) {
			return nil, false
		}
		for _, t := range k.Want {
			if !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	return types, true
}

func wantedValues(path []string, causes []*jsonschema.ValidationError) ([]any, bool) {
	var values []any
	for _, cause := range causes {
		e := unwrap(cause)
		if len(e.InstanceLocation) != len(path) {
			return nil, false
		}
		switch k := e.ErrorKind.(type) {
		case *kind.Const:
			values = append(values, k.Want)
		case *kind.Enum:
			values = append(values, k.Want...)
		default:
			return nil, false
		}
	}
	return values, true
}
