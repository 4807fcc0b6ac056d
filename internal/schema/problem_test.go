package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/schema"
)

func compiled(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(text))
	if err != nil {
		t.Fatalf("Compile(%s): %v", text, err)
	}
	return s
}

const issueSchema = `{
	"type": "object",
	"properties": {
		"title": {"type": "string", "minLength": 1},
		"state": {"enum": ["open", "closed"]},
		"limit": {"type": "integer", "minimum": 1, "maximum": 50},
		"labels": {"type": "array", "items": {"type": "string"}},
		"draft": {"type": "boolean"},
		"assignee": {"anyOf": [{"type": "string"}, {"type": "null"}]},
		"filter": {"type": "object", "properties": {"since": {"type": "string"}, "depth": {"type": "number"}}, "additionalProperties": false}
	},
	"required": ["title"],
	"additionalProperties": false
}`

func TestValidate(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		name, schema, value string
		want                []schema.Problem
	}{
		{"fits", issueSchema, `{"title":"a","limit":5.0,"assignee":null}`, nil},
		{"missing", issueSchema, `{}`, []schema.Problem{{Kind: schema.Missing, Message: `missing "title"`}}},
		{"null for an object", issueSchema, ``, []schema.Problem{{Kind: schema.Mistyped, Message: `the value must be an object, got null`}}},
		{
			"mistyped", issueSchema, `{"title":"a","limit":"5"}`,
			[]schema.Problem{{Path: "/limit", Kind: schema.Mistyped, Message: `"limit" must be an integer, got string "5"`}},
		},
		{
			"not whole", issueSchema, `{"title":"a","limit":2.5}`,
			[]schema.Problem{{Path: "/limit", Kind: schema.Mistyped, Message: `"limit" must be an integer, got number 2.5`}},
		},
		{"misspelt and missing", issueSchema, `{"titel":"a"}`, []schema.Problem{
			{Kind: schema.Missing, Message: `missing "title": did you mean it by "titel"?`, Suggestion: "title"},
			{Path: "/titel", Kind: schema.Misspelt, Message: `unknown property "titel": did you mean "title"?`, Suggestion: "title"},
		}},
		{
			"forbidden", issueSchema, `{"title":"a","zebra":1}`,
			[]schema.Problem{{Path: "/zebra", Kind: schema.Forbidden, Message: `unknown property "zebra"`}},
		},
		{
			"used names are not suggested", issueSchema, `{"title":"a","titel":"b"}`,
			[]schema.Problem{{Path: "/titel", Kind: schema.Forbidden, Message: `unknown property "titel"`}},
		},
		{
			"enum", issueSchema, `{"title":"a","state":"opened"}`,
			[]schema.Problem{{Path: "/state", Kind: schema.Other, Message: `"state" must be one of "open", "closed", got string "opened"`, Suggestion: "open"}},
		},
		{
			"range", issueSchema, `{"title":"a","limit":500}`,
			[]schema.Problem{{Path: "/limit", Kind: schema.Other, Message: `"limit" must be at most 50`}},
		},
		{
			"length", issueSchema, `{"title":""}`,
			[]schema.Problem{{Path: "/title", Kind: schema.Other, Message: `"title" must have at least 1 characters, has 0`}},
		},
		{
			"inside a list", issueSchema, `{"title":"a","labels":["x",7]}`,
			[]schema.Problem{{Path: "/labels/1", Kind: schema.Mistyped, Message: `"1" in /labels must be a string, got number 7`}},
		},
		{"inside an object", issueSchema, `{"title":"a","filter":{"sinse":"x","depth":[]}}`, []schema.Problem{
			{Path: "/filter/sinse", Kind: schema.Misspelt, Message: `unknown property "sinse" in /filter: did you mean "since"?`, Suggestion: "since"},
			{Path: "/filter/depth", Kind: schema.Mistyped, Message: `"depth" in /filter must be a number, got an array`},
		}},
		{
			"union of types", issueSchema, `{"title":"a","assignee":3}`,
			[]schema.Problem{{Path: "/assignee", Kind: schema.Mistyped, Message: `"assignee" must be a string or null, got number 3`}},
		},
		{
			"long value", issueSchema, `{"title":"a","limit":"` + long + `"}`,
			[]schema.Problem{{Path: "/limit", Kind: schema.Mistyped, Message: `"limit" must be an integer, got string "` + long[:60] + `…"`}},
		},
		{
			"long name", issueSchema, `{"title":"a","` + long + `":1}`,
			[]schema.Problem{{Path: "/" + long, Kind: schema.Forbidden, Message: `unknown property "` + long[:60] + `…"`}},
		},
		{"not JSON", issueSchema, `{"title"`, []schema.Problem{{Kind: schema.Other, Message: `the value can't be read: unexpected EOF`}}},
		{
			"number out of range", issueSchema, `{"title":"a","limit":1e999999999}`,
			[]schema.Problem{{Kind: schema.Other, Message: `the number 1e999999999 is out of range`}},
		},
		{
			"case and separators", `{"properties":{"user_id":{}},"additionalProperties":false}`, `{"userId":1}`,
			[]schema.Problem{{Path: "/userId", Kind: schema.Misspelt, Message: `unknown property "userId": did you mean "user_id"?`, Suggestion: "user_id"}},
		},
		{
			"open, missing and misspelt", `{"properties":{"title":{}},"required":["title"]}`, `{"titel":1,"other":2}`,
			[]schema.Problem{{Kind: schema.Missing, Message: `missing "title": did you mean it by "titel"?`, Suggestion: "title"}},
		},
		{
			"names through a reference", `{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"colour":{}},"additionalProperties":false}}}`, `{"color":1}`,
			[]schema.Problem{{Path: "/color", Kind: schema.Misspelt, Message: `unknown property "color": did you mean "colour"?`, Suggestion: "colour"}},
		},
		{
			"const", `{"properties":{"v":{"const":1}}}`, `{"v":2}`,
			[]schema.Problem{{Path: "/v", Kind: schema.Other, Message: `"v" must be 1, got number 2`}},
		},
		{
			"union of consts", `{"oneOf":[{"const":"a"},{"const":"b"}]}`, `"c"`,
			[]schema.Problem{{Kind: schema.Other, Message: `the value must be one of "a", "b", got string "c"`}},
		},
		{
			"best form of a union", `{"oneOf":[
			{"type":"object","properties":{"kind":{"const":"mail"},"to":{"type":"string"}},"required":["kind","to"]},
			{"type":"object","properties":{"kind":{"const":"call"},"number":{"type":"string"}},"required":["kind","number"]}]}`,
			`{"kind":"call"}`,
			[]schema.Problem{{Kind: schema.Missing, Message: `missing "number"`}},
		},
		{
			"several forms", `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1,"b":2}`,
			[]schema.Problem{{Kind: schema.Other, Message: `the value fits several forms of which only one may hold`}},
		},
		{"not", `{"not":{"required":["a"]}}`, `{"a":1}`, []schema.Problem{{Kind: schema.Other, Message: `the value is not valid`}}},
		{"false", `{"properties":{"a":false}}`, `{"a":1}`, []schema.Problem{{Path: "/a", Kind: schema.Forbidden, Message: `"a" is not allowed`}}},
		{
			"unevaluated", `{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"a":1,"b":1}`,
			[]schema.Problem{{Path: "/b", Kind: schema.Forbidden, Message: `"b" is not allowed`}},
		},
		{
			"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`,
			[]schema.Problem{{Kind: schema.Missing, Message: `missing "b", which "a" requires`}},
		},
		{
			"pattern", `{"properties":{"a":{"pattern":"^[a-z]+$"}}}`, `{"a":"1"}`,
			[]schema.Problem{{Path: "/a", Kind: schema.Other, Message: `"a" must match the pattern "^[a-z]+$"`}},
		},
		{"format is not enforced", `{"$schema":"http://json-schema.org/draft-07/schema#","format":"email"}`, `"nobody"`, nil},
		{"lookahead is not enforced", `{"pattern":"^(?!x)"}`, `"x"`, nil},
		{"nullable", `{"properties":{"a":{"type":"string","nullable":true,"enum":["x"]}}}`, `{"a":null}`, nil},
		{"a property named nullable", `{"properties":{"nullable":{"type":"boolean"},"type":{"type":"string"}}}`, `{"nullable":true,"type":"x"}`, nil},
		{
			"endless reference", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `{}`,
			[]schema.Problem{{Kind: schema.Other, Message: `the value can't be checked: the schema refers to itself without end`}},
		},
		{
			"tilde and slash", `{"properties":{"a/b~c":{"type":"string"}}}`, `{"a/b~c":1}`,
			[]schema.Problem{{Path: "/a~1b~0c", Kind: schema.Mistyped, Message: `"a/b~c" must be a string, got number 1`}},
		},
		{
			"invisible", `{"type":"string","enum":["a"]}`, `"\u202e\u0007"`,
			[]schema.Problem{{Kind: schema.Other, Message: `the value must be "a", got string "\u202e\a"`}},
		},
	} {
		got := compiled(t, c.schema).Validate(json.RawMessage(c.value))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestValidateLists(t *testing.T) {
	var required []string
	for i := range 20 {
		required = append(required, fmt.Sprintf("%q", fmt.Sprintf("field%02d", i)))
	}
	s := compiled(t, `{"required":[`+strings.Join(required, ",")+`]}`)
	got := s.Validate(json.RawMessage(`{}`))
	if len(got) != schema.MaxProblems {
		t.Fatalf("got %d problems, want %d", len(got), schema.MaxProblems)
	}
	if want := "and 13 more problems"; got[schema.MaxProblems-1].Message != want {
		t.Errorf("the last says %q, want %q", got[schema.MaxProblems-1].Message, want)
	}
	if want := `missing "field00"; missing "field01"`; !strings.HasPrefix(schema.Sentence(got), want) {
		t.Errorf("got %q, want it to start with %q", schema.Sentence(got), want)
	}
	for range 20 {
		if again := s.Validate(json.RawMessage(`{}`)); !slices.Equal(got, again) {
			t.Fatalf("the order changes: %v, then %v", got, again)
		}
	}
}

func TestValidateIsBounded(t *testing.T) {
	s := compiled(t, `{"$ref":"#/$defs/n","$defs":{"n":{"anyOf":[
		{"properties":{"c":{"$ref":"#/$defs/n"}},"required":["x"]},
		{"properties":{"c":{"$ref":"#/$defs/n"}},"required":["y"]},
		{"properties":{"c":{"$ref":"#/$defs/n"}},"required":["z"]}]}}}`)
	value := strings.Repeat(`{"c":`, 60) + `{}` + strings.Repeat(`}`, 60)
	want := []schema.Problem{{Kind: schema.Other, Message: "checking the value against the schema takes too long"}}
	if diff := cmp.Diff(want, s.Validate(json.RawMessage(value))); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	long := compiled(t, `{"items":{"type":"number"}}`)
	if got := long.Validate(json.RawMessage("[" + strings.Repeat("1,", 50_000) + "1]")); got != nil {
		t.Errorf("a long list is refused: %v", got)
	}
	if got := s.Validate(json.RawMessage(`{"x":1,"c":{"y":1}}`)); got != nil {
		t.Errorf("the next value is refused: %v", got)
	}
}
