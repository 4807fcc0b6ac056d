package gateway

import (
	"context"
	"fmt"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/invoke"
)

// source is a place where tools come from.
type source interface {
	// Listings says what each owner offers to a caller now.
	Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing
	// Execute runs a tool that the source lists.
	Execute(ctx context.Context, call toolcrib.Call) (toolcrib.Result, error)
}

// owned is a source that holds fixed owners, which no other source may use.
type owned struct {
	source
	owners map[invoke.Owner]bool
}

// own notes the owners that s has now.
func own(ctx context.Context, s source) owned {
	o := owned{source: s, owners: map[invoke.Owner]bool{}}
	for _, l := range s.Listings(ctx, toolcrib.Scope{}) {
		o.owners[invoke.Owner{Source: l.Source, Owner: l.Owner}] = true
	}
	return o
}

// executors sends the calls of fixed owners to their sources, and the rest of
// core and plugin to the program's own functions.
func executors(fixed []owned, functions, servers source) (invoke.Options, error) {
	o := invoke.Options{
		Executors: map[toolcrib.Source]invoke.Executor{
			toolcrib.SourceCore:   functions,
			toolcrib.SourcePlugin: functions,
			toolcrib.SourceMCP:    servers,
		},
		Owners: map[invoke.Owner]invoke.Executor{},
	}
	taken := own(context.Background(), functions).owners
	for _, f := range fixed {
		for owner := range f.owners {
			if taken[owner] || o.Owners[owner] != nil {
				return o, toolcrib.NewError(toolcrib.KindConfig,
					fmt.Sprintf("two sources want to own %s:%s", owner.Source, owner.Owner), "give the tools of your program another owner")
			}
			o.Owners[owner] = f
		}
	}
	return o, nil
}
