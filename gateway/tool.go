package gateway

import (
	"context"

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

// Options of Func.
var (
	// Owner puts the tool under a source (core or plugin) and an owner, the middle of its id.
	Owner = gofunc.OwnedBy
	// Titled gives the tool a title for people.
	Titled = gofunc.Titled
	// ReadOnly says that the tool changes nothing.
	ReadOnly = gofunc.ReadOnly
	// Destructive says whether the tool can destroy something.
	Destructive = gofunc.Destructive
	// Idempotent says that repeating a call has no further effect.
	Idempotent = gofunc.Idempotent
	// OpenWorld says whether the tool reaches things outside the program.
	OpenWorld = gofunc.OpenWorld
	// DirectOnly keeps the tool out of the catalog and in the model's view.
	DirectOnly = gofunc.DirectOnly
	// Sequential makes a call of the tool run alone within its session.
	Sequential = gofunc.Sequential
	// OwnerOnly hides the tool from everybody but the proven operator.
	OwnerOnly = gofunc.OwnerOnly
	// InputSchema and OutputSchema replace a derived schema.
	InputSchema  = gofunc.InputSchema
	OutputSchema = gofunc.OutputSchema
)
