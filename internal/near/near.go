// Package near finds the word that somebody most likely meant. It doesn't know
// what the words are: keys, names, ids.
package near

import "strings"

// Word returns the word that is closest to name, "" when all are too far. Case
// does not count.
func Word(name string, words []string) string {
	best, far := "", max(2, len(name)/3)+1
	for _, w := range words {
		if d := Distance(strings.ToLower(name), strings.ToLower(w)); d < far && d < len(w) {
			best, far = w, d
		}
	}
	return best
}

// Distance counts the insertions, deletions, replacements and swaps of
// neighbours between a and b (optimal string alignment), by bytes. Words of more
// than 80 bytes count as 80 apart.
func Distance(a, b string) int {
	if len(a) > 80 || len(b) > 80 {
		return 80
	}
	before, prev := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := prev[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, prev[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(b)]
}
