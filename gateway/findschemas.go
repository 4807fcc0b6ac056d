package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib/internal/schema"
)

// offence is one rule that tools of one owner break.
type offence struct {
	owner string
	first schema.Refusal
	where string // the first place
	tools int
}

// schemas says which schemas model providers refuse, as direct mode would send them.
func (x *examiner) schemas(v view) []Finding {
	f := &findings{area: AreaSchemas}
	byID := map[string]weighed{}
	for _, t := range v.direct.tools {
		byID[t.tool.ID] = t
	}
	offences, usual := map[string]*offence{}, map[schema.Provider]int{}
	for _, shown := range v.shown {
		t, ok := byID[shown.ID]
		if !ok {
			continue
		}
		broken, mended := map[string]bool{}, map[schema.Provider]bool{}
		for _, r := range schema.Refusals(shown.InputSchema) {
			if r.Usual {
				mended[r.Providers[0]] = true
				continue
			}
			key := t.tool.Owner + " " + r.Rule
			o := offences[key]
			if o == nil {
				o = &offence{owner: t.tool.Owner, first: r, where: strings.TrimSpace(t.tool.ID + " " + r.Path)}
				offences[key] = o
			}
			if !broken[key] {
				broken[key] = true
				o.tools++
			}
		}
		for p := range mended {
			usual[p]++
		}
	}
	f.several(2*maxAlike, x.offences(v, offences))
	if len(usual) > 0 {
		f.add(LevelNote, "some schemas have what programs commonly mend before they send it: "+perProvider(usual), "", "nothing, unless a program sends them as they are")
	}
	if len(offences) == 0 && len(v.shown) > 0 {
		f.add(LevelOK, "no schema is one that a known provider refuses", "", "")
	}
	return f.list
}

// offences are the findings, those of most tools first. They matter where a model
// is shown the tools themselves.
func (x *examiner) offences(v view, all map[string]*offence) []Finding {
	level := LevelNote
	if v.isDirect() {
		level = LevelWarning
	}
	var list []Finding
	for _, o := range slices.SortedFunc(maps.Values(all), func(a, b *offence) int {
		return cmp.Or(cmp.Compare(b.tools, a.tools), cmp.Compare(a.owner, b.owner), cmp.Compare(a.first.Rule, b.first.Rule))
	}) {
		what := fmt.Sprintf("%s of %s would be refused by %s: %s", count(o.tools, "tool"), o.owner, providers(o.first.Providers), o.first.Says())
		do := "it matters in direct mode alone"
		if level == LevelWarning {
			do = "with such a model let tools be searched (toolcrib config set tools.toolSearch auto), or deny the tool, and tell the server's makers"
		}
		list = append(list, Finding{level, AreaSchemas, what, o.where, do})
	}
	return list
}

// providers names providers in a sentence.
func providers(list []schema.Provider) string {
	var names []string
	for _, p := range list {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// perProvider is "gemini 3 tools, openai-strict 5 tools".
func perProvider(counts map[schema.Provider]int) string {
	var words []string
	for _, p := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%s %s", p, count(counts[p], "tool")))
	}
	return strings.Join(words, ", ")
}
