package schema

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// reading is one way to understand the arguments.
type reading struct {
	value any
	// beside is what still has to be merged in; nil when nothing is.
	beside map[string]any
	steps  []string
}

// maxReadings is how many readings are tried at most.
const maxReadings = 64

// wrappers are the names under which models put arguments once too often.
var wrappers = []string{"args", "arguments", "input", "params", "parameters"}

const (
	stepString  = "read the object in the JSON string"
	stepList    = "took the one element of the list"
	stepBeside  = `took what stood beside "args"`
	stepWrapper = "took what was wrapped in "
	stepDots    = "nested the dotted keys"
	stepRetype  = "read as JSON the string in "
)

// search tries readings, the least repaired first, and returns those that fit,
// and the one with the fewest problems, which serves to explain why none does.
func (r *repairer) search() (fitting []reading, nearest reading) {
	start := reading{value: r.args}
	if len(r.beside) > 0 && !(isObject(r.args) && !hollow(r.args) && r.ignorable()) {
		start.beside = r.beside
	}
	seen := map[string]bool{}
	queue := []reading{start}
	fewest := 0
	for tried := 0; len(queue) > 0 && tried < maxReadings; queue = queue[1:] {
		current := queue[0]
		key := string(encode(current.value)) + strconv.FormatBool(current.beside == nil)
		if seen[key] {
			continue
		}
		seen[key] = true
		tried++
		if current.beside == nil && isObject(current.value) {
			problems := r.schema.problems(current.value)
			if len(problems) == 0 {
				fitting = append(fitting, current)
				continue
			}
			if nearest.value == nil || len(problems) < fewest {
				nearest, fewest = current, len(problems)
			}
		}
		queue = append(queue, r.next(current)...)
	}
	return fitting, nearest
}

// next returns the readings that are one repair away.
func (r *repairer) next(from reading) []reading {
	var all []reading
	add := func(value any, beside map[string]any, step string) {
		all = append(all, reading{value, beside, append(slices.Clip(slices.Clone(from.steps)), step)})
	}
	switch value := from.value.(type) {
	case string:
		if inner, ok := decodeText(value); ok {
			add(inner, from.beside, stepString)
		}
	case []any:
		if len(value) == 1 && isObject(value[0]) {
			add(value[0], from.beside, stepList)
		}
	case map[string]any:
		if from.beside != nil {
			if merged, step, ok := r.merge(value, from.beside); ok {
				add(merged, nil, step)
			}
			break
		}
		for _, name := range wrappers {
			if inner, ok := r.unwrap(value, name); ok {
				add(inner, nil, stepWrapper+strconv.Quote(name))
			}
		}
		if nested, ok := r.undot(value); ok {
			add(nested, nil, stepDots)
		}
		if typed, names := r.retype(value); len(names) > 0 {
			add(typed, nil, stepRetype+strings.Join(names, ", "))
		}
	}
	return all
}

// merge joins the arguments and what stood beside them. Where the arguments are
// hollow and a wrapper stands beside them alone, its content is the arguments.
func (r *repairer) merge(args, beside map[string]any) (any, string, bool) {
	if len(args) == 0 && len(beside) == 1 {
		for name, content := range beside {
			if slices.Contains(wrappers, name) && !r.named(name) {
				return content, stepWrapper + strconv.Quote(name), true
			}
		}
	}
	for name := range beside {
		if len(args) > 0 && slices.Contains(wrappers, name) && !r.named(name) {
			return nil, "", false
		}
	}
	joined, ok := join(args, beside)
	return joined, stepBeside, ok
}

// join returns the keys of both; false when they disagree about one.
func join(a, b map[string]any) (map[string]any, bool) {
	joined := maps.Clone(a)
	for name, value := range b {
		if old, both := joined[name]; both && string(encode(old)) != string(encode(value)) {
			return nil, false
		}
		joined[name] = value
	}
	return joined, true
}

