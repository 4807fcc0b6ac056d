package pin

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

func form(parameters string) Form {
	return Form{Name: "add", Title: "Add", Description: "Adds.", Parameters: json.RawMessage(parameters)}
}

func TestHash(t *testing.T) {
	base := form(`{"type":"object","properties":{"a":{"type":"string"},"b":{}}}`)
	same := form("{\n \"properties\": {\"b\":{}, \"a\": {\"type\":\"\\u0073tring\"}},\"type\":\"object\"}\n")
	if base.Hash() != same.Hash() {
		t.Error("the order of keys, white space and the way to write a text count")
	}
	yes := true
	for name, change := range map[string]func(*Form){
		"name":        func(f *Form) { f.Name = "Add" },
		"title":       func(f *Form) { f.Title = "" },
		"description": func(f *Form) { f.Description += " " },
		"a value":     func(f *Form) { f.Parameters = json.RawMessage(`{"type":"object"}`) },
		"no schema":   func(f *Form) { f.Parameters = nil },
		"output":      func(f *Form) { f.OutputSchema = json.RawMessage(`{}`) },
		"a hint":      func(f *Form) { f.Annotations.ReadOnly = &yes },
		"a title":     func(f *Form) { f.Annotations.Title = "x" },
		"order of items": func(f *Form) {
			f.Parameters = json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["a"]}`)
		},
		"a key that stands twice": func(f *Form) {
			f.Parameters = json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"a":{"type":"string"},"b":{}}}`)
		},
	} {
		f := base
		change(&f)
		if f.Hash() == base.Hash() {
			t.Errorf("%s doesn't count", name)
		}
	}
}

func TestBytes(t *testing.T) {
	no := false
	f := Form{Name: "a", Title: "b", Description: "c\u200b", Parameters: json.RawMessage("{ \"x\" :1}\n"), OutputSchema: json.RawMessage(`{}`), Annotations: toolcrib.Annotations{Destructive: &no}}
	got, err := Read(f.Bytes())
	if err != nil || !cmp.Equal(f, got) {
		t.Errorf("%v\n%s", err, cmp.Diff(f, got))
	}
	if _, err := Read([]byte("{")); err == nil {
		t.Error("what is broken was read")
	}
}

func TestCompare(t *testing.T) {
	obj := func(s string) string { return `{"type":"object","properties":{` + s + `}}` }
	for _, tt := range []struct {
		name, before, after string
		want                []Change
	}{
		{"nothing", obj(`"a":{"type":"string","description":"x"}`), obj(`"a":{"description":"x","type":"string"}`), nil},
		{"a description", obj(`"a":{"description":"x"}`), obj(`"a":{"description":"y"}`), []Change{{KindText, "parameters.properties.a.description", "x", "y"}}},
		{"a description that comes", obj(`"a":{}`), obj(`"a":{"description":"y"}`), []Change{{KindText, "parameters.properties.a.description", "", "y"}}},
		{"a property named description", obj(`"description":{"type":"string"}`), obj(`"description":{"type":"number"}`), []Change{{KindSchema, "parameters.properties.description.type", `"string"`, `"number"`}}},
		{"a property named description that comes", obj(``), obj(`"description":{"type":"number"}`), []Change{{KindSchema, "parameters.properties.description", ``, `{"type":"number"}`}}},
		{"a default", obj(`"a":{"default":1}`), obj(`"a":{"default":2}`), []Change{{KindSchema, "parameters.properties.a.default", "1", "2"}}},
		{"words inside of a default", obj(`"a":{"default":{"title":"x"}}`), obj(`"a":{"default":{"title":"y"}}`), []Change{{KindSchema, "parameters.properties.a.default", `{"title":"x"}`, `{"title":"y"}`}}},
		{"a rule in a list", `{"anyOf":[{"title":"a"},{"type":"string"}]}`, `{"anyOf":[{"title":"b"},{"type":"null"}]}`, []Change{{KindText, "parameters.anyOf[0].title", "a", "b"}, {KindSchema, "parameters.anyOf[1].type", `"string"`, `"null"`}}},
		{"a longer list", `{"anyOf":[{}]}`, `{"anyOf":[{},{}]}`, []Change{{KindSchema, "parameters.anyOf", `[{}]`, `[{},{}]`}}},
		{"an object in place of words", `{"description":"x"}`, `{"description":{"type":"string"}}`, []Change{{KindSchema, "parameters.description", `"x"`, `{"type":"string"}`}}},
		{"a definition", `{"$defs":{"d":{"description":"x"}}}`, `{"$defs":{"d":{"description":"y"}}}`, []Change{{KindText, "parameters.$defs.d.description", "x", "y"}}},
		{"a key that stands twice", `{"description":"x"}`, `{"description":"x","description":"y"}`, []Change{{KindSchema, "parameters", `{"description":"x"}`, `{"description":"x","description":"y"}`}}},
		{"no JSON", `{}`, `{`, []Change{{KindSchema, "parameters", `{}`, `{`}}},
		{"no schema", `{}`, ``, []Change{{KindSchema, "parameters", `{}`, ``}}},
		{"true", `true`, `{}`, []Change{{KindSchema, "parameters", `true`, `{}`}}},
	} {
		got := Compare(form(tt.before), form(tt.after))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		light := true
		for _, c := range tt.want {
			light = light && c.Kind == KindText
		}
		if Light(got) != light {
			t.Errorf("%s: light is %v", tt.name, !light)
		}
	}
	yes := true
	before, after := form(`{}`), form(`{}`)
	after.Title, after.Description, after.Annotations = "T", "D", toolcrib.Annotations{Title: "A", OpenWorld: &yes}
	want := []Change{{KindText, "title", "Add", "T"}, {KindText, "description", "Adds.", "D"}, {KindText, "annotations.title", "", "A"}, {KindHints, "annotations.openWorldHint", "", "true"}}
	if diff := cmp.Diff(want, Compare(before, after)); diff != "" {
		t.Error(diff)
	}
}

// What differs has another hash, and the other way round.
func FuzzCompare(f *testing.F) {
	f.Add(`{"a":1}`, `{"a":2}`)
	f.Add(`{"properties":{"a":{"description":"x"}}}`, `{"properties":{"a":{"description":"y"}}}`)
	f.Add(`{"a":1,"a":2}`, `{"a":2}`)
	f.Add(`[`, ``)
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := form(a), form(b)
		if same := len(Compare(x, y)) == 0; same != (x.Hash() == y.Hash()) {
			t.Errorf("%q and %q: compared the same is %v", a, b, same)
		}
		if again, err := Read(x.Bytes()); err == nil && json.Valid([]byte(a)) && again.Hash() != x.Hash() {
			t.Errorf("%q comes back as %q", a, again.Parameters)
		}
	})
}
