package catalog

import (
	"slices"

	"github.com/toolcrib/toolcrib"
)

// Plan makes the catalog of one caller from what the owners list. It is pure:
// the same listings and decisions give an equal catalog. Tools that policy
// refuses never enter; a server that is down keeps none of its tools; of two
// tools with one id the later replaces the earlier, with a warning.
func Plan(listings []toolcrib.Listing, allow Decider) *Catalog {
	return assemble(listings, func(key ownerKey, of []*toolcrib.Listing) *group {
		return newGroup(key, of, allow)
	})
}

// assemble makes a catalog of groups that are built by, or found by, build.
func assemble(listings []toolcrib.Listing, build func(ownerKey, []*toolcrib.Listing) *group) *Catalog {
	owners := map[ownerKey][]*toolcrib.Listing{}
	var keys []ownerKey
	for i := range listings {
		key := ownerKey{listings[i].Source, listings[i].Owner}
		if owners[key] == nil {
			keys = append(keys, key)
		}
		owners[key] = append(owners[key], &listings[i])
	}
	slices.SortFunc(keys, ownerKey.compare)
	c := &Catalog{byOwner: make(map[ownerKey]*group, len(keys))}
	marks := newDigest()
	for _, key := range keys {
		g := build(key, owners[key])
		c.add(g)
		if len(g.byID) > 0 {
			marks.add(g.mark)
		}
	}
	c.fingerprint = marks.sum()
	return c
}

// add puts a finished group into the catalog.
func (c *Catalog) add(g *group) {
	c.groups = append(c.groups, g)
	c.byOwner[g.key] = g
	c.direct = append(c.direct, g.direct...)
	c.size += len(g.public.Tools)
	c.warnings = append(c.warnings, g.warnings...)
	if o, ok := g.reviewed(); ok {
		c.outages = append(c.outages, o)
	}
	if g.outage != nil {
		c.outages = append(c.outages, *g.outage)
		if g.pending {
			c.awaited = append(c.awaited, *g.outage)
		}
	}
}
