package gateway

import (
	"context"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// router sends calls of plugin tools to the source that lists them. Of two that
// list the same id the later one counts, as it does in a catalog.
type router struct{ sources []source }

// owning is a source that knows its owners without being asked for its lists.
type owning interface {
	// Owns reports whether an owner's tools are the source's.
	Owns(owner string) bool
}

// Execute implements invoke.Executor.
func (r router) Execute(ctx context.Context, c toolcrib.Call) (toolcrib.Result, error) {
	for _, s := range slices.Backward(r.sources[1:]) {
		if lists(ctx, s, c) {
			return s.Execute(ctx, c)
		}
	}
	return r.sources[0].Execute(ctx, c) // the program's functions say what is missing
}

// lists reports whether a source has the tool of a call.
func lists(ctx context.Context, s source, c toolcrib.Call) bool {
	if o, ok := s.(owning); ok {
		return o.Owns(c.Tool.Owner)
	}
	for _, l := range s.Listings(ctx, c.Scope) {
		if l.Source != c.Tool.Source || l.Owner != c.Tool.Owner {
			continue
		}
		if slices.ContainsFunc(l.Tools, func(t toolcrib.Tool) bool { return t.Name == c.Tool.Name }) {
			return true
		}
	}
	return false
}