// unwrap takes the object out of value[name] and joins it with its neighbours.
func (r *repairer) unwrap(value map[string]any, name string) (any, bool) {
	content, ok := value[name]
	if !ok {
		return nil, false
	}
	rest := maps.Clone(value)
	delete(rest, name)
	if hollow(content) {
		return rest, !r.named(name)
	}
	switch inner := content.(type) {
	case map[string]any:
		return join(rest, inner)
	case string:
		decoded, ok := decodeText(inner)
		if ok && len(rest) == 0 {
			return decoded, true
		}
		if object, isMap := decoded.(map[string]any); ok && isMap {
			return join(rest, object)
		}
	case []any:
		if len(inner) == 1 && len(rest) == 0 && isObject(inner[0]) {
			return inner[0], true
		}
	}
	return nil, false
}

// undot turns keys with dots that the schema doesn't name into nested objects.
func (r *repairer) undot(value map[string]any) (map[string]any, bool) {
	nested, changed := map[string]any{}, false
	dotted := []string{}
	for name, v := range value {
		if strings.Contains(name, ".") && !r.named(name) {
			dotted = append(dotted, name)
			continue
		}
		nested[name] = v
	}
	slices.Sort(dotted)
	for _, name := range dotted {
		if !place(nested, strings.Split(name, "."), value[name]) {
			return nil, false
		}
		changed = true
	}
	return nested, changed
}

// place puts v at path into object, which it may change but not the values in
// it; false where something else is there already, or a step is empty.
func place(object map[string]any, path []string, v any) bool {
	for _, step := range path[:len(path)-1] {
		inner := map[string]any{}
		if old, there := object[step]; there {
			known, ok := old.(map[string]any)
			if !ok {
				return false
			}
			inner = maps.Clone(known)
		}
		if step == "" {
			return false
		}
		object[step] = inner
		object = inner
	}
	last := path[len(path)-1]
	if _, there := object[last]; there || last == "" {
		return false
	}
	object[last] = v
	return true
}

// retype reads strings as JSON at the places where the schema wants what they
// hold and no string. It returns the names of those places.
func (r *repairer) retype(value map[string]any) (any, []string) {
	var faults *jsonschema.ValidationError
	if oversized(value) != "" || !errors.As(r.schema.meter.run(r.schema.root, value), &faults) {
		return nil, nil
	}
	wanted := map[string]*typeFault{}
	collect(faults, wanted)
	var typed any = value
	var names []string
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		text, ok := (&explainer{value: typed}).at(wanted[key].path).(string)
		if !ok {
			continue
		}
		if inner, err := decode([]byte(text)); err == nil && wanted[key].takes(inner) {
			typed = replaced(typed, wanted[key].path, inner)
			names = append(names, quoteCut(strings.Join(wanted[key].path, ".")))
		}
	}
	return typed, names
}

// typeFault is a place and the types that are wanted there.
type typeFault struct {
	path  []string
	types []string
}

func collect(e *jsonschema.ValidationError, into map[string]*typeFault) {
	if k, ok := e.ErrorKind.(*kind.Type); ok && len(e.InstanceLocation) > 0 {
		key := pointer(e.InstanceLocation)
		if into[key] == nil {
			into[key] = &typeFault{path: e.InstanceLocation}
		}
		into[key].types = append(into[key].types, k.Want...)
	}
	for _, cause := range e.Causes {
		collect(cause, into)
	}
}

// takes reports whether v is of a wanted type. Null is never read out of a string.
func (f *typeFault) takes(v any) bool {
	switch v.(type) {
	case map[string]any:
		return slices.Contains(f.types, "object")
	case []any:
		return slices.Contains(f.types, "array")
	case bool:
		return slices.Contains(f.types, "boolean")
	case string, nil:
		return false
	}
	return slices.Contains(f.types, "number") || slices.Contains(f.types, "integer")
}

// replaced returns a copy of v with another value at path.
func replaced(v any, path []string, with any) any {
	if len(path) == 0 {
		return with
	}
	switch v := v.(type) {
	case map[string]any:
		c := maps.Clone(v)
		c[path[0]] = replaced(v[path[0]], path[1:], with)
		return c
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(v) {
			return v
		}
		c := slices.Clone(v)
		c[i] = replaced(v[i], path[1:], with)
		return c
	}
	return v
}

// decodeText reads the JSON value in a string; the empty string is an empty object.
func decodeText(text string) (any, bool) {
	if strings.TrimSpace(text) == "" {
		return map[string]any{}, true
	}
	v, err := decode([]byte(text))
	return v, err == nil
}
