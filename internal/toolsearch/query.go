package toolsearch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Query is one thing to look for. Limit 0 means the default.
type Query struct {
	Text  string
	Limit int
}

const (
	maxQueries    = 16   // searches of one call
	maxQueryBytes = 2000 // of a query's text; what is beyond is not read
)

// asked is a search as a model wants it.
type asked struct {
	queries []Query
	batch   bool   // answered as results, not as hits
	remark  string // what was odd about the input, "" for nothing
}

// readSearch reads the input of the search control. Every input that fits its
// schema has a reading:
//   - query alone, or none: one search. No query finds nothing.
//   - queries: a batch, in order. An item may be a string. A single object or
//     string stands for a list of one, a string that holds a list for that list,
//     an empty list for none.
//   - query beside queries: the batch, with query as its first search unless
//     it is one of them.
//   - query as a list: the same as queries.
//   - limit: for every search that has none of its own. "5" is 5, null is none.
func readSearch(raw json.RawMessage) (asked, error) {
	in, err := readInput(SearchControl, searchFields, bareQuery(raw))
	if err != nil {
		return asked{}, err
	}
	if isList(in.values["query"]) && in.values["queries"] == nil {
		in.values["queries"] = in.values["query"]
		delete(in.values, "query")
	}
	limit, err := in.count(SearchControl, "limit")
	if err != nil {
		return asked{}, err
	}
	text, err := in.text(SearchControl, "query")
	if err != nil {
		return asked{}, err
	}
	a := asked{}
	if a.queries, err = readQueries(in.values["queries"], limit); err != nil {
		return asked{}, err
	}
	a.batch = len(a.queries) > 0
	same := slices.ContainsFunc(a.queries, func(q Query) bool { return q.Text == text })
	if !a.batch || (strings.TrimSpace(text) != "" && !same) {
		a.queries = slices.Insert(a.queries, 0, Query{text, limit})
	}
	if text == "" && !a.batch && len(in.beside) > 0 {
		a.remark = fmt.Sprintf("there is no query in this; %s is not read", clipText(slices.Sorted(maps.Keys(in.beside))[0], 40))
	}
	return a, nil
}

// bareQuery makes an input of a string or a list that was sent in place of one.
func bareQuery(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	var s string
	if isList(raw) || (json.Unmarshal(raw, &s) == nil && s != "" && !strings.HasPrefix(strings.TrimSpace(s), "{")) {
		return slices.Concat([]byte(`{"query":`), raw, []byte(`}`))
	}
	return raw
}

// readQueries reads the searches of a batch.
func readQueries(raw json.RawMessage, limit int) ([]Query, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if inner := strings.TrimSpace(text); (isList(json.RawMessage(inner)) || strings.HasPrefix(inner, "{")) && json.Valid([]byte(inner)) {
			raw = json.RawMessage(inner)
		}
	}
	if len(raw) == 0 {
		return nil, nil
	}
	items := []json.RawMessage{raw}
	if isList(raw) {
		items = nil
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, badInput(SearchControl, "queries is not JSON", "")
		}
	}
	if len(items) > maxQueries {
		return nil, badInput(SearchControl, fmt.Sprintf("queries holds %d searches; at most %d go together", len(items), maxQueries), "send them in several calls")
	}
	var out []Query
	for i, item := range items {
		q, err := readQuery(item, limit)
		if err != nil {
			return nil, badInput(SearchControl, fmt.Sprintf("search %d of queries: %s", i+1, strings.TrimPrefix(err.Error(), SearchControl+": ")), "")
		}
		out = append(out, q)
	}
	return out, nil
}

// readQuery reads one search of a batch.
func readQuery(item json.RawMessage, limit int) (Query, error) {
	var text string
	if json.Unmarshal(item, &text) == nil {
		return Query{text, limit}, nil
	}
	in, err := readInput(SearchControl, queryFields, item)
	if err != nil {
		return Query{}, err
	}
	if text, err = in.text(SearchControl, "query"); err != nil {
		return Query{}, err
	}
	own, err := in.count(SearchControl, "limit")
	if err != nil {
		return Query{}, err
	}
	if own == 0 {
		own = limit
	}
	return Query{text, own}, nil
}

func isList(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '['
}
