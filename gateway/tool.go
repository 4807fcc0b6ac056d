package gateway

import (
	"context"
	"encoding/json"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/builtin/gofunc"
)

// Tool is a description and the Go function behind it. Fill it by hand, or let
// Func derive the schemas from Go types.
type Tool = gofunc.Tool

// Handler runs one call of a Tool.
type Handler = gofunc.Handler

// ToolOption says more about a tool that Func makes.
type ToolOption = gofunc.Option

// Func makes a tool of a Go function. The schemas of its arguments and of its
// result are derived from In and Out: json tags name properties, jsonschema tags
// describe them, and a field without omitempty is required.
//
// What f returns is the call's structured result. An error of f is the tool's own
// failure and its text is shown to the model; return a *toolcrib.Error to fail
// the call itself.
func Func[In, Out any](name, description string, f func(ctx context.Context, in In) (Out, error), opts ...ToolOption) Tool {
	return gofunc.Func(name, description, f, opts...)
}

// Owner puts the tool under a source, core or plugin, and an owner: the middle of
// its id. Without it the tool is plugin:app:NAME.
func Owner(source toolcrib.Source, owner string) ToolOption { return gofunc.OwnedBy(source, owner) }

// Titled gives the tool a title for people.
func Titled(title string) ToolOption { return gofunc.Titled(title) }

// ReadOnly says that the tool changes nothing.
func ReadOnly() ToolOption { return gofunc.ReadOnly() }

// Destructive says whether the tool can destroy something, or only adds to what is there.
func Destructive(yes bool) ToolOption { return gofunc.Destructive(yes) }

// Idempotent says that a second call with the same arguments has no further effect.
func Idempotent() ToolOption { return gofunc.Idempotent() }

// OpenWorld says whether the tool reaches things outside the program.
func OpenWorld(yes bool) ToolOption { return gofunc.OpenWorld(yes) }

// DirectOnly keeps the tool out of the catalog and in the model's view, in every mode.
func DirectOnly() ToolOption { return gofunc.DirectOnly() }

// Sequential makes a call of the tool run alone within its session.
func Sequential() ToolOption { return gofunc.Sequential() }

// OwnerOnly hides the tool from everybody but the proven operator.
func OwnerOnly() ToolOption { return gofunc.OwnerOnly() }

// InputSchema replaces the schema that was derived from the argument type.
func InputSchema(schema json.RawMessage) ToolOption { return gofunc.InputSchema(schema) }

// OutputSchema replaces the schema that was derived from the result type.
func OutputSchema(schema json.RawMessage) ToolOption { return gofunc.OutputSchema(schema) }
