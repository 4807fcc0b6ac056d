package toolsearch

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

func TestDisplaySchema(t *testing.T) {
	for _, tt := range []struct{ name, in, want, fault string }{
		{"none", ``, `{"type":"object","properties":{}}`, ""},
		{"null", `null`, `{"type":"object","properties":{}}`, ""},
		{"anything", `true`, `{"type":"object","properties":{}}`, ""},
		{"as it should be", `{ "type":"object", "properties":{"a":{"anyOf":[{},{}]}} }`, `{ "type":"object", "properties":{"a":{"anyOf":[{},{}]}} }`, ""},
		{"no type", `{"properties":{"a":{}},"required":["a"]}`, `{"properties":{"a":{}},"required":["a"],"type":"object"}`, ""},
		{"an empty object", `{}`, `{"properties":{},"type":"object"}`, ""},
		{"object or null", `{"type":["object","null"],"properties":{}}`, `{"properties":{},"type":"object"}`, ""},
		{
			"a union", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{}}},{"type":"string"}],"description":"d"}`,
			`{"description":"d","properties":{"a":{"type":"string"},"b":{}},"type":"object"}`, "",
		},
		{
			"all of", `{"type":"object","properties":{"a":{}},"required":["a"],"allOf":[{"properties":{"b":{}},"required":["b"]},{"if":{},"then":{}}]}`,
			`{"properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`, "",
		},
		{
			"a reference", `{"$ref":"#/$defs/In","$defs":{"In":{"type":"object","properties":{"a":{"$ref":"#/$defs/A~1b"}}},"A/b":{}}}`,
			`{"$defs":{"A/b":{},"In":{"properties":{"a":{"$ref":"#/$defs/A~1b"}},"type":"object"}},"properties":{"a":{"$ref":"#/$defs/A~1b"}},"type":"object"}`, "",
		},
		{"a condition", `{"type":"object","properties":{"a":{}},"if":{},"then":{},"not":{}}`, `{"properties":{"a":{}},"type":"object"}`, ""},
		{"not JSON", `{"type":`, "", "not JSON"},
		{"a list", `[]`, "", "not an object"},
		{"a string's", `{"type":"string"}`, "", `type "string"`},
		{"only strings", `{"oneOf":[{"type":"string"},{"type":"number"}]}`, "", "type"},
		{"a cycle", `{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`, "", "refers to itself"},
		{"elsewhere", `{"$ref":"https://example.com/x"}`, "", "outside"},
		{"nowhere", `{"$ref":"#/$defs/A"}`, "", "doesn't have"},
	} {
		got, err := displaySchema(json.RawMessage(tt.in))
		if tt.fault != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("%s: %s, %v; want an error that says %q", tt.name, got, err, tt.fault)
			}
			continue
		}
		var a, b any
		if err != nil || json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(tt.want), &b) != nil || !cmp.Equal(a, b) {
			t.Errorf("%s: %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
}

// TestOneOddSchema costs no tool but its own, and is named.
func TestOneOddSchema(t *testing.T) {
	odd := func(t *toolcrib.Tool) { t.Parameters = json.RawMessage(`{"type":"string"}`) }
	c := catalog.Plan([]toolcrib.Listing{listing(tool(toolcrib.SourceMCP, "a", "odd", "", odd), tool(toolcrib.SourceMCP, "a", "x", ""))}, allowAll)
	b := open(t, c, ModeDirect)
	if len(b.Tools()) != 1 || b.Tools()[0].ID != "mcp:a:x" {
		t.Errorf("shown: %+v", b.Tools())
	}
	if w := b.Warnings(); len(w) != 1 || !strings.Contains(w[0], "mcp:a:odd") {
		t.Errorf("warnings %q: want one that names the tool", w)
	}
}

func FuzzDisplaySchema(f *testing.F) {
	for _, seed := range []string{`{"anyOf":[{"properties":{"a":{}}}]}`, `{"$ref":"#/$defs/A","$defs":{"A":{"allOf":[{"$ref":"#/$defs/A"}]}}}`, `{"type":["object"],"required":3}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := displaySchema(raw)
		if err != nil {
			return
		}
		var root map[string]json.RawMessage
		if json.Unmarshal(got, &root) != nil || string(root["type"]) != `"object"` {
			t.Fatalf("%q is shown as %s", raw, got)
		}
		for _, k := range rootKeywords {
			if _, has := root[k]; has {
				t.Errorf("%q is shown with %s at its root", raw, k)
			}
		}
	})
}
