package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// Stats implements httpapi.Control.
func (c control) Stats(ctx context.Context, agent string) (client.Stats, error) {
	s, err := c.session(agent)
	if err != nil {
		return client.Stats{}, err
	}
	s.surface(ctx)
	s.mu.Lock()
	plan := s.catalog
	s.mu.Unlock()
	var stats client.Stats
	for range plan.All() {
		stats.Tools++
	}
	for _, mode := range []toolsearch.Mode{toolsearch.ModeDirect, toolsearch.ModeTools, toolsearch.ModeCode} {
		visible := toolsearch.Show(plan, mode)
		bytes, err := size(visible)
		if err != nil {
			return stats, err
		}
		stats.Modes = append(stats.Modes, client.ModeStats{Mode: string(mode), Visible: len(visible), Bytes: bytes, Tokens: tokens(bytes)})
		if mode == toolsearch.ModeDirect {
			if stats.Owners, err = shares(plan, visible); err != nil {
				return stats, err
			}
		}
	}
	slices.SortStableFunc(stats.Modes, func(a, b client.ModeStats) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return stats, nil
}

// shares splits the direct list by owner.
func shares(plan *catalog.Catalog, visible []toolsearch.Visible) ([]client.OwnerStats, error) {
	byOwner := map[string]*client.OwnerStats{}
	for _, v := range visible {
		t, ok := plan.Lookup(v.ID)
		if !ok {
			continue
		}
		o := byOwner[t.Owner]
		if o == nil {
			o = &client.OwnerStats{Owner: t.Owner}
			byOwner[t.Owner] = o
		}
		bytes, err := size([]toolsearch.Visible{v})
		if err != nil {
			return nil, err
		}
		o.Tools++
		o.Bytes += bytes - len(`[]`)
	}
	owners := make([]client.OwnerStats, 0, len(byOwner))
	for _, o := range byOwner {
		o.Tokens = tokens(o.Bytes)
		owners = append(owners, *o)
	}
	slices.SortFunc(owners, func(a, b client.OwnerStats) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Owner, b.Owner))
	})
	return owners, nil
}

// size is the length of a tool list's JSON.
func size(visible []toolsearch.Visible) (int, error) {
	var n counter
	e := json.NewEncoder(&n)
	e.SetEscapeHTML(false)
	err := e.Encode(visible)
	return int(n) - len("\n"), err
}

// counter counts what is written to it.
type counter int

func (n *counter) Write(p []byte) (int, error) {
	*n += counter(len(p))
	return len(p), nil
}

// tokens estimates how many tokens so many bytes of JSON are.
func tokens(bytes int) int { return bytes / toolsearch.BytesPerToken }
