package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/schema"
)

// besides reads the keys that a model put next to the arguments.
func besides(t testing.TB, text string) map[string]json.RawMessage {
	t.Helper()
	if text == "" {
		return nil
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

const nestedSchema = `{"type":"object","properties":{
	"user":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"number"}},"required":["name"],"additionalProperties":false},
	"a.b":{"type":"string"},
	"tags":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`

func TestRepair(t *testing.T) {
	const (
		anything  = `{"type":"object"}`
		noArgs    = `{"type":"object","properties":{},"additionalProperties":false}`
		inputText = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`
		queries   = `{"type":"object","properties":{"query":{"type":"string"},"queries":{"type":"array"}},"oneOf":[{"required":["query"]},{"required":["queries"]}],"additionalProperties":false}`
	)
	for _, c := range []struct {
		name, schema, args, beside string
		want, note                 string // note: a part of it, "" when there must be none
		fails                      string // a part of the error
	}{
		// Nothing to repair.
		{name: "plain", schema: issueSchema, args: `{ "title" : "a" }`, want: `{ "title" : "a" }`},
		{name: "none", schema: noArgs, args: ``, want: `{}`},
		{name: "null", schema: noArgs, args: `null`, want: `{}`},
		{name: "plain that does not fit", schema: issueSchema, args: `{"titel":"a"}`, want: `{"titel":"a"}`},
		{name: "missing required", schema: issueSchema, args: ``, want: `{}`},
		{name: "plain in an open schema", schema: anything, args: `{"args":{"x":1},"a.b":"1"}`, want: `{"args":{"x":1},"a.b":"1"}`},
		{name: "digits where a string is wanted", schema: issueSchema, args: `{"title":"5"}`, want: `{"title":"5"}`},
		{name: "number where a string is wanted", schema: issueSchema, args: `{"title":5}`, want: `{"title":5}`},
		{name: "a property named like a wrapper", schema: inputText, args: `{"input":"{}"}`, want: `{"input":"{}"}`},

		// JSON inside strings.
		{name: "whole string", schema: issueSchema, args: `"{\"title\":\"a\"}"`, want: `{"title":"a"}`, note: "JSON string"},
		{name: "twice", schema: issueSchema, args: `"\"{\\\"title\\\":\\\"a\\\"}\""`, want: `{"title":"a"}`, note: "JSON string"},
		{name: "empty string", schema: noArgs, args: `""`, want: `{}`, note: "JSON string"},
		{name: "one property, list", schema: issueSchema, args: `{"title":"a","labels":"[\"x\"]"}`, want: `{"labels":["x"],"title":"a"}`, note: `"labels"`},
		{name: "one property, object", schema: issueSchema, args: `{"title":"a","filter":"{\"since\":\"x\"}"}`, want: `{"filter":{"since":"x"},"title":"a"}`, note: `"filter"`},
		{name: "number", schema: issueSchema, args: `{"title":"a","limit":"5"}`, want: `{"limit":5,"title":"a"}`, note: `"limit"`},
		{name: "boolean", schema: issueSchema, args: `{"title":"a","draft":"true"}`, want: `{"draft":true,"title":"a"}`, note: `"draft"`},
		{name: "number inside", schema: nestedSchema, args: `{"user":{"name":"n","age":"7"}}`, want: `{"user":{"age":7,"name":"n"}}`, note: `"user.age"`},
		{name: "number that breaks a rule", schema: issueSchema, args: `{"title":"a","limit":"500"}`, want: `{"title":"a","limit":"500"}`},
		{name: "null is not read out of a string", schema: `{"properties":{"a":{"type":"null"}}}`, args: `{"a":"null"}`, want: `{"a":"null"}`},
		{name: "yes is not a boolean", schema: issueSchema, args: `{"title":"a","draft":"yes"}`, want: `{"title":"a","draft":"yes"}`},
		{name: "an empty string is no list", schema: issueSchema, args: `{"title":"a","labels":""}`, want: `{"title":"a","labels":""}`},
		{name: "long numbers stay whole", schema: `{"properties":{"n":{"type":"integer"}}}`, args: `{"n":"12345678901234567890"}`, want: `{"n":12345678901234567890}`, note: `"n"`},

		// Wrappers.
		{name: "args", schema: issueSchema, args: `{"args":{"title":"a"}}`, want: `{"title":"a"}`, note: `"args"`},
		{name: "arguments", schema: issueSchema, args: `{"arguments":{"title":"a"}}`, want: `{"title":"a"}`, note: `"arguments"`},
		{name: "input", schema: issueSchema, args: `{"input":{"title":"a"}}`, want: `{"title":"a"}`, note: `"input"`},
		{name: "params", schema: issueSchema, args: `{"params":{"title":"a"}}`, want: `{"title":"a"}`, note: `"params"`},
		{name: "a list of one", schema: issueSchema, args: `[{"title":"a"}]`, want: `{"title":"a"}`, note: "list"},
		{name: "a list of two", schema: issueSchema, args: `[{"title":"a"},{"title":"b"}]`, fails: "must be an object, got an array"},
		{name: "wrapped string", schema: issueSchema, args: `{"args":"{\"title\":\"a\"}"}`, want: `{"title":"a"}`, note: `"args"`},
		{name: "string with a wrapper", schema: issueSchema, args: `"{\"arguments\":{\"title\":\"a\"}}"`, want: `{"title":"a"}`, note: `"arguments"`},
		{name: "wrapped under its own name", schema: inputText, args: `{"input":{"input":"x"}}`, want: `{"input":"x"}`, note: `"input"`},
		{name: "empty wrapper", schema: issueSchema, args: `{"args":{},"title":"a"}`, want: `{"title":"a"}`, note: `"args"`},
		{name: "half in a wrapper", schema: issueSchema, args: `{"args":{"title":"a"},"limit":5}`, want: `{"limit":5,"title":"a"}`, note: `"args"`},
		{name: "only an empty wrapper", schema: noArgs, args: `{"params":{}}`, want: `{}`, note: `"params"`},
		{name: "wrapped twice", schema: issueSchema, args: `{"args":{"input":{"title":"a"}}}`, want: `{"title":"a"}`, note: `"input"`},

		// Dotted keys.
		{name: "dotted", schema: nestedSchema, args: `{"user.name":"n","user.age":7}`, want: `{"user":{"age":7,"name":"n"}}`, note: "dotted"},
		{name: "dotted and nested", schema: nestedSchema, args: `{"user":{"name":"n"},"user.age":7}`, want: `{"user":{"age":7,"name":"n"}}`, note: "dotted"},
		{name: "a name with a dot", schema: nestedSchema, args: `{"a.b":"x","user.name":"n"}`, want: `{"a.b":"x","user":{"name":"n"}}`, note: "dotted"},
		{name: "dotted and mistyped", schema: nestedSchema, args: `{"user.name":"n","user.age":"7"}`, want: `{"user":{"age":7,"name":"n"}}`, note: "dotted"},
		{name: "dotted twice", schema: nestedSchema, args: `{"user":{"name":"n"},"user.name":"m"}`, want: `{"user":{"name":"n"},"user.name":"m"}`},

		// Beside.
		{name: "flattened", schema: issueSchema, beside: `{"title":"a","limit":5}`, want: `{"limit":5,"title":"a"}`, note: "beside"},
		{name: "flattened, empty args", schema: issueSchema, args: `{}`, beside: `{"title":"a"}`, want: `{"title":"a"}`, note: "beside"},
		{name: "flattened, all optional", schema: nestedSchema, args: `{}`, beside: `{"tags":["x"]}`, want: `{"tags":["x"]}`, note: "beside"},
		{name: "flattened in part", schema: issueSchema, args: `{"title":"a"}`, beside: `{"limit":5}`, want: `{"limit":5,"title":"a"}`, note: "beside"},
		{name: "flattened and dotted", schema: nestedSchema, beside: `{"user.name":"n"}`, want: `{"user":{"name":"n"}}`, note: "dotted"},
		{name: "flattened and mistyped", schema: issueSchema, beside: `{"title":"a","limit":"5"}`, want: `{"limit":5,"title":"a"}`, note: "limit"},
		{name: "flattened, open schema", schema: anything, beside: `{"x":1}`, want: `{"x":1}`, note: "beside"},
		{name: "flattened, string args", schema: issueSchema, args: `"{\"title\":\"a\"}"`, beside: `{"limit":5}`, want: `{"limit":5,"title":"a"}`, note: "beside"},
		{name: "a wrapper beside", schema: issueSchema, beside: `{"arguments":{"title":"a"}}`, want: `{"title":"a"}`, note: `"arguments"`},
		{name: "a wrapper beside, open schema", schema: anything, beside: `{"input":{"x":1}}`, want: `{"x":1}`, note: `"input"`},
		{name: "alike in both", schema: issueSchema, args: `{"title":"a"}`, beside: `{"title":"a"}`, want: `{"title":"a"}`, note: "beside"},
		{name: "chatter beside", schema: issueSchema, args: `{"title":"a"}`, beside: `{"reason":"because"}`, want: `{"title":"a"}`, note: `left out "reason"`},
		{name: "chatter beside no arguments", schema: noArgs, beside: `{"reason":"because"}`, want: `{}`, note: `left out "reason"`},

		// No reading, or more than one.
		{name: "in both and different", schema: issueSchema, args: `{"title":"a"}`, beside: `{"title":"b"}`, fails: "can't be joined"},
		{name: "two sets", schema: issueSchema, args: `{"title":"a"}`, beside: `{"arguments":{"title":"b"}}`, fails: "can't be joined"},
		{name: "two wrappers", schema: issueSchema, args: `{"args":{"title":"a"},"input":{"title":"b"}}`, want: `{"args":{"title":"a"},"input":{"title":"b"}}`},
		{name: "query or queries", schema: queries, args: `{"args":{"query":"a"},"input":{"queries":[]}}`, want: `{"args":{"query":"a"},"input":{"queries":[]}}`},
		{name: "query and queries", schema: queries, beside: `{"query":"a","queries":[]}`, fails: "several forms"},
		{name: "flattened and misspelt", schema: issueSchema, beside: `{"titel":"a"}`, fails: `did you mean "title"?`},
		{name: "string of text", schema: issueSchema, args: `"create an issue"`, fails: `got string "create an issue"`},
		{name: "string that lacks a property", schema: issueSchema, args: `"{\"limit\":5}"`, fails: `missing "title"`},
		{name: "number", schema: issueSchema, args: `7`, fails: "must be an object, got number 7"},
		{name: "not JSON", schema: issueSchema, args: `{title:1}`, fails: "can't be read"},
		{name: "beside is not JSON", schema: issueSchema, args: ``, beside: ``, want: `{}`},
		{
			name: "either of two", schema: `{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"object"},"b":{}},"additionalProperties":false}`,
			args: `{"args":{"b":1},"a.x":2}`, want: `{"args":{"b":1},"a.x":2}`,
		},

		// A schema that can't be compiled.
		{name: "blind, plain", schema: `{"type":"x"}`, args: `{ "a":1}`, want: `{ "a":1}`},
		{name: "blind, none", schema: `{"type":"x"}`, args: `null`, want: `{}`},
		{name: "blind, string", schema: `{"type":"x"}`, args: `"{\"a\":1}"`, want: `{"a":1}`, note: "JSON string"},
		{name: "blind, text", schema: `{"type":"x"}`, args: `"hello"`, fails: "must be an object"},
		{name: "blind, list", schema: `{"type":"x"}`, args: `[{}]`, fails: "must be an object"},
		{name: "blind, flattened", schema: `{"type":"x"}`, beside: `{"a":1}`, want: `{"a":1}`, note: "beside"},
		{name: "blind, wrapper beside", schema: `{"type":"x"}`, beside: `{"arguments":{"a":1}}`, want: `{"a":1}`, note: `"arguments"`},
		{name: "blind, chatter", schema: `{"type":"x"}`, args: `{"a":1}`, beside: `{"b":2}`, want: `{"a":1}`, note: `left out "b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, note, err := schema.Repair(json.RawMessage(c.schema), json.RawMessage(c.args), besides(t, c.beside))
			if c.fails != "" {
				if toolcrib.KindOf(err) != toolcrib.KindInput || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("got %s, %v, want an input error with %q", got, err, c.fails)
				}
				return
			}
			if err != nil || string(got) != c.want {
				t.Fatalf("got %s, %v, want %s", got, err, c.want)
			}
			if c.note == "" && note != "" || !strings.Contains(note, c.note) {
				t.Errorf("the note is %q, want %q in it", note, c.note)
			}
		})
	}
}

func TestRepairRefusesTwoReadings(t *testing.T) {
	// "a.b" is a key that the open schema takes as it is once the wrapper is
	// gone, and the wrapper is one that it takes once the key is nested.
	const either = `{"type":"object","properties":{"a":{"type":"object"}},"anyOf":[{"required":["a"]},{"required":["x"]}]}`
	_, _, err := schema.Repair(json.RawMessage(either), json.RawMessage(`{"args":{"x":1},"a.b":2}`), nil)
	if toolcrib.KindOf(err) != toolcrib.KindInput || !strings.Contains(err.Error(), "more than one way") {
		t.Fatalf("got %v, want an error that names two readings", err)
	}
}

func BenchmarkRepair(b *testing.B) {
	s := compiled(b, issueSchema)
	for _, c := range []struct{ name, args string }{
		{"plain", `{"title":"a","limit":5}`},
		{"wrapped", `{"args":{"title":"a","limit":"5"}}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := s.Repair(json.RawMessage(c.args), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
