package schema

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// same lists the schemas that s applies to the value it stands for itself.
func same(s *jsonschema.Schema) []*jsonschema.Schema {
	return slices.Concat([]*jsonschema.Schema{s.Ref, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf,
		slices.Collect(maps.Values(s.DependentSchemas)))
}

// unnamed lists the schemas that s applies to parts of its value which it
// doesn't name.
func unnamed(s *jsonschema.Schema) []*jsonschema.Schema {
	list := slices.Concat(slices.Collect(maps.Values(s.PatternProperties)), s.PrefixItems,
		[]*jsonschema.Schema{s.Items2020, s.UnevaluatedProperties, s.UnevaluatedItems, s.Contains})
	for _, v := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch v := v.(type) {
		case *jsonschema.Schema:
			list = append(list, v)
		case []*jsonschema.Schema:
			list = append(list, v...)
		}
	}
	return list
}

// reach lists each schema that can be reached from start by next, start included.
func reach(next func(*jsonschema.Schema) []*jsonschema.Schema, start ...*jsonschema.Schema) []*jsonschema.Schema {
	seen := map[*jsonschema.Schema]bool{nil: true}
	var all []*jsonschema.Schema
	for queue := slices.Clone(start); len(queue) > 0; queue = queue[1:] {
		if s := queue[0]; !seen[s] {
			seen[s] = true
			all = append(all, s)
			queue = append(queue, next(s)...)
		}
	}
	return all
}

// propertyNames lists the properties that the schemas name, sorted.
func propertyNames(start ...*jsonschema.Schema) []string {
	names := map[string]bool{}
	for _, s := range reach(same, start...) {
		for name := range s.Properties {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// namesAt lists the properties that are named for the object at path.
func namesAt(root *jsonschema.Schema, path []string) []string {
	level := []*jsonschema.Schema{root}
	for _, step := range path {
		var next []*jsonschema.Schema
		for _, s := range reach(same, level...) {
			if named := s.Properties[step]; named != nil {
				next = append(next, named)
			} else {
				next = append(next, unnamed(s)...)
			}
		}
		level = next
	}
	return propertyNames(level...)
}

// find returns the schema in root whose location is given, nil when there is none.
func find(root *jsonschema.Schema, location string) *jsonschema.Schema {
	all := reach(everything, root)
	if i := slices.IndexFunc(all, func(s *jsonschema.Schema) bool { return s.Location == location }); i >= 0 {
		return all[i]
	}
	return nil
}
