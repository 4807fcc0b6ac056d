package schema

import "strings"

// nearest returns the candidate that word was probably meant to be, "" when
// none looks much like it. Ties go to the one that sorts first.
func nearest(word string, candidates []string) string {
	best, bestDistance := "", 0
	for _, candidate := range candidates {
		if candidate == word || len(candidate) > 4*maxShown || len(word) > 4*maxShown {
			continue
		}
		d := 0
		if plain(candidate) != plain(word) {
			d = distance(plain(word), plain(candidate))
		}
		if d > max(1, len(plain(word))/3, len(plain(candidate))/3) || d >= len(plain(word)) {
			continue
		}
		if best == "" || d < bestDistance || d == bestDistance && candidate < best {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// plain drops what separates the words of a name, and case.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(name))
}

// distance counts the letters to add, drop, change or swap to get from a to b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := [3][]int{make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, above, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{above, row, before}
	}
	return rows[1][len(y)]
}
