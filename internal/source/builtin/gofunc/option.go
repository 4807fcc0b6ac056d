package gofunc

import (
	"encoding/json"

	"github.com/toolcrib/toolcrib"
)

// Option says more about a tool that Func makes.
type Option func(*toolcrib.Tool)

// OwnedBy puts the tool under a source, core or plugin, and an owner.
func OwnedBy(source toolcrib.Source, owner string) Option {
	return func(t *toolcrib.Tool) { t.Source, t.Owner = source, owner }
}

// Titled gives the tool a title for people.
func Titled(title string) Option { return func(t *toolcrib.Tool) { t.Label = title } }

// ReadOnly says that the tool changes nothing.
func ReadOnly() Option {
	return func(t *toolcrib.Tool) { t.Annotations.ReadOnly = new(true) }
}

// Destructive says whether the tool can destroy something, or only adds to what is there.
func Destructive(yes bool) Option {
	return func(t *toolcrib.Tool) { t.Annotations.Destructive = new(yes) }
}

// Idempotent says that a second call with the same arguments has no further effect.
func Idempotent() Option {
	return func(t *toolcrib.Tool) { t.Annotations.Idempotent = new(true) }
}

// OpenWorld says whether the tool reaches things outside the program.
func OpenWorld(yes bool) Option {
	return func(t *toolcrib.Tool) { t.Annotations.OpenWorld = new(yes) }
}

// DirectOnly keeps the tool out of the catalog and in the model's view.
func DirectOnly() Option {
	return func(t *toolcrib.Tool) { t.CatalogMode = toolcrib.CatalogDirectOnly }
}

// Sequential makes a call of the tool run alone within its session.
func Sequential() Option {
	return func(t *toolcrib.Tool) { t.ExecutionMode = toolcrib.ExecutionSequential }
}

// OwnerOnly hides the tool from everybody but the proven operator.
func OwnerOnly() Option { return func(t *toolcrib.Tool) { t.OwnerOnly = true } }

// InputSchema replaces the schema derived from the argument type.
func InputSchema(schema json.RawMessage) Option {
	return func(t *toolcrib.Tool) { t.Parameters = schema }
}

// OutputSchema replaces the schema derived from the result type.
func OutputSchema(schema json.RawMessage) Option {
	return func(t *toolcrib.Tool) { t.OutputSchema = schema }
}
