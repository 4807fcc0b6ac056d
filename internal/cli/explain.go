package cli

import (
	"encoding/json"
	"fmt"
	"strings"
)

// explanation is the account of one score, as the API's "explain" holds it. Keys
// that a later gateway adds are shown with --json.
type explanation struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
	Terms []struct {
		Word   string  `json:"word"`
		Term   string  `json:"term"`
		Match  string  `json:"match"`
		IDF    float64 `json:"idf"`
		Weight float64 `json:"weight"`
		Fields []struct {
			Field string `json:"field"`
			Count int    `json:"count"`
		} `json:"fields"`
		Value float64 `json:"value"`
	} `json:"terms"`
	Bonuses []struct {
		Reason string  `json:"reason"`
		Value  float64 `json:"value"`
	} `json:"bonuses"`
}

// printExplain writes the account of each score below the hits, the parts of a
// sum under the sum.
func (a *app) printExplain(raw json.RawMessage) error {
	var list []explanation
	if json.Unmarshal(raw, &list) != nil {
		a.out.printf("\n%s\n", a.out.shown(indented(raw)))
		return nil
	}
	for _, e := range list {
		a.out.printf("\n%12.3f  %s\n", e.Score, a.out.bold(folded(e.ID)))
		for _, t := range e.Terms {
			where := make([]string, 0, len(t.Fields))
			for _, f := range t.Fields {
				where = append(where, fmt.Sprintf("%s ×%d", f.Field, f.Count))
			}
			word := folded(t.Word)
			if t.Term != "" && t.Term != t.Word {
				word += " → " + folded(t.Term)
			}
			a.out.printf("  %12.3f  %s (%s): rarity %.2f, weight %.2f; %s\n", t.Value, word, t.Match, t.IDF, t.Weight, strings.Join(where, ", "))
		}
		for _, b := range e.Bonuses {
			a.out.printf("  %12.3f  %s\n", b.Value, folded(b.Reason))
		}
	}
	return nil
}
