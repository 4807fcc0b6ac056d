package schema

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A schema that branches and refers to itself can want to be applied any number
// of times, so what one validation may apply is bounded: appliedFree schemas,
// and appliedEach more for each part of the value.
const (
	appliedFree = 10_000
	appliedEach = 50
)

var (
	errUnusable = errors.New("the schema can't be applied")
	errTooMuch  = errors.New("checking the value against the schema takes too long")
)

// meter counts the schemas that one validation applies. It hangs in every
// schema of a compiled tree, and one validation at a time holds it.
type meter struct {
	mu   sync.Mutex
	left int
}

// Validate counts; the validator calls it wherever the meter hangs.
func (m *meter) Validate(*jsonschema.ValidatorContext, any) {
	if m.left--; m.left < 0 {
		panic(errTooMuch)
	}
}

// install hangs the meter into every schema that root can reach.
func (m *meter) install(root *jsonschema.Schema) {
	for _, s := range reach(everything, root) {
		s.Extensions = append(s.Extensions, m)
	}
}

// everything lists the schemas that s leads to in any way.
func everything(s *jsonschema.Schema) []*jsonschema.Schema {
	list := slices.Concat(same(s), slices.Collect(maps.Values(s.Properties)), unnamed(s),
		[]*jsonschema.Schema{s.RecursiveRef, s.Not, s.PropertyNames, s.ContentSchema})
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	for _, dependency := range s.Dependencies {
		if sub, ok := dependency.(*jsonschema.Schema); ok {
			list = append(list, sub)
		}
	}
	return list
}

// run validates a value. The validator also panics by itself on some cycles of
// references, which is a fault of the schema at hand and must be no more.
func (m *meter) run(root *jsonschema.Schema, value any) (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() {
		switch fault := recover(); fault {
		case nil:
		case errTooMuch:
			err = errTooMuch
		default:
			err = errUnusable
		}
	}()
	m.left = appliedFree + appliedEach*parts(value)
	return root.Validate(value)
}

// parts counts the values in a decoded value, itself included.
func parts(value any) int {
	n := 1
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			n += parts(v)
		}
	case map[string]any:
		for _, v := range value {
			n += parts(v)
		}
	}
	return n
}
