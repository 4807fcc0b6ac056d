package toolsearch

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
)

// TestReadSearch is the documented reading of everything that models send.
func TestReadSearch(t *testing.T) {
	one := func(text string, limit int) asked { return asked{queries: []Query{{text, limit}}} }
	batch := func(queries ...Query) asked { return asked{queries: queries, batch: true} }
	for _, tt := range []struct {
		args string
		want asked
	}{
		{`{"query":"x"}`, one("x", 0)},
		{`{"query":"x","limit":5}`, one("x", 5)},
		{`{"query":"x","limit":"5"}`, one("x", 5)},
		{`{"query":"x","limit":5.0}`, one("x", 5)},
		{`{"query":"x","limit":1e2}`, one("x", 100)},
		{`{"query":"x","limit":1e999}`, one("x", math.MaxInt32)},
		{`{"query":"x","limit":null}`, one("x", 0)},
		{`{"query":"x","queries":null}`, one("x", 0)},
		{`{"query":"x","queries":[]}`, one("x", 0)},
		{`{"query":42}`, one("42", 0)},
		{`{"query":null}`, one("", 0)},
		{`{}`, one("", 0)},
		{`null`, one("", 0)},
		{``, one("", 0)},
		{`{"q":"x"}`, one("x", 0)},
		{`{"text":"x","max_results":3}`, one("x", 3)},
		{`{"q":{},"limit":2}`, asked{queries: []Query{{"", 2}}, remark: "there is no query in this; q is not read"}},
		{`"x y"`, one("x y", 0)},
		{`"{\"query\":\"x\"}"`, one("x", 0)},
		{`{"arguments":{"query":"x","limit":2}}`, one("x", 2)},
		{`{"input":"{\"query\":\"x\"}"}`, asked{queries: []Query{{"", 0}}, remark: "there is no query in this; input is not read"}},
		{`{"querry":"x"}`, asked{queries: []Query{{"", 0}}, remark: "there is no query in this; querry is not read"}},
		{`{"queries":[{"query":"a"},{"query":"b","limit":2}],"limit":3}`, batch(Query{"a", 3}, Query{"b", 2})},
		{`{"queries":["a","b"]}`, batch(Query{"a", 0}, Query{"b", 0})},
		{`{"queries":"a"}`, batch(Query{"a", 0})},
		{`{"queries":{"query":"a"}}`, batch(Query{"a", 0})},
		{`{"queries":"[\"a\",\"b\"]"}`, batch(Query{"a", 0}, Query{"b", 0})},
		{`{"queries":[{"q":"a","limit":"7"}]}`, batch(Query{"a", 7})},
		{`{"query":["a","b"]}`, batch(Query{"a", 0}, Query{"b", 0})},
		{`["a","b"]`, batch(Query{"a", 0}, Query{"b", 0})},
		{`{"query":"x","queries":[{"query":"a"}],"limit":4}`, batch(Query{"x", 4}, Query{"a", 4})},
		{`{"query":"a","queries":[{"query":"b"},{"query":"a","limit":1}]}`, batch(Query{"b", 0}, Query{"a", 1})},
		{`{"query":"","queries":["a"]}`, batch(Query{"a", 0})},
		{`{"query":"x","queries":[` + strings.Repeat(`"a",`, 15) + `"a"]}`, batch(append([]Query{{"x", 0}}, repeat(Query{"a", 0}, 16)...)...)},
	} {
		got, err := readSearch(json.RawMessage(tt.args))
		if err != nil {
			t.Errorf("%.80s: %v", tt.args, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(asked{})); diff != "" {
			t.Errorf("%.80s (-want +got):\n%s", tt.args, diff)
		}
	}
}

func repeat(q Query, n int) []Query {
	out := make([]Query, n)
	for i := range out {
		out[i] = q
	}
	return out
}

func TestReadSearchRefuses(t *testing.T) {
	for args, says := range map[string]string{
		`{"query":"x","limit":0}`:                             "limit must be a whole number of at least 1, not 0",
		`{"query":"x","limit":-3}`:                            "not -3",
		`{"query":"x","limit":2.5}`:                           "not 2.5",
		`{"query":"x","limit":"many"}`:                        `not "many"`,
		`{"query":"x","limit":"NaN"}`:                         `not "NaN"`,
		`{"query":"x","limit":""}`:                            `not ""`,
		`{"query":"x","limit":true}`:                          "not true",
		`{"query":"x","limit":[1]}`:                           "not [1]",
		`{"query":{"a":1}}`:                                   "query must be a string, not an object",
		`{"query":true}`:                                      "query must be a string, not a boolean",
		`{"queries":[{"query":{}}]}`:                          "search 1 of queries: query must be a string, not an object",
		`{"queries":["a",{"query":"b","limit":0}]}`:           "search 2 of queries: limit must be",
		`{"queries":[["a"]]}`:                                 "search 1 of queries: its input must be an object, not a list",
		`{"queries":7}`:                                       "search 1 of queries",
		`{"queries":[` + strings.Repeat(`"a",`, 16) + `"a"]}`: "queries holds 17 searches; at most 16",
		`7`: "its input must be an object, not a number",
		`{`: "must be an object",
	} {
		_, err := readSearch(json.RawMessage(args))
		if toolcrib.KindOf(err) != toolcrib.KindInput || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %v; want an input error that says %q", args, err, says)
		}
	}
}

// FuzzControls: whatever a model sends, each control answers one valid JSON
// text within its budget.
func FuzzControls(f *testing.F) {
	for _, seed := range []string{
		`{"query":"open issue","limit":3}`, `{"queries":["a",{"query":"b","limit":"2"}]}`, `{"id":"create_issue","args":{"title":"x"}}`,
		`{"id":" mcp:forge:create_issue ","arguments":"{\"title\":1}"}`, `"x"`, `[`, `{"id":{"id":1}}`, "{\"query\":\"\xff\u202e\"}", `{"limit":1e999}`,
		`{"arguments":{"input":{"params":{"args":{}}}}}`,
	} {
		f.Add(seed)
	}
	b := open(f, small(), ModeTools)
	f.Fuzz(func(t *testing.T, args string) {
		for _, name := range []string{SearchControl, DescribeControl, CallControl} {
			text, _ := b.ask(t, name, args)
			if text == "" || len(text) > searchBudget {
				t.Errorf("%s %q: %d bytes", name, args, len(text))
			}
		}
	})
}
