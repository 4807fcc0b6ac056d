package plugin

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/source/mcp"
)

// Status is the condition of one plugin's program, for people. Name is the plugin's
// id, and Tools counts those that are offered.
type Status struct {
	mcp.Status
	// Names are those of the tools.
	Names []string
}

// Status returns the condition of each plugin, in the order of their ids. It waits
// for nothing.
func (s *Source) Status() []Status {
	programs := map[string]mcp.Status{}
	for _, one := range s.programs.Status() {
		programs[one.Name] = one
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	listed := map[string]toolcrib.Listing{}
	for _, l := range s.Listings(done, toolcrib.Scope{}) {
		listed[l.Owner] = l
	}
	all := *s.present.Load()
	out := make([]Status, 0, len(all))
	for _, id := range slices.Sorted(maps.Keys(all)) {
		now := Status{Status: programs[id]}
		l := listed[id]
		now.Name, now.State = id, cmp.Or(now.State, l.State, toolcrib.StateStarting)
		for _, t := range l.Tools {
			now.Names = append(now.Names, t.Name)
		}
		now.Tools = len(now.Names)
		now.Warnings = slices.Concat(now.Warnings, all[id].warnings())
		out = append(out, now)
	}
	return out
}

// warnings are about what was made of the program's list last.
func (p *present) warnings() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		return nil
	}
	return p.made.warnings
}

// Probe tries a plugin's program by a process of its own, as mcp.Probe does. The
// report's tools are those that the plugin would offer.
func Probe(ctx context.Context, p Plugin, o Options) mcp.Report {
	if p.Command == "" {
		return mcp.Report{Server: p.ID, Transport: "none"}
	}
	r := mcp.Probe(ctx, p.server(), mcp.Options{Environ: o.Environ, Redact: o.Redact, Version: o.Version})
	if r.OK() {
		m := translate(p.Manifest, r.Tools, true)
		r.Tools, r.Warnings = m.tools, slices.Concat(r.Warnings, m.warnings)
	}
	return r
}
