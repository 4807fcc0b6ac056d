package gateway

import (
	"context"
	"fmt"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/invoke"
)

// source is a Source of any kind of tools.
type source = Source

// pluginsOnly is a program's source without what isn't a plugin's: only those calls
// would come to it.
type pluginsOnly struct{ Source }

// Listings implements Source.
func (p pluginsOnly) Listings(ctx context.Context, scope toolcrib.Scope) []toolcrib.Listing {
	all := p.Source.Listings(ctx, scope)
	foreign := func(l toolcrib.Listing) bool { return l.Source != toolcrib.SourcePlugin }
	if !slices.ContainsFunc(all, foreign) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), foreign)
}

// owned is a source that holds fixed owners, which no other source may use.
type owned struct {
	source
	owners map[invoke.Owner]bool
}

// holding notes the owners that s has now.
func holding(ctx context.Context, s source) owned {
	o := owned{source: s, owners: map[invoke.Owner]bool{}}
	for _, l := range s.Listings(ctx, toolcrib.Scope{}) {
		o.owners[invoke.Owner{Source: l.Source, Owner: l.Owner}] = true
	}
	return o
}

// executors sends the calls of fixed owners to their sources, the rest of core to
// the program's own functions, and the rest of plugin to whoever lists the tool.
func executors(fixed []owned, functions, servers source, plugins router, clients invoke.Executor) (invoke.Options, error) {
	o := invoke.Options{
		Executors: map[toolcrib.Source]invoke.Executor{
			toolcrib.SourceCore:   functions,
			toolcrib.SourcePlugin: plugins,
			toolcrib.SourceMCP:    servers,
			toolcrib.SourceClient: clients,
		},
		Owners: map[invoke.Owner]invoke.Executor{},
	}
	taken := holding(context.Background(), functions).owners
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
