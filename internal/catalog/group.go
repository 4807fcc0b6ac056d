package catalog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// Group is what one owner puts into the catalog.
type Group struct {
	Source toolcrib.Source
	Owner  string
	// Tools are the catalogued ones, sorted by name. Shared, never changed.
	Tools []toolcrib.Tool
	// Fingerprint is equal for two groups exactly when their Tools are.
	Fingerprint string
	// Prefix stands before "__" in the names of direct mode; "" for none.
	Prefix string
}

// ownerKey names one owner of tools.
type ownerKey struct {
	source toolcrib.Source
	owner  string
}

// compare orders owners: core, plugin, mcp, client, then by name.
func (k ownerKey) compare(o ownerKey) int {
	return cmp.Or(cmp.Compare(rank(k.source), rank(o.source)), cmp.Compare(k.owner, o.owner))
}

// rank is the place of a source in every list.
func rank(s toolcrib.Source) int {
	order := []toolcrib.Source{toolcrib.SourceCore, toolcrib.SourcePlugin, toolcrib.SourceMCP, toolcrib.SourceClient}
	if i := slices.Index(order, s); i >= 0 {
		return i
	}
	return len(order)
}

// group is a Group with what looking things up in it needs.
type group struct {
	key      ownerKey
	public   Group
	direct   []*toolcrib.Tool
	away     []*toolcrib.Tool
	byID     map[string]*toolcrib.Tool
	excluded map[string]*toolcrib.Tool
	mark     string // fingerprint of all of it, direct-only tools too
	outage   *Outage
	off      *Outage // of one that the operator switched off
	withheld map[string]*toolcrib.Withheld
	pending  bool
	warnings []string
}

// newGroup plans the listings of one owner, later ones over earlier ones.
func newGroup(key ownerKey, listings []*toolcrib.Listing, allow Decider) *group {
	last := listings[len(listings)-1]
	g := &group{key: key, public: Group{Source: key.source, Owner: key.owner, Prefix: prefix(last)}}
	tools := g.gather(listings)
	allowed := g.permit(tools, allow)
	g.observe(last, len(allowed) > 0, allow)
	g.withhold(last, allow)
	if last.State == toolcrib.StateDown {
		g.away = allowed
		return g
	}
	g.place(allowed, len(tools), listings)
	g.public.Fingerprint, g.mark = g.fingerprints(listings)
	return g
}

// prefix is the first part of the names that direct mode shows: a server's own
// name unless the operator chose another, and for other owners what they chose.
func prefix(l *toolcrib.Listing) string {
	switch {
	case l.NoPrefix:
		return ""
	case l.Source == toolcrib.SourceMCP:
		return cmp.Or(l.ToolPrefix, l.Owner)
	}
	return l.ToolPrefix
}

// gather returns the tools of all listings, one an id, and warns of what it leaves out.
func (g *group) gather(listings []*toolcrib.Listing) []*toolcrib.Tool {
	var tools []*toolcrib.Tool
	place := map[string]int{}
	for _, l := range listings {
		if l.State == toolcrib.StateDisabled {
			continue
		}
		tools = slices.Grow(tools, len(l.Tools))
		for i := range l.Tools {
			t := &l.Tools[i]
			if t.Name == "" || t.Source != g.key.source || t.Owner != g.key.owner || t.ID != toolcrib.MakeID(t.Source, t.Owner, t.Name) {
				g.warn("tool %q (id %q) is left out: its id is not the one of a tool of %s", t.Name, t.ID, g.title())
				continue
			}
			if at, ok := place[t.ID]; ok {
				g.warn("tool %q is listed twice: the later one replaces the earlier", t.ID)
				tools[at] = t
				continue
			}
			place[t.ID] = len(tools)
			tools = append(tools, t)
		}
	}
	return tools
}

// permit splits the tools by policy and remembers the excluded ones for the log.
func (g *group) permit(tools []*toolcrib.Tool, allow Decider) []*toolcrib.Tool {
	allowed := make([]*toolcrib.Tool, 0, len(tools))
	for _, t := range tools {
		if allow(t) {
			allowed = append(allowed, t)
			continue
		}
		if g.excluded == nil {
			g.excluded = map[string]*toolcrib.Tool{}
		}
		g.excluded[t.ID] = t
	}
	return allowed
}

// place puts the allowed tools where they belong and makes the look-up tables.
// The listing's own slice is shared when all of it is catalogued.
func (g *group) place(allowed []*toolcrib.Tool, total int, listings []*toolcrib.Listing) {
	catalogued := 0
	for _, t := range allowed {
		if t.CatalogMode != toolcrib.CatalogDirectOnly {
			catalogued++
		}
	}
	shared := len(listings) == 1 && catalogued == total && total == len(listings[0].Tools)
	if shared {
		g.public.Tools = listings[0].Tools
	} else {
		g.public.Tools = make([]toolcrib.Tool, 0, catalogued)
	}
	g.byID = make(map[string]*toolcrib.Tool, len(allowed))
	for _, t := range allowed {
		switch {
		case t.CatalogMode == toolcrib.CatalogDirectOnly:
			g.direct = append(g.direct, t)
			g.byID[t.ID] = t
		case !shared:
			g.public.Tools = append(g.public.Tools, *t)
		}
	}
	for i := range g.public.Tools {
		g.byID[g.public.Tools[i].ID] = &g.public.Tools[i]
	}
}

// observe notes whether the owner can be used. Whether a caller may know of an
// owner that has never answered is asked of policy with a tool without a name.
func (g *group) observe(l *toolcrib.Listing, reachable bool, allow Decider) {
	if l.State == toolcrib.StateReady {
		return
	}
	if !l.Known || l.State == toolcrib.StateDisabled {
		reachable = allow(&toolcrib.Tool{ID: toolcrib.MakeID(l.Source, l.Owner, ""), Source: l.Source, Owner: l.Owner})
	}
	if l.State == toolcrib.StateDisabled {
		if reachable {
			g.off = &Outage{Server: l.Owner, State: l.State, Reason: cmp.Or(l.Reason, "it is switched off")}
		}
		return
	}
	g.pending = reachable && !l.Known
	if !reachable || (l.State == toolcrib.StateStarting && l.Known) {
		return
	}
	reason := l.Reason
	if reason == "" {
		reason = map[toolcrib.State]string{toolcrib.StateStarting: "it is still starting"}[l.State]
	}
	g.outage = &Outage{Server: l.Owner, State: l.State, Reason: cmp.Or(reason, "it is down")}
}

func (g *group) warn(format string, args ...any) {
	g.warnings = append(g.warnings, fmt.Sprintf(format, args...))
}

// title names the owner for a person.
func (g *group) title() string {
	if g.key.owner == "" {
		return string(g.key.source)
	}
	return string(g.key.source) + " " + g.key.owner
}
