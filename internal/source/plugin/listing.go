package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/plugin"
	"github.com/toolcrib/toolcrib/internal/schema"
)

// made is what a manifest makes of a program's list.
type made struct {
	tools       []toolcrib.Tool // by name
	fingerprint string
	warnings    []string
}

// listing is a program's listing as the plugin's.
func (p *present) listing(l toolcrib.Listing) toolcrib.Listing {
	out := toolcrib.Listing{Source: toolcrib.SourcePlugin, Owner: p.ID, State: l.State, Reason: l.Reason, Known: l.Known}
	m := p.make(l)
	out.Tools, out.Fingerprint = m.tools, m.fingerprint
	return out
}

// make translates a program's list, once for each that it has.
func (p *present) make(l toolcrib.Listing) *made {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := fmt.Sprint(l.Known, l.Fingerprint)
	if p.made == nil || p.from != from {
		m := translate(p.Manifest, l.Tools, l.Known)
		p.from, p.made = from, &m
	}
	return p.made
}

// translate is what a manifest makes of the tools of its program. known is false
// when those are not known yet.
func translate(m *plugin.Manifest, listed []toolcrib.Tool, known bool) made {
	var out made
	if !m.Declared {
		for _, t := range listed {
			out.tools = append(out.tools, own(m.ID, t))
		}
	}
	for _, d := range m.Tools {
		i, ok := slices.BinarySearchFunc(listed, d.Name, func(t toolcrib.Tool, name string) int { return strings.Compare(t.Name, name) })
		switch {
		case ok:
			out.tools = append(out.tools, declared(d, own(m.ID, listed[i])))
		case known:
			out.warnings = append(out.warnings, fmt.Sprintf("tool %q is declared in %s, and the program doesn't offer it: it is left out", d.Name, plugin.File))
		}
	}
	for i := range out.tools {
		out.warnings = append(out.warnings, doubts(&out.tools[i])...)
	}
	hash := sha256.New()
	for _, t := range out.tools {
		fmt.Fprintf(hash, "%q %q %q %q %q %q %q %q %q %t\n", t.Name, t.Label, t.Description, t.Parameters, t.OutputSchema, t.Meta, hints(t.Annotations), t.CatalogMode, t.ExecutionMode, t.OwnerOnly)
	}
	out.fingerprint = hex.EncodeToString(hash.Sum(nil)[:16])
	return out
}

// hints are annotations as values that can be printed.
func hints(a toolcrib.Annotations) [4]string {
	word := func(b *bool) string {
		if b == nil {
			return ""
		}
		return fmt.Sprint(*b)
	}
	return [4]string{word(a.ReadOnly), word(a.Destructive), word(a.Idempotent), a.Title + word(a.OpenWorld)}
}

// own is a program's tool as the plugin's.
func own(id string, t toolcrib.Tool) toolcrib.Tool {
	t.Source, t.Owner, t.ID = toolcrib.SourcePlugin, id, toolcrib.MakeID(toolcrib.SourcePlugin, id, t.Name)
	t.Trusted = true
	return t
}

// declared lays a declaration over a tool.
func declared(d plugin.Tool, t toolcrib.Tool) toolcrib.Tool {
	if d.Annotations != nil {
		t.Annotations = *d.Annotations
		t.Label = d.Annotations.Title
	}
	if d.Title != "" {
		t.Label = d.Title
	}
	if d.Description != "" {
		t.Description = d.Description
	}
	if d.Parameters != nil {
		t.Parameters = d.Parameters
	}
	if d.OutputSchema != nil {
		t.OutputSchema = d.OutputSchema
	}
	t.CatalogMode, t.ExecutionMode, t.OwnerOnly = d.CatalogMode, d.ExecutionMode, d.OwnerOnly
	return t
}

// doubts are warnings about schemas that every call of the tool will fail at.
func doubts(t *toolcrib.Tool) (warnings []string) {
	if t.Parameters != nil {
		if _, err := schema.Compile(t.Parameters); err != nil {
			warnings = append(warnings, fmt.Sprintf("tool %q: its parameters are no usable schema, so each call is refused: %v", t.Name, err))
		}
	}
	if t.OutputSchema != nil {
		if _, err := schema.Compile(t.OutputSchema); err != nil {
			warnings = append(warnings, fmt.Sprintf("tool %q: its outputSchema is no usable schema, so each call is refused: %v", t.Name, err))
		}
	}
	return warnings
}
