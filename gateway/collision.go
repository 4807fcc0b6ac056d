package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib/internal/glob"
)

// namesakes are tools of different ids whose names are alike but for case.
type namesakes struct {
	tools  []weighed // by id
	exact  bool      // the names are the same
	within bool      // several are of one owner
}

// owners names the owners of the tools, each once.
func (n namesakes) owners() string {
	var owners []string
	for _, t := range n.tools {
		owners = append(owners, t.tool.Owner)
	}
	return strings.Join(slices.Compact(owners), ", ")
}

// collisions names the tools that share a name, together for the same servers,
// and those whose names differ in case only, which come first.
func (w weight) collisions() []Finding {
	byName := map[string][]weighed{}
	for _, t := range w.tools {
		key := glob.Fold(t.tool.Name)
		byName[key] = append(byName[key], t)
	}
	var list []Finding
	shared := map[string][]namesakes{} // by owners
	for _, key := range slices.Sorted(maps.Keys(byName)) {
		if len(byName[key]) < 2 {
			continue
		}
		if n := namesakesOf(byName[key]); n.exact {
			shared[n.owners()] = append(shared[n.owners()], n)
		} else {
			list = append(list, n.odd())
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(b.Level, a.Level) }) // "warning" before "note"
	for _, owners := range slices.Sorted(maps.Keys(shared)) {
		list = append(list, alike(owners, shared[owners]))
	}
	return list
}

func namesakesOf(tools []weighed) namesakes {
	slices.SortFunc(tools, func(a, b weighed) int { return cmp.Compare(a.tool.ID, b.tool.ID) })
	n := namesakes{tools: tools, exact: true}
	for i, t := range tools[1:] {
		n.exact = n.exact && t.tool.Name == tools[0].tool.Name
		n.within = n.within || t.tool.Owner == tools[i].tool.Owner
	}
	return n
}

// odd is the finding about names that differ in case only.
func (n namesakes) odd() Finding {
	var ids, names []string
	for _, t := range n.tools {
		ids, names = append(ids, t.tool.ID), append(names, t.name)
	}
	f := Finding{
		Level: LevelNote, Area: AreaTools, What: "tools of " + n.owners() + " have names that differ in case only", Where: strings.Join(ids, ", "),
		Do: "direct mode names them " + strings.Join(names, ", ") + "; elsewhere call them by their ids",
	}
	if n.within {
		f.Level, f.Do = LevelWarning, "patterns of allow and deny can't tell them apart; "+f.Do
	}
	return f
}

// alike is the finding about names that the same servers share.
func alike(owners string, all []namesakes) Finding {
	const shown = 3
	var names, sample []string
	for _, n := range all {
		names = append(names, n.tools[0].tool.Name)
	}
	for _, t := range all[0].tools {
		sample = append(sample, t.name)
	}
	list := strings.Join(names[:min(len(names), shown)], ", ")
	if more := len(names) - shown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return Finding{
		Level: LevelNote, Area: AreaTools, What: fmt.Sprintf("%s of the same name in servers %s: %s", count(len(all), "tool"), owners, list),
		Do: "direct mode tells them apart, as " + strings.Join(sample, ", ") + "; elsewhere call them by their ids",
	}
}
