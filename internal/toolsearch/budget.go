package toolsearch

import (
	"encoding/json"
	"fmt"
)

// Budgets of the search control's answers, in bytes; no answer has more
// characters than bytes.
const (
	searchBudget = 8000
	batchBudget  = 4000
	// largestHit is the most that one hit may take: a tool with an absurd name
	// is left out and doesn't push out the others.
	largestHit = 2600
	// Shares of the budget for what isn't hits.
	searchOutages, batchOutages = 1600, 600
	searchHintRoom              = 500
	batchQueryRoom              = 90
)

// searchAnswer is the JSON of one search.
type searchAnswer struct {
	Hits        []json.RawMessage `json:"hits"`
	Truncated   bool              `json:"truncated,omitempty"`
	Unavailable []Outage          `json:"unavailable,omitempty"`
	Hint        string            `json:"hint,omitempty"`
}

// batchAnswer is the JSON of several searches.
type batchAnswer struct {
	Results     []batchResult `json:"results"`
	Truncated   bool          `json:"truncated,omitempty"`
	Unavailable []Outage      `json:"unavailable,omitempty"`
	Hint        string        `json:"hint,omitempty"`
}

type batchResult struct {
	Query     string            `json:"query"`
	Hits      []json.RawMessage `json:"hits"`
	Truncated bool              `json:"truncated,omitempty"`
}

// searchText writes one search within its budget: hits are dropped from the
// end, whole, and then truncated is true.
func searchText(hits []Hit, down []Outage, hint string) string {
	a := searchAnswer{Hits: []json.RawMessage{}, Truncated: true, Unavailable: boundOutages(down, searchOutages), Hint: boundHint(hint)}
	room := searchBudget - len(encoded(a))
	a.Truncated = false
	for _, h := range hits {
		text := encoded(h)
		if len(text) > largestHit {
			a.Truncated = true
			continue
		}
		if room -= len(text) + 1; room < 0 {
			a.Truncated = true
			break
		}
		a.Hits = append(a.Hits, text)
	}
	return string(encoded(a))
}

// batchText writes several searches within one budget. The best hits of each
// go in first, so that no search takes the room of the others.
func batchText(found []Found, down []Outage, hint string) string {
	a := batchAnswer{Results: make([]batchResult, len(found)), Truncated: true, Unavailable: boundOutages(down, batchOutages), Hint: boundHint(hint)}
	most := 0
	for i, f := range found {
		a.Results[i] = batchResult{Query: boundText(f.Query, batchQueryRoom), Hits: []json.RawMessage{}, Truncated: true}
		most = max(most, len(f.Hits))
	}
	room := batchBudget - len(encoded(a))
	a.Truncated = false
	for i := range a.Results {
		a.Results[i].Truncated = false
	}
	for rank := range most {
		for i, f := range found {
			r := &a.Results[i]
			if rank >= len(f.Hits) || r.Truncated {
				continue
			}
			text := encoded(f.Hits[rank])
			if len(text) > largestHit || len(text)+1 > room {
				r.Truncated, a.Truncated = true, true
				continue
			}
			room -= len(text) + 1
			r.Hits = append(r.Hits, text)
		}
	}
	return string(encoded(a))
}

// boundOutages names as many servers as fit and says how many more are down.
func boundOutages(down []Outage, room int) []Outage {
	var out []Outage
	const rest = 60
	for i, o := range down {
		if size := len(encoded(o)) + 1; size > room-rest {
			return append(out, Outage{fmt.Sprintf("%d more", len(down)-i), "not available either"})
		} else {
			room -= size
		}
		out = append(out, o)
	}
	return out
}

func boundHint(hint string) string { return boundText(hint, searchHintRoom) }

// boundText makes one safe line of a text that takes at most room bytes of JSON.
func boundText(s string, room int) string {
	s = fold(safe(s), room)
	if len(encoded(s)) <= room {
		return s
	}
	return cutEncoded(s, room-len(`"…"`)) + "…"
}

// encoded is the JSON of a value that always has one, safe to put into a prompt.
func encoded(v any) json.RawMessage {
	text, err := encode(v)
	if err != nil { // only a broken raw message inside of v can do that
		return json.RawMessage(`null`)
	}
	return armour(text)
}
