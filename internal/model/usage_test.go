package model

import (
	"encoding/json"
	"testing"
)

func TestUsageAddsUp(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{``, `{"x":1}`, `{"x":1}`},
		{`{"x":1}`, `null`, `{"x":1}`},
		{
			`{"prompt_tokens":10,"details":{"cached":4,"who":"a"},"only":7}`, `{"prompt_tokens":5,"details":{"cached":1,"who":"b","new":3},"cost":0.1}`,
			`{"prompt_tokens":15,"details":{"cached":5,"who":"b","new":3},"only":7,"cost":0.1}`,
		},
		{`{"cost":0.1}`, `{"cost":0.2}`, `{"cost":0.3}`},
		{`{"x":null}`, `{"x":2}`, `{"x":2}`},
		{`{"x":2}`, `{"x":null}`, `{"x":2}`},
		{`{"x":1}`, `{"x":2,"x":5}`, `{"x":3}`},
		{`{"x":[1]}`, `{"x":[2]}`, `{"x":[2]}`},
		{`{"x":1e999999999}`, `{"x":1}`, `{"x":1}`},
	} {
		got := Usage{Input: 1, Output: 2, Raw: json.RawMessage(c.a)}.Add(Usage{Input: 3, Output: 4, Cached: 1, Raw: json.RawMessage(c.b)})
		if string(got.Raw) != c.want || got.Total() != 10 || got.Cached != 1 {
			t.Errorf("%s and %s are %s (%d), want %s", c.a, c.b, got.Raw, got.Total(), c.want)
		}
	}
}

// Whatever a provider says of its usage, the sum is JSON.
func FuzzUsage(f *testing.F) {
	f.Add(`{"a":1,"b":{"c":2.5}}`, `{"b":{"c":1e3},"a":"x"}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if !json.Valid([]byte(a)) || !json.Valid([]byte(b)) {
			return
		}
		if sum := (Usage{Raw: json.RawMessage(a)}).Add(Usage{Raw: json.RawMessage(b)}); !json.Valid(sum.Raw) {
			t.Fatalf("%s and %s are %s", a, b, sum.Raw)
		}
	})
}
