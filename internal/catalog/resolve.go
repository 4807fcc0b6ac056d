package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// ErrUnknown is the cause of the error that Resolve returns for a reference
// that fits nothing in the catalog, so that a surface can add what its mode
// offers: likely ids, and the control that finds more.
var ErrUnknown = errors.New("no tool of the catalog has this id or name")

// maxRef bounds how much of a foreign reference is repeated in a message, in bytes.
const maxRef = 200

// Lookup returns the tool with exactly this id.
func (c *Catalog) Lookup(id string) (*toolcrib.Tool, bool) {
	g := c.ownerOf(id)
	if g == nil {
		return nil, false
	}
	t, ok := g.byID[id]
	return t, ok
}

// Excluded returns a tool that policy kept out of the catalog: the one of an id,
// else the first of a name, as it is or as direct mode shows it. It serves the
// operator's log alone; nothing of it may reach the caller. Whether there is one
// makes no difference to the work.
func (c *Catalog) Excluded(ref string) (*toolcrib.Tool, bool) {
	ref = strings.TrimSpace(ref)
	var found *toolcrib.Tool
	if g := c.ownerOf(ref); g != nil {
		found = g.excluded[ref]
	}
	for _, g := range c.groups {
		id := func(name string) string { return toolcrib.MakeID(g.key.source, g.key.owner, name) }
		own, _ := strings.CutPrefix(ref, g.public.Prefix+"__")
		found = cmp.Or(found, g.excluded[id(ref)])
		found = cmp.Or(found, g.excluded[id(own)])
	}
	return found, found != nil
}

// ownerOf returns the group that an id belongs to, nil when there is none.
func (c *Catalog) ownerOf(id string) *group {
	source, owner, _, err := toolcrib.ParseID(id)
	if err != nil {
		return nil
	}
	return c.byOwner[ownerKey{source, owner}]
}

// Resolve finds the tool that a reference means: trimmed, an exact id, else an
// exact and unique name. Otherwise the error is KindInput (nothing given),
// KindAmbiguous (lists the ids), KindUnavailable (its server is down), KindBlocked
// (it is withheld until a person has looked at it) or
// KindNotFound with the cause ErrUnknown, which reads the same for a tool that
// policy hides and for one that doesn't exist.
func (c *Catalog) Resolve(ref string) (*toolcrib.Tool, error) {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return nil, toolcrib.NewError(toolcrib.KindInput, "no tool was named", "give the id of a tool")
	}
	if t, ok := c.Lookup(ref); ok {
		return t, nil
	}
	named := c.named(ref)
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return nil, ambiguous(ref, named)
	}
	if err := c.outageOf(ref); err != nil {
		return nil, err
	}
	if err := c.withheld(ref); err != nil {
		return nil, err
	}
	return nil, toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("there is no tool %q", clip(ref)), "").WithCause(ErrUnknown)
}

// named returns the tools with exactly this name, in catalog order.
func (c *Catalog) named(name string) []*toolcrib.Tool {
	var found []*toolcrib.Tool
	for _, g := range c.groups {
		id := toolcrib.MakeID(g.key.source, g.key.owner, name)
		if t, ok := g.byID[id]; ok {
			found = append(found, t)
		}
	}
	return found
}

// outageOf answers for tools of servers that are known to be down: for every
// id of theirs alike, listed before or not, and for the names they had. Those of
// one that is switched off it answers for by their ids.
func (c *Catalog) outageOf(ref string) error {
	if g := c.ownerOf(ref); g != nil {
		if o := cmp.Or(g.outage, g.off); o != nil {
			return g.unavailable(ref, o)
		}
	}
	for _, g := range c.groups {
		if g.outage == nil {
			continue
		}
		if slices.ContainsFunc(g.away, func(t *toolcrib.Tool) bool { return t.Name == ref }) {
			return g.unavailable(ref, g.outage)
		}
	}
	return nil
}

func (g *group) unavailable(ref string, o *Outage) error {
	kind := "server"
	if g.key.source == toolcrib.SourcePlugin {
		kind = "plugin"
	}
	hint := "try again later, or use another tool"
	if o.State == toolcrib.StateDisabled {
		hint = "use another tool"
	}
	return toolcrib.NewError(toolcrib.KindUnavailable,
		fmt.Sprintf("%q can't be reached: %s %s is not available: %s", clip(ref), kind, o.Server, o.Reason), hint)
}

func ambiguous(name string, tools []*toolcrib.Tool) error {
	const most = 20
	var ids []string
	for _, t := range tools[:min(len(tools), most)] {
		ids = append(ids, t.ID)
	}
	more := ""
	if len(tools) > most {
		more = fmt.Sprintf(" and %d more", len(tools)-most)
	}
	return toolcrib.NewError(toolcrib.KindAmbiguous,
		fmt.Sprintf("%d tools are named %q: %s%s", len(tools), clip(name), strings.Join(ids, ", "), more),
		"give the id instead of the name")
}

// clip bounds a foreign reference that is repeated in a message.
func clip(s string) string {
	if len(s) <= maxRef {
		return s
	}
	return strings.ToValidUTF8(s[:maxRef], "") + "…"
}
