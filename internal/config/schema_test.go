package config

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

func TestTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys() {
		if seen[k.Path] || k.Doc == "" || !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s stands twice or has no sentence", k.Path)
		}
		seen[k.Path] = true
		s := &spec{Key: k}
		if k.Default != "" {
			v := defaultOf(s)
			p := &problems{}
			checker{p}.tree(v, s, k.Path)
			if len(p.errs)+len(p.warnings) > 0 {
				t.Errorf("%s: its default breaks its own rule: %v %v", k.Path, p.errs, p.warnings)
			}
		}
		if k.Type&List != 0 && !slices.ContainsFunc(Keys(), func(o Key) bool { return o.Path == k.Path+".[]" }) {
			t.Errorf("%s has no row for its items", k.Path)
		}
	}
}

func TestSchemaAgreesWithLoad(t *testing.T) {
	schema := compile(t)
	for text, want := range map[string]bool{
		`{}`:                            true,
		`{tools: {toolSearch: true}}`:   true,
		`{tools: {toolSearch: "auto"}}`: true,
		`{tools: {toolSearch: "on"}}`:   false,
		`{tools: {toolSearch: {mode: "tools", codeTimeoutMs: "${X:-5000}"}}}`: true,
		`{tools: {toolSearch: {mode: "tool"}}}`:                               false,
		`{tool: {}}`:                                                          false,
		`{tools: {allow: "x"}}`:                                               false,
		`{agents: {list: [{id: "a"}]}}`:                                       true,
		`{agents: {list: [{}]}}`:                                              false,
		`{mcp: {servers: {a: {command: "x"}}}}`:                               true,
		`{mcp: {servers: {a: {}}}}`:                                           false,
		`{mcp: {servers: {a: {command: "x", url: "http://x"}}}}`:              false,
		`{mcp: {servers: {"a b": {command: "x"}}}}`:                           false,
		`{mcp: {servers: {a: {command: "x", env: {A: 1, B: true, C: "c"}, prefix: false}}}}`: true,
		`{mcpServers: {"a b": {command: "x", disabled: false, type: "stdio"}}}`:              true,
		`{gateway: {listen: "127.0.0.1:1", token: "abc"}, log: {level: "warn"}}`:             true,
		`{log: {level: "loud"}}`: false,
	} {
		node, err := json5.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(plain(node)); (err == nil) != want {
			t.Errorf("schema on %s: %v", text, err)
		}
		if _, _, err := Load(write(t, text)); (err == nil) != want {
			t.Errorf("Load on %s: %v", text, err)
		}
	}
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func plain(n *json5.Node) any {
	switch n.Kind {
	case json5.Bool:
		return n.Bool
	case json5.Number:
		return n.Number
	case json5.String:
		return n.Text
	case json5.Array:
		out := []any{}
		for _, item := range n.Items {
			out = append(out, plain(item))
		}
		return out
	case json5.Object:
		out := map[string]any{}
		for _, m := range n.Members {
			out[m.Key] = plain(m.Value)
		}
		return out
	}
	return nil
}

const docsFile = "../../docs/config.md"

func TestDocsAreUpToDate(t *testing.T) {
	if *update {
		if err := os.MkdirAll("../../docs", 0o755); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, docsFile, []byte(Docs()))
	golden(t, "../../docs/config.schema.json", Schema())
}

func TestExamplesOfTheDocsLoad(t *testing.T) {
	schema := compile(t)
	blocks := regexp.MustCompile("(?s)```json5\n(.*?)```").FindAllStringSubmatch(Docs(), -1)
	if len(blocks) != len(sections) {
		t.Fatalf("%d examples in %d sections", len(blocks), len(sections))
	}
	for _, b := range blocks {
		if _, warnings := load(t, write(t, b[1])); len(warnings) > 0 {
			t.Errorf("%s: %q", b[1], warnings)
		}
		node, _ := json5.Parse([]byte(b[1]))
		if err := schema.Validate(plain(node)); err != nil {
			t.Errorf("%s: %v", b[1], err)
		}
	}
}

func TestDocsNameEveryKey(t *testing.T) {
	docs := Docs()
	for _, k := range Keys() {
		path := docsPath(k.Path)
		if k.Path == "$schema" || k.Type == Object && !strings.Contains(k.Path, "toolSearch") || strings.HasSuffix(k.Path, ".[]") {
			continue
		}
		if saidBefore(k) {
			if word := "`" + path[strings.LastIndexByte(path, '.')+1:] + "`"; !strings.Contains(docs, word) && !strings.Contains(docs, "."+word[1:]) {
				t.Errorf("no word is said of %s", path)
			}
			continue
		}
		if strings.Count(docs, "| `"+path+"` |") != 1 {
			t.Errorf("%s does not stand once in the tables", path)
		}
	}
}
