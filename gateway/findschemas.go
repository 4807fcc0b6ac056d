package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/schema"
)

// offence is one rule that tools of one owner break.
type offence struct {
	owner string
	first schema.Refusal
	where string // the first place
	tools int
}

// verdicts are what providers would say of the tools that direct mode sends.
type verdicts struct {
	offences map[string]*offence     // by owner and rule
	refused  map[schema.Provider]int // tools that are refused
	usual    map[schema.Provider]int // tools that programs mend
}

// schemas says which schemas model providers refuse, as direct mode would send
// them: one by one where a model is shown the tools themselves, else in numbers.
func (x *examiner) schemas(v view) []Finding {
	f := &findings{area: AreaSchemas}
	j := v.judge()
	switch {
	case len(j.offences) == 0:
		f.add(LevelOK, "no schema is one that a known provider refuses", "", "")
	case v.isDirect():
		f.several(2*maxAlike, j.findings())
	default:
		f.add(LevelNote, "in direct mode some schemas would be refused: "+perProvider(j.refused), "", "nothing in this mode, as a model isn't shown them")
	}
	if len(j.usual) > 0 && v.isDirect() {
		f.add(LevelNote, "some schemas have what programs commonly mend before they send it: "+perProvider(j.usual), "", "nothing, unless a program sends them as they are")
	}
	return f.list
}

// judge looks at every schema of the direct list.
func (v view) judge() verdicts {
	j := verdicts{map[string]*offence{}, map[schema.Provider]int{}, map[schema.Provider]int{}}
	for _, shown := range v.shown {
		t, ok := v.plan.Lookup(shown.ID)
		if !ok {
			continue
		}
		broken, refused, mended := map[string]bool{}, map[schema.Provider]bool{}, map[schema.Provider]bool{}
		for _, r := range schema.Refusals(shown.InputSchema) {
			by := refused
			if r.Usual {
				by = mended
			}
			for _, p := range r.Providers {
				by[p] = true
			}
			if key := t.Owner + " " + r.Rule; !r.Usual && !broken[key] {
				broken[key] = true
				j.note(key, t, r)
			}
		}
		for p := range refused {
			j.refused[p]++
		}
		for p := range mended {
			j.usual[p]++
		}
	}
	return j
}

// note counts a tool that breaks a rule.
func (j verdicts) note(key string, t *toolcrib.Tool, r schema.Refusal) {
	if j.offences[key] == nil {
		j.offences[key] = &offence{owner: t.Owner, first: r, where: strings.TrimSpace(t.ID + " " + r.Path)}
	}
	j.offences[key].tools++
}

// findings are those of the offences, the ones of most tools first.
func (j verdicts) findings() []Finding {
	var list []Finding
	for _, o := range slices.SortedFunc(maps.Values(j.offences), func(a, b *offence) int {
		return cmp.Or(cmp.Compare(b.tools, a.tools), cmp.Compare(a.owner, b.owner), cmp.Compare(a.first.Rule, b.first.Rule))
	}) {
		what := fmt.Sprintf("%s of %s would be refused by %s: %s", count(o.tools, "tool"), o.owner, providers(o.first.Providers), o.first.Says())
		list = append(list, Finding{LevelWarning, AreaSchemas, what, o.where, "with such a model let tools be searched (toolcrib config set tools.toolSearch auto), or deny the tool, and tell the server's makers"})
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

// perProvider is "gemini 3 tools, openai 5 tools".
func perProvider(counts map[schema.Provider]int) string {
	var words []string
	for _, p := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%s %s", p, count(counts[p], "tool")))
	}
	return strings.Join(words, ", ")
}
