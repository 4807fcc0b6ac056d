package catalog

import (
	"sync"

	"github.com/toolcrib/toolcrib"
)

// Planner plans like Plan and shares what didn't change: an owner whose listing
// and rule are the same keeps its group, and the same listings under the same
// rule give the very same Catalog. It is safe for concurrent use.
type Planner struct {
	mu       sync.Mutex
	groups   generations[*group]
	catalogs generations[*Catalog]
}

// NewPlanner returns a planner that holds the catalogs and groups of about that
// many rules and moments.
func NewPlanner(size int) *Planner {
	const groupsPerCatalog = 16
	size = max(size, 1)
	return &Planner{groups: generations[*group]{max: size * groupsPerCatalog}, catalogs: generations[*Catalog]{max: size}}
}

// Plan is the package's Plan. rule names what allow decides: two calls with an
// equal rule must allow the same tools, whoever is asking.
func (p *Planner) Plan(listings []toolcrib.Listing, allow Decider, rule string) *Catalog {
	whole := newDigest()
	whole.add(rule)
	for i := range listings {
		whole.add(shape(&listings[i]))
	}
	key := whole.sum()
	p.mu.Lock()
	c, ok := p.catalogs.get(key)
	p.mu.Unlock()
	if ok {
		return c
	}
	c = assemble(listings, func(owner ownerKey, of []*toolcrib.Listing) *group {
		return p.group(owner, of, allow, rule)
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.catalogs.put(key, c)
	return c
}

// group returns the group of one owner, made now or before.
func (p *Planner) group(owner ownerKey, of []*toolcrib.Listing, allow Decider, rule string) *group {
	d := newDigest()
	d.add(rule)
	for _, l := range of {
		d.add(shape(l))
	}
	key := d.sum()
	p.mu.Lock()
	g, ok := p.groups.get(key)
	p.mu.Unlock()
	if ok {
		return g
	}
	g = newGroup(owner, of, allow)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.groups.put(key, g)
	return g
}

// shape hashes everything of a listing that a plan depends on.
func shape(l *toolcrib.Listing) string {
	d := newDigest()
	d.add(string(l.Source), l.Owner, string(l.State), l.Reason, flag(l.Known), l.ToolPrefix, flag(l.NoPrefix), listingMark(l), l.WithheldMark)
	if l.WithheldMark != "" {
		return d.sum()
	}
	for i := range l.Withheld {
		d.add(l.Withheld[i].Tool.ID, l.Withheld[i].Reason)
	}
	return d.sum()
}

// generations is a bounded cache: what was not asked for while a whole
// generation filled up is forgotten. The zero value with a max is empty.
type generations[V any] struct {
	max      int
	new, old map[string]V
}

func (g *generations[V]) get(key string) (V, bool) {
	if v, ok := g.new[key]; ok {
		return v, true
	}
	v, ok := g.old[key]
	if ok {
		g.put(key, v)
	}
	return v, ok
}

func (g *generations[V]) put(key string, v V) {
	if g.new == nil || len(g.new) >= g.max {
		g.old, g.new = g.new, make(map[string]V)
	}
	g.new[key] = v
}
