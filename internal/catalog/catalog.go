package catalog

import (
	"iter"
	"maps"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// Decider says whether policy lets one scope reach a tool. It must be pure:
// the same tool always gets the same answer.
type Decider func(*toolcrib.Tool) bool

// Catalog is what one caller may reach, at one moment. It is never changed and
// may be shared by any number of goroutines and runs.
type Catalog struct {
	groups      []*group
	byOwner     map[ownerKey]*group
	direct      []*toolcrib.Tool
	outages     []Outage
	size        int
	awaited     []Outage
	fingerprint string
	warnings    []string
}

// Groups returns the owners that have catalogued tools: core, plugins, MCP
// servers, then client tools, each sorted by owner.
func (c *Catalog) Groups() []Group {
	out := make([]Group, 0, len(c.groups))
	for _, g := range c.groups {
		if len(g.public.Tools) > 0 {
			out = append(out, g.public)
		}
	}
	return out
}

// Direct returns the tools that are visible in every mode, in the order of Groups.
func (c *Catalog) Direct() []*toolcrib.Tool { return c.direct }

// All yields every tool of the catalog, catalogued and direct-only, by owner
// in the order of Groups.
func (c *Catalog) All() iter.Seq[*toolcrib.Tool] {
	return func(yield func(*toolcrib.Tool) bool) {
		for _, g := range c.groups {
			for i := range g.public.Tools {
				if !yield(&g.public.Tools[i]) {
					return
				}
			}
			for _, t := range g.direct {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// Away yields the remembered tools of servers that are down, as far as policy
// lets them be known, and the tools that wait for a review. They are not part of the catalog: nothing finds or
// describes them, but whoever asks for one can be told why it fails.
func (c *Catalog) Away() iter.Seq[*toolcrib.Tool] {
	return func(yield func(*toolcrib.Tool) bool) {
		for _, g := range c.groups {
			for _, t := range g.away {
				if !yield(t) {
					return
				}
			}
			for _, id := range slices.Sorted(maps.Keys(g.withheld)) {
				if !yield(&g.withheld[id].Tool) {
					return
				}
			}
		}
	}
}

// Len returns the number of catalogued tools; direct-only ones don't count.
func (c *Catalog) Len() int { return c.size }

// Outages returns the owners that are configured and allowed and can't be
// used now, in the order of Groups.
func (c *Catalog) Outages() []Outage { return c.outages }

// Pending reports whether an enabled and allowed server has not answered yet
// and nothing is remembered of it: the catalog may turn out larger than it is.
func (c *Catalog) Pending() bool { return len(c.awaited) > 0 }

// Awaited returns those of Outages for which the catalog is Pending.
func (c *Catalog) Awaited() []Outage { return c.awaited }

// Fingerprint is equal for two catalogs exactly when their tools are: ids,
// texts, schemas and marks. It doesn't depend on outages.
func (c *Catalog) Fingerprint() string { return c.fingerprint }

// Warnings says what was odd about the listings, in words for the operator's log.
func (c *Catalog) Warnings() []string { return c.warnings }

// Prefix returns what stands before "__" in the name under which direct mode
// shows t; "" when its name stands alone.
func (c *Catalog) Prefix(t *toolcrib.Tool) string {
	if g := c.byOwner[ownerKey{t.Source, t.Owner}]; g != nil {
		return g.public.Prefix
	}
	return ""
}

// Outage is an owner that can't be used now.
type Outage struct {
	Server string
	State  toolcrib.State
	// Reason is a sentence for a person or a model; never empty.
	Reason string
}
