package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// withhold notes the tools that wait for a person, as far as policy lets them be
// known. They are no part of the catalog.
func (g *group) withhold(l *toolcrib.Listing, allow Decider) {
	if l.State == toolcrib.StateDisabled {
		return
	}
	for i := range l.Withheld {
		if w := &l.Withheld[i]; w.Tool.Source == g.key.source && w.Tool.Owner == g.key.owner && allow(&w.Tool) {
			if g.withheld == nil {
				g.withheld = map[string]*toolcrib.Withheld{}
			}
			g.withheld[w.Tool.ID] = w
		}
	}
}

// reviewed says how many tools of an owner that can be used are withheld.
func (g *group) reviewed() (Outage, bool) {
	n := len(g.withheld)
	if n == 0 || g.outage != nil {
		return Outage{}, false
	}
	o := Outage{Server: g.key.owner, State: toolcrib.StateReady, Reason: fmt.Sprintf("%d of its tools are withheld until a person has reviewed them", n)}
	if n == 1 {
		o.Reason = "1 of its tools is withheld until a person has reviewed it"
	}
	return o, true
}

// withheld answers for a tool that waits for a person: for its id, and for its name
// where no other one has that.
func (c *Catalog) withheld(ref string) error {
	if g := c.ownerOf(ref); g != nil {
		if w := g.withheld[ref]; w != nil {
			return blocked(w)
		}
	}
	for _, g := range c.groups {
		if w := g.withheld[toolcrib.MakeID(g.key.source, g.key.owner, ref)]; w != nil {
			return blocked(w)
		}
	}
	return nil
}

func blocked(w *toolcrib.Withheld) error {
	return toolcrib.NewError(toolcrib.KindBlocked, fmt.Sprintf("%q is withheld: %s", clip(w.Tool.ID), w.Reason),
		"use another tool; a person reviews it by: toolcrib servers review "+w.Tool.Owner)
}

// Withheld returns the tools that wait for a person, by owner and id, as far as
// policy lets them be known.
func (c *Catalog) Withheld() []*toolcrib.Withheld {
	var all []*toolcrib.Withheld
	for _, g := range c.groups {
		list := slices.Collect(maps.Values(g.withheld))
		slices.SortFunc(list, func(a, b *toolcrib.Withheld) int { return strings.Compare(a.Tool.ID, b.Tool.ID) })
		all = append(all, list...)
	}
	return all
}
