package gateway

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/search"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// Search returns the tools that fit a request in words, best first. A limit of 0
// means the configured default; a larger one than the configured maximum means
// that.
func (s *Session) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	found, err := s.surface(ctx).Search(ctx, s.scope, newID(), toolsearch.Query{Text: query, Limit: limit})
	hits := make([]Hit, len(found))
	for i, h := range found {
		hits[i] = Hit(h)
	}
	return hits, err
}

// Describe tells all of the tool that ref, an id or a unique name, means.
func (s *Session) Describe(ctx context.Context, ref string) (Detail, error) {
	d, err := s.surface(ctx).Describe(ctx, s.scope, newID(), ref)
	return Detail{
		Hit: Hit(d.Hit), Annotations: d.Annotations, CatalogMode: d.CatalogMode, ExecutionMode: d.ExecutionMode,
		OwnerOnly: d.OwnerOnly, Parameters: d.Parameters, OutputSchema: d.OutputSchema,
	}, err
}

// Call runs the tool that ref, an id or a unique name, means. args is a JSON
// object; nil means no arguments. A tool that reports its own failure answers a
// Result with IsError; an error means that the call did not get so far, or that
// its answer can't be used.
func (s *Session) Call(ctx context.Context, ref string, args json.RawMessage) (toolcrib.Tool, toolcrib.Result, error) {
	id := newID()
	scope := s.scope
	scope.Run = id
	return s.surface(ctx).Run(ctx, toolsearch.Request{ID: id, Ref: ref, Args: args, Scope: scope})
}

// tools yields all that the session may reach.
func (s *Session) tools(ctx context.Context) iter.Seq[*toolcrib.Tool] {
	s.surface(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.catalog.All()
}

// unavailable names the servers whose tools can't be reached now.
func (s *Session) unavailable(ctx context.Context) []client.Unavailable {
	s.surface(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []client.Unavailable
	for _, o := range s.catalog.Outages() {
		out = append(out, client.Unavailable{Server: o.Server, State: o.State, Reason: o.Reason})
	}
	return out
}

// explain says how the scores of a search came about.
func (s *Session) explain(ctx context.Context, query string, limit int) []search.Explanation {
	s.surface(ctx)
	s.mu.Lock()
	index := s.gateway.indexes.of(s.catalog)
	s.mu.Unlock()
	return index.Explain(query, limit)
}
