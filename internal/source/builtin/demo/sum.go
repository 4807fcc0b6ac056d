package demo

import (
	"math"
	"slices"
	"strings"
)

// group is a name and a sum.
type group struct {
	name  string
	sum   float64
	count int
}

// sums adds up a value by the text of a column. Groups are sorted by name.
func sums(rows []record, column string, value func(record) float64) (total float64, groups []group) {
	for _, r := range rows {
		v, name := value(r), r.str(column)
		total += v
		i := slices.IndexFunc(groups, func(g group) bool { return g.name == name })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{name: name})
		}
		groups[i].sum += v
		groups[i].count++
	}
	slices.SortFunc(groups, func(a, b group) int { return strings.Compare(a.name, b.name) })
	return total, groups
}

// named writes groups as records with these two keys.
func named(groups []group, name, sum string) []record {
	all := []record{}
	for _, g := range groups {
		all = append(all, record{name: g.name, sum: cents(g.sum)})
	}
	return all
}

// cents rounds to two decimals.
func cents(v float64) float64 { return math.Round(v*100) / 100 }

// wobble is a repeatable number from 0 to 1 that looks random: seed data for
// weather, metrics and the like. It is the start of an FNV-1a hash.
func wobble(parts ...string) float64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(strings.Join(parts, "\x00")) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 32
	return float64(h>>11) / (1 << 53)
}

// sorted returns the records in another order.
func sorted(rows []record, by func(a, b record) int) []record {
	slices.SortFunc(rows, by)
	return rows
}
