package gateway

import (
	"cmp"
	"math"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// maxLargest is how many of the largest tools are named.
const maxLargest = 10

// weight is a direct list with the size of each of its tools.
type weight struct {
	tools []weighed
	total int // bytes of the whole list
}

// weighed is one tool of it.
type weighed struct {
	tool  *toolcrib.Tool
	name  string // in the list
	bytes int
}

// weigh measures the tools of a direct list.
func weigh(plan *catalog.Catalog, visible []toolsearch.Visible) (weight, error) {
	var w weight
	var err error
	if w.total, err = size(visible); err != nil {
		return w, err
	}
	for _, v := range visible {
		t, ok := plan.Lookup(v.ID)
		if !ok {
			continue
		}
		bytes, err := size([]toolsearch.Visible{v})
		if err != nil {
			return w, err
		}
		w.tools = append(w.tools, weighed{t, v.Name, bytes - len(`[]`)})
	}
	return w, nil
}

// owners splits the list by owner, the largest first.
func (w weight) owners() []client.OwnerStats {
	at := map[string]int{}
	owners := []client.OwnerStats{}
	for _, t := range w.tools {
		i, known := at[t.tool.Owner]
		if !known {
			i = len(owners)
			at[t.tool.Owner] = i
			owners = append(owners, client.OwnerStats{Owner: t.tool.Owner})
		}
		owners[i].Tools++
		owners[i].Bytes += t.bytes
	}
	for i := range owners {
		owners[i].Tokens = tokens(owners[i].Bytes)
	}
	slices.SortFunc(owners, func(a, b client.OwnerStats) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Owner, b.Owner))
	})
	return owners
}

// bySize are the tools, the largest first.
func (w weight) bySize() []weighed {
	return slices.SortedFunc(slices.Values(w.tools), func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.tool.ID, b.tool.ID))
	})
}

// largest returns the n largest tools.
func (w weight) largest(n int) []client.ToolStats {
	var list []client.ToolStats
	for _, t := range w.bySize()[:min(n, len(w.tools))] {
		list = append(list, client.ToolStats{ID: t.tool.ID, Bytes: t.bytes, Tokens: tokens(t.bytes), Share: percent(t.bytes, w.total)})
	}
	return list
}

// percent is a share in percent, with one digit.
func percent(part, whole int) float64 {
	return math.Round(1000*float64(part)/float64(max(whole, 1))) / 10
}

// size is the length of a tool list's JSON. One tool is written at a time: a list
// of megabytes would be garbage as soon as it is counted.
func size(visible []toolsearch.Visible) (int, error) {
	n := len("[]")
	for i, v := range visible {
		text, err := v.MarshalJSON()
		if err != nil {
			return 0, err
		}
		if n += len(text); i > 0 {
			n += len(",")
		}
	}
	return n, nil
}
