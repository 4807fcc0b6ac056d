package search

import "github.com/toolcrib/toolcrib"

// Explanation says how the score of one hit came about.
type Explanation struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// Explain returns the account of each hit that Search would return.
func (x *Index) Explain(query string, limit int) []Explanation {
	var out []Explanation
	for _, h := range x.Search(query, limit) {
		out = append(out, Explanation{h.Tool.ID, h.Score})
	}
	return out
}

// Suggest returns up to n likely ids for an unknown reference.
func (x *Index) Suggest(name string, n int) []string {
	if _, _, bare, err := toolcrib.ParseID(name); err == nil {
		name = bare
	}
	var out []string
	for _, h := range x.Search(name, n) {
		out = append(out, h.Tool.ID)
	}
	return out
}
