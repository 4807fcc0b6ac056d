package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib/internal/schema"
)

// plainSchema is one that every provider takes, strict mode too.
const plainSchema = `{"type":"object","properties":{"a":{"type":"string","enum":["x"]},"l":{"type":"array","items":{"type":"integer"}}},"required":["a","l"],"additionalProperties":false}`

// refused is what is refused, a line each: "RULE PATH DETAIL". The usual ones are
// left out unless they are asked for.
func refused(text string, usual bool) []string {
	lines := []string{}
	for _, r := range schema.Refusals(json.RawMessage(text)) {
		if r.Usual == usual {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Rule, r.Path, r.Detail)))
		}
	}
	return lines
}

func TestRefusals(t *testing.T) {
	within := func(property string) string { return `{"type":"object","properties":{"a":` + property + `}}` }
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"plain":           {plainSchema, nil},
		"not JSON":        {`{`, []string{"root-object"}},
		"not an object":   {`[]`, []string{"root-object"}},
		"true":            {`true`, []string{"root-object"}},
		"no type":         {`{"properties":{}}`, []string{"root-object"}},
		"list at root":    {`{"type":"array","items":{"type":"string"},"properties":{}}`, []string{"root-object"}},
		"union":           {`{"type":"object","properties":{},"anyOf":[{"type":"object"}],"oneOf":[{"type":"object"}]}`, []string{"root-union  anyOf", "root-union  oneOf"}},
		"keyword at root": {`{"type":"object","properties":{},"not":{"type":"object"}}`, []string{"root-keyword  not"}},
		"names": {
			`{"type":"object","properties":{"filter[id]":{"type":"string"},"ok.-_9":{"type":"string"},"":{"type":"string"},"a/b~c":{"type":"string"},"` + strings.Repeat("x", 65) + `":{"type":"string"}}}`,
			[]string{"property-name /properties/", "property-name /properties/a~1b~0c a/b~c", "property-name /properties/filter[id] filter[id]", "property-name /properties/" + strings.Repeat("x", 65) + " " + strings.Repeat("x", 65)},
		},
		"inner names":       {within(`{"type":"object","properties":{"$top":{"type":"string"}}}`), nil},
		"list without":      {within(`{"type":"array"}`), []string{"array-items /properties/a"}},
		"list of lists":     {within(`{"type":"array","items":{"type":"array"}}`), []string{"array-items /properties/a/items"}},
		"list in a union":   {within(`{"anyOf":[{"type":"string"},{"type":"array"}]}`), []string{"array-items /properties/a/anyOf/1"}},
		"list among types":  {within(`{"type":["string","array"]}`), []string{"array-items /properties/a", "type-list /properties/a string, array"}},
		"tuple of draft 7":  {within(`{"type":"array","items":[{"type":"string"}]}`), []string{"malformed /properties/a/items"}},
		"unknown type":      {within(`{"type":"text"}`), []string{"malformed /properties/a/type"}},
		"required: true":    {within(`{"type":"string","required":true}`), []string{"malformed /properties/a/required"}},
		"draft 4 bound":     {within(`{"type":"number","exclusiveMinimum":true}`), []string{"malformed /properties/a/exclusiveMinimum"}},
		"lookahead":         {within(`{"type":"string","pattern":"^(?!undefined$)"}`), []string{"lookaround /properties/a ^(?!undefined$)"}},
		"no lookaround":     {within(`{"type":"string","pattern":"^(?:a|\\(\\?)$"}`), nil},
		"numbers in enum":   {within(`{"type":"integer","enum":[1,2]}`), []string{"enum-type /properties/a"}},
		"null in enum":      {within(`{"type":"string","enum":["a",null]}`), []string{"enum-type /properties/a"}},
		"empty text":        {within(`{"type":"string","enum":["a",""]}`), []string{"enum-empty /properties/a"}},
		"missing property":  {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"]}`, []string{"required-name  b"}},
		"untyped":           {within(`{"description":"anything"}`), []string{"untyped /properties/a"}},
		"untyped in vain":   {within(`{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":{"anyOf":[{}]},"patternProperties":{"x":{}}}`), nil},
		"lost reference":    {within(`{"$ref":"#/$defs/x"}`), []string{"lost-reference /properties/a #/$defs/x"}},
		"foreign reference": {within(`{"$ref":"https://example.com/x.json"}`), []string{"lost-reference /properties/a https://example.com/x.json"}},
		"good reference":    {`{"type":"object","properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"type":"string"}}}`, nil},
		"cycle":             {`{"type":"object","properties":{"a":{"$ref":"#"}}}`, nil},
		"10 deep":           {strings.Repeat(`{"type":"object","properties":{"a":`, 9) + `{"type":"string"}` + strings.Repeat("}}", 9), nil},
		"11 deep":           {strings.Repeat(`{"type":"object","properties":{"a":`, 10) + `{"type":"string"}` + strings.Repeat("}}", 10), []string{"depth " + strings.Repeat("/properties/a", 10)}},
		"very deep":         {strings.Repeat(`{"type":"object","properties":{"a":`, 5000) + `{"type":"string"}` + strings.Repeat("}}", 5000), []string{"depth"}},
	} {
		if diff := cmp.Diff(append([]string{}, c.want...), refused(c.text, false)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What nearly every schema has is told apart, so that it doesn't hide the rest.
func TestUsualRefusals(t *testing.T) {
	got := refused(`{"$schema":"x","type":"object","properties":{"a":{"type":"string","format":"uri"},"b":{"$ref":"#/$defs/b"}},"required":["a"],"$defs":{"b":{"type":"object","oneOf":[]}}}`, true)
	want := []string{
		"keyword  $defs", "keyword  $schema", "strict-closed", "strict-required",
		"empty-object /$defs/b", "keyword /$defs/b oneOf", "strict-keyword /$defs/b oneOf",
		"format /properties/a uri", "reference /properties/b #/$defs/b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := refused(plainSchema, true); len(got) != 1 || !strings.HasPrefix(got[0], "keyword  additionalProperties") {
		t.Errorf("a plain schema: %q", got)
	}
}

func TestRefusalsAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i := range 6000 {
		fmt.Fprintf(&b, `"p%d":{"type":"array"},`, i)
	}
	b.WriteString(`"z":{"type":"string"}}}`)
	if got := schema.Refusals(json.RawMessage(b.String())); len(got) != 100 || got[0].Says() == "" {
		t.Errorf("%d refusals", len(got))
	}
}

func TestEveryRefusalSaysWhatIsWrong(t *testing.T) {
	for _, r := range schema.Refusals(json.RawMessage(`{"anyOf":[{"type":["array"]}],"properties":{"a b":{"pattern":"(?=x)","enum":[""],"format":"x"}}}`)) {
		if r.Says() == "" || len(r.Providers) == 0 || !slices.IsSorted(r.Providers) {
			t.Errorf("%+v says %q", r, r.Says())
		}
	}
}

func FuzzRefusals(f *testing.F) {
	f.Add([]byte(plainSchema))
	f.Add([]byte(`{"$ref":"#/a/0/b","items":[{"$ref":"#/~"}],"enum":{},"type":[1,null],"required":[3],"properties":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		list := schema.Refusals(text)
		if len(list) > 100 {
			t.Fatalf("%d refusals", len(list))
		}
		if diff := cmp.Diff(list, schema.Refusals(text)); diff != "" {
			t.Fatalf("twice is not the same:\n%s", diff)
		}
	})
}

// TestRefusalsOfCatalogs holds that the rules tell the tools of recorded servers
// apart, and says which break what.
func TestRefusalsOfCatalogs(t *testing.T) {
	tools, broken := map[string]int{}, map[string]map[string]bool{}
	total, refusing := 0, 0
	for file, list := range catalogs(t) {
		for _, tool := range list {
			total++
			hard := false
			for _, r := range schema.Refusals(tool.InputSchema) {
				id := file + " " + tool.Name
				if broken[r.Rule] == nil {
					broken[r.Rule] = map[string]bool{}
				}
				if !broken[r.Rule][id] {
					broken[r.Rule][id] = true
					tools[r.Rule]++
				}
				hard = hard || !r.Usual
			}
			if hard {
				refusing++
			}
		}
	}
	t.Logf("%d of %d tools break a rule that isn't usually mended", refusing, total)
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		t.Logf("%5d tools break %s", tools[name], name)
	}
	if refusing == 0 || refusing == total || tools["array-items"] == 0 {
		t.Errorf("%d of %d tools break a rule: the rules tell nothing apart", refusing, total)
	}
}

func BenchmarkRefusals(b *testing.B) {
	for b.Loop() {
		schema.Refusals(json.RawMessage(issueSchema))
	}
}
