package cli

import (
	"encoding/json"
	"testing"
)

func TestPairsAreReadByTheSchema(t *testing.T) {
	const schema = `{"type": "object", "$defs": {"label": {"type": "array", "items": {"type": "string"}}, "loop": {"$ref": "#/$defs/loop"}},
"properties": {
	"title": {"type": "string"}, "note": {"type": ["string", "null"]}, "state": {"enum": ["1", "2"]}, "fixed": {"const": "3"},
	"labels": {"type": "array", "items": {"type": "string"}}, "numbers": {"type": "array", "items": {"type": "integer"}}, "bare": {"type": "array"},
	"rows": {"type": "array", "items": {"type": "object"}}, "more": {"$ref": "#/$defs/label"}, "loop": {"$ref": "#/$defs/loop"},
	"far": {"$ref": "https://example.com/x"}, "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
	"either": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
	"size": {"type": "number"}, "count": {"type": "integer"}, "on": {"type": "boolean"}, "where": {"type": "object"},
	"id": {"type": ["integer", "string"]}, "any": {}, "odd": true
}}`
	for _, tt := range []struct{ key, value, want string }{
		{"title", "2026", `"2026"`},
		{"title", "true", `"true"`},
		{"title", `"quoted"`, `"\"quoted\""`},
		{"title", `{"a": 1}`, `"{\"a\": 1}"`},
		{"note", "1.5", `"1.5"`},
		{"state", "1", `"1"`},
		{"fixed", "3", `"3"`},
		{"maybe", "7", `"7"`},
		{"labels", "bug, urgent,", `["bug","urgent"]`},
		{"labels", "2026", `["2026"]`},
		{"labels", `["a", "b"]`, `["a", "b"]`},
		{"labels", "", `[]`},
		{"more", "1,2", `["1","2"]`},
		{"numbers", "1,2", `[1,2]`},
		{"numbers", "7", `[7]`},
		{"bare", "1,x", `[1,"x"]`},
		{"rows", `{"a": 1, "b": 2}`, `[{"a": 1, "b": 2}]`},
		{"either", "a,b", `["a","b"]`},
		{"either", `["a,b"]`, `["a,b"]`},
		{"size", "1.5", `1.5`},
		{"count", "3", `3`},
		{"count", "three", `"three"`},
		{"on", "true", `true`},
		{"where", `{"a": 1}`, `{"a": 1}`},
		{"id", "12", `12`},
		{"id", "twelve", `"twelve"`},
		{"any", "12", `12`},
		{"odd", "x", `"x"`},
		{"loop", "12", `12`},
		{"far", "12", `12`},
		{"unheard", "12", `12`},
	} {
		got, err := object([]pair{{tt.key, tt.value}}, json.RawMessage(schema))
		want := compact(t, []byte(`{"`+tt.key+`":`+tt.want+`}`))
		if err != nil || compact(t, got) != want {
			t.Errorf("%s=%s: got %s and %v, want %s", tt.key, tt.value, got, err, want)
		}
	}
}

func FuzzPairs(f *testing.F) {
	f.Add("a", "1,2", `{"properties": {"a": {"type": "array", "items": {"$ref": "#"}}}}`)
	f.Add("a", `{"b": [}`, `{"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}]}}}`)
	f.Add("a", "x", `{"properties": {"a": {"type": "array", "items": {"$ref": "#/properties/a"}}}}`)
	f.Add("a", "x", `{"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}, {"$ref": "#/properties/a"}, {"$ref": "#/properties/a"}]}}}`)
	f.Fuzz(func(t *testing.T, key, value, schema string) {
		got, err := object([]pair{{key, value}}, json.RawMessage(schema))
		if err != nil || !json.Valid(got) {
			t.Errorf("%q=%q: %s and %v", key, value, got, err)
		}
	})
}
