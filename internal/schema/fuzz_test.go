package schema_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/schema"
)

// FuzzValidate holds that no schema and no value do worse than an error, and
// that what is said stays short and on one line.
func FuzzValidate(f *testing.F) {
	f.Add([]byte(issueSchema), []byte(`{"titel":"a","limit":"5"}`))
	f.Add([]byte(nestedSchema), []byte(`{"user":{"age":[1e9]}}`))
	f.Add([]byte(`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}}`), []byte(`[]`))
	f.Add([]byte(`{"minimum":1e400,"multipleOf":1e-400}`), []byte(`1e400`))
	f.Add([]byte(`{"$dynamicRef":"#x","$defs":{"a":{"$dynamicAnchor":"x"}},"unevaluatedProperties":false}`), []byte(`{"a":1}`))
	f.Fuzz(func(t *testing.T, text, value []byte) {
		s, err := schema.Compile(text)
		if err != nil {
			if message := err.Error(); strings.ContainsAny(message, "\n\x00") || utf8.RuneCountInString(message) > 5000 {
				t.Fatalf("a long or broken message: %q", message)
			}
			return
		}
		for _, p := range s.Validate(value) {
			if p.Message == "" || strings.ContainsAny(p.Message, "\n\x00") || utf8.RuneCountInString(p.Message) > 2000 {
				t.Fatalf("a long or broken message: %q", p.Message)
			}
		}
	})
}

// FuzzRepair holds that a repair gives one JSON object or an input error, that
// what fits is left alone, and that no value is made up.
func FuzzRepair(f *testing.F) {
	f.Add([]byte(issueSchema), []byte(`{"args":{"title":"a"},"limit":"5"}`), []byte(`{}`))
	f.Add([]byte(issueSchema), []byte(`"{\"title\":\"a\"}"`), []byte(`{"labels":"[\"x\"]"}`))
	f.Add([]byte(nestedSchema), []byte(`{"user.name":"n","user":{"age":"7"}}`), []byte(`{"tags":[]}`))
	f.Add([]byte(`{"type":"x"}`), []byte(`"{}"`), []byte(`{"arguments":{"a":true}}`))
	f.Add([]byte(`{"type":"object"}`), []byte(`[{"a.b.c":1,"a":{}}]`), []byte(`{"input":"{\"q\":1}"}`))
	f.Fuzz(func(t *testing.T, text, args, flat []byte) {
		var beside map[string]json.RawMessage
		if json.Unmarshal(flat, &beside) != nil {
			beside = nil
		}
		got, note, err := schema.Repair(text, args, beside)
		if err != nil {
			if toolcrib.KindOf(err) != toolcrib.KindInput {
				t.Fatalf("got %v, want an input error", err)
			}
			return
		}
		var object map[string]any
		if json.Unmarshal(got, &object) != nil || object == nil {
			t.Fatalf("got %s, want a JSON object", got)
		}
		if s, err := schema.Compile(text); err == nil && len(beside) == 0 && json.Unmarshal(args, &object) == nil &&
			object != nil && len(s.Validate(args)) == 0 && (note != "" || !bytes.Equal(got, bytes.TrimSpace(args))) {
			t.Fatalf("%s fits and became %s: %s", args, got, note)
		}
		known := map[string]bool{}
		gather(args, known)
		for name, value := range beside {
			known[name] = true
			gather(value, known)
		}
		made := map[string]bool{}
		gather(got, made)
		for scalar := range made {
			if !known[scalar] {
				t.Fatalf("%q was made up: %s beside %s became %s", scalar, args, flat, got)
			}
		}
	})
}

// gather notes every scalar and key in a JSON value, also of JSON inside
// strings, and the parts of dotted keys.
func gather(data []byte, into map[string]bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil {
		gatherValue(v, into)
	}
}

func gatherValue(v any, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			into[name] = true
			for part := range strings.SplitSeq(name, ".") {
				into[part] = true
			}
			gatherValue(inner, into)
		}
	case []any:
		for _, inner := range v {
			gatherValue(inner, into)
		}
	case string:
		into[v] = true
		gather([]byte(v), into)
	default:
		text, _ := json.Marshal(v)
		into[string(text)] = true
	}
}
