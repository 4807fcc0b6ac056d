package toolsearch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// Show returns the tools that a model would see of a catalog in a mode, for
// measuring them. Mode directory's own text is Directory's.
func Show(c *catalog.Catalog, m Mode) []Visible {
	visible, _, _ := expose(c, m, false, DirectoryOptions{})
	return visible
}

// expose returns what a mode shows of a catalog: controls first, then the tools
// in the order of their names, and a warning for each one that can't be shown.
func expose(c *catalog.Catalog, m Mode, split bool, d DirectoryOptions) (visible []Visible, n names, warnings []string) {
	for _, control := range controlsOf(m, split) {
		visible = append(visible, control.visible(c))
	}
	n = shownNames(c, m)
	if m == ModeDirectory && d.InControl {
		visible[0].Description = d.within(visible[0].Description, newDirectory(c, d.Untrusted, n))
	}
	var direct []Visible
	for _, t := range shownTools(c, m) {
		v, err := show(t, n.byID[t.ID])
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("tool %s is not shown: %v", t.ID, err))
			continue
		}
		direct = append(direct, v)
	}
	slices.SortFunc(direct, func(a, b Visible) int { return cmp.Compare(a.Name, b.Name) })
	return append(visible, direct...), n, warnings
}

// shownTools returns the tools that a mode shows directly.
func shownTools(c *catalog.Catalog, m Mode) []*toolcrib.Tool {
	if controlsOf(m, false) == nil {
		return slices.Collect(c.All())
	}
	shown := c.Direct()
	for _, g := range c.Groups() {
		if m == ModeDirectory && g.Source == toolcrib.SourceClient {
			shown = slices.Clone(shown)
			for i := range g.Tools {
				shown = append(shown, &g.Tools[i])
			}
		}
	}
	return shown
}

// shownNames names the tools that a mode shows directly.
func shownNames(c *catalog.Catalog, m Mode) names {
	taken := slices.Clone(splitNames)
	for _, control := range controlsOf(m, false) {
		taken = append(taken, control.name)
	}
	return nameTools(slices.Concat(shownTools(c, m), away(c, m)), c.Prefix, taken)
}

// away returns the tools that the mode would show if their servers were up, so
// that names stay the same and a call of one can be told why it fails.
func away(c *catalog.Catalog, m Mode) []*toolcrib.Tool {
	var out []*toolcrib.Tool
	for t := range c.Away() {
		if m == ModeDirect || t.CatalogMode == toolcrib.CatalogDirectOnly {
			out = append(out, t)
		}
	}
	return out
}

// show makes a tool visible under a name.
func show(t *toolcrib.Tool, name string) (Visible, error) {
	input, err := displaySchema(t.Parameters)
	if err != nil {
		return Visible{}, err
	}
	v := Visible{
		Name: name, Title: cmp.Or(t.Label, t.Annotations.Title), Description: t.Description, InputSchema: input,
		Annotations: t.Annotations, ID: t.ID,
	}
	if !t.TrustsOutput() { // somebody else wrote its texts
		v.Title, v.Description = safe(v.Title), safe(v.Description)
		v.Annotations.Title = safe(v.Annotations.Title)
	}
	if kindName(t.Meta) == "an object" && json.Valid(t.Meta) {
		v.Meta = t.Meta
	}
	if t.TrustsOutput() && describesObject(t.OutputSchema) {
		v.OutputSchema = t.OutputSchema
	}
	return v, nil
}

// describesObject reports whether a schema is one that MCP takes as an output
// schema: its root has the type object.
func describesObject(schema json.RawMessage) bool {
	var root struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(schema, &root) == nil && root.Type == "object"
}
