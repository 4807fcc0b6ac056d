package schema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/schema"
)

func TestCompile(t *testing.T) {
	many := `{"properties":{` + strings.Repeat(`"a":{},`, schema.MaxObjects) + `"z":{}}}`
	deep := strings.Repeat(`{"not":`, schema.MaxDepth+1) + `{}` + strings.Repeat(`}`, schema.MaxDepth+1)
	for _, c := range []struct {
		name, schema string
		kind         toolcrib.Kind // "" when it compiles
		says         string
	}{
		{"nothing", ``, "", ""},
		{"null", `null`, "", ""},
		{"true", `true`, "", ""},
		{"no type", `{"properties":{"a":{"type":"string"}}}`, "", ""},
		{"cycle", `{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"next":{"$ref":"#/$defs/a"}}}}}`, "", ""},
		{"draft 4", `{"$schema":"http://json-schema.org/draft-04/schema#","minimum":3,"exclusiveMinimum":true}`, "", ""},
		{"draft 6", `{"$schema":"http://json-schema.org/draft-06/schema#","const":1}`, "", ""},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, "", ""},
		{"draft 2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"string"}]}`, "", ""},
		{"draft 2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{"type":"string"}]}`, "", ""},
		{"old keywords without $schema", `{"properties":{"a":{"items":[{"type":"string"}]}}}`, "", ""},
		{"oldest keywords without $schema", `{"properties":{"a":{"minimum":3,"exclusiveMinimum":true}}}`, "", ""},
		{"a pattern beyond RE2", `{"pattern":"^(?!x)"}`, "", ""},
		{"an address of its own", `{"$id":"https://example.com/a","$ref":"#/$defs/x","$defs":{"x":{}}}`, "", ""},
		{"not JSON", `{"type":`, toolcrib.KindTool, "can't be read"},
		{"two values", `{} {}`, toolcrib.KindTool, "text after its end"},
		{"bad type", `{"properties":{"a":{"type":"text"}}}`, toolcrib.KindTool, `"type" in /properties/a must be`},
		{"bad type under its own draft", `{"$schema":"http://json-schema.org/draft-07/schema#","type":7}`, toolcrib.KindTool, `"type"`},
		{"remote", `{"properties":{"a":{"$ref":"https://example.com/a.json"}}}`, toolcrib.KindTool, `refers to "https://example.com/a.json"`},
		{"file", `{"$ref":"file:///etc/hostname"}`, toolcrib.KindTool, `refers to "file:///etc/hostname"`},
		{"neighbour", `{"$ref":"other.json#/a"}`, toolcrib.KindTool, `refers to "other.json"`},
		{"unknown dialect", `{"$schema":"https://example.com/dialect"}`, toolcrib.KindTool, `"https://example.com/dialect"`},
		{"missing definition", `{"$ref":"#/$defs/none"}`, toolcrib.KindTool, `/$defs/none`},
		{"number out of range", `{"minimum":1e9999999}`, toolcrib.KindTool, "out of range"},
		{"too large", `{"description":"` + strings.Repeat("a", schema.MaxBytes) + `"}`, toolcrib.KindLimit, "bytes"},
		{"too deep", deep, toolcrib.KindLimit, "deep"},
		{"too many", many, toolcrib.KindLimit, "objects"},
	} {
		_, err := schema.Compile(json.RawMessage(c.schema))
		if toolcrib.KindOf(err) != c.kind {
			t.Errorf("%s: got %v, want an error of kind %q", c.name, err, c.kind)
			continue
		}
		if err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000) {
			t.Errorf("%s: got %q, want one short line with %q", c.name, err, c.says)
		}
	}
}

type listed struct {
	Name        string          `json:"name"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// catalogs returns the tools of the recorded servers by file.
func catalogs(t testing.TB) map[string][]listed {
	t.Helper()
	shared := os.Getenv("TOOLCRIB_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(shared, "catalogs", "*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("shared catalogs absent: set TOOLCRIB_SHARED to the folder that holds catalogs/")
	}
	all := map[string][]listed{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Tools []listed `json:"tools"`
		}
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[filepath.Base(file)] = list.Tools
	}
	return all
}

func TestCatalogsCompile(t *testing.T) {
	tools, failed := 0, 0
	for file, list := range catalogs(t) {
		for _, tool := range list {
			tools++
			compiled, err := schema.Compile(tool.InputSchema)
			if err != nil {
				failed++
				t.Logf("%s: %s: %v", file, tool.Name, err)
				continue
			}
			compiled.Validate(json.RawMessage(`{"query":"x","limit":"5"}`))
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d schemas don't compile", failed, tools)
	}
}

func BenchmarkCompile(b *testing.B) {
	wide := func(n int) json.RawMessage {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
		}
		return json.RawMessage(`{"type":"object","properties":{` + strings.Join(parts, ",") + `}}`)
	}
	for _, n := range []int{5, 100, 1000, schema.MaxObjects - 2} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			text := wide(n)
			for b.Loop() {
				if _, err := schema.Compile(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
