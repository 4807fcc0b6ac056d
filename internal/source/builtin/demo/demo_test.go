package demo

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/signature"
	"github.com/toolcrib/toolcrib/internal/source/sourcetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func fixedClock() time.Time { return time.Date(2026, 3, 4, 10, 30, 0, 0, time.UTC) }

func newDemo(t *testing.T) *Demo {
	t.Helper()
	d, err := New(Options{Now: fixedClock})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// demoOf is a demo with one service alone.
func demoOf(t *testing.T, id string) *Demo {
	t.Helper()
	_, owner, _, err := toolcrib.ParseID(id)
	if err != nil {
		t.Fatal(err)
	}
	one := slices.DeleteFunc(services(fixedClock), func(s *service) bool { return s.owner != owner })
	d, err := assemble(one, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func tools(t *testing.T, d *Demo) map[string]toolcrib.Tool {
	t.Helper()
	all := map[string]toolcrib.Tool{}
	for _, l := range d.Listings(t.Context(), toolcrib.Scope{}) {
		for _, tool := range l.Tools {
			all[tool.ID] = tool
		}
	}
	return all
}

// try runs one tool, with a failure of the test for anything but a result.
func try(t *testing.T, d *Demo, id, args string) toolcrib.Result {
	t.Helper()
	r, err := d.Execute(t.Context(), toolcrib.Call{ID: "c1", Tool: toolcrib.Tool{ID: id}, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s %s: %v", id, args, err)
	}
	return r
}

// ok runs one tool that must succeed and returns its details.
func ok(t *testing.T, d *Demo, id, args string) map[string]any {
	t.Helper()
	r := try(t, d, id, args)
	if r.IsError {
		t.Fatalf("%s %s: %s", id, args, r.Content[0].Text)
	}
	var v map[string]any
	if err := json.Unmarshal(r.Details, &v); err != nil {
		t.Fatalf("%s: details %s: %v", id, r.Details, err)
	}
	return v
}

func compile(t *testing.T, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:schema", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:schema")
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return s
}

func validate(t *testing.T, what string, schema, value json.RawMessage) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := compile(t, schema).Validate(v); err != nil {
		t.Errorf("%s: %s\n%v", what, value, err)
	}
}

func state(t *testing.T, d *Demo) string {
	t.Helper()
	var all []any
	for _, s := range d.services {
		for _, tab := range s.tables {
			all = append(all, tab.one, tab.rows)
		}
	}
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Every tool does what its example, its schemas and its annotations promise.
func TestEveryToolKeepsItsPromises(t *testing.T) {
	t.Parallel()
	all := tools(t, newDemo(t))
	if examples := newDemo(t).Examples(); len(examples) != len(all) {
		t.Fatalf("%d examples for %d tools", len(examples), len(all))
	}
	for _, ex := range newDemo(t).Examples() {
		t.Run(ex.ID, func(t *testing.T) {
			t.Parallel()
			tool, there := all[ex.ID]
			if !there {
				t.Fatal("not listed")
			}
			validate(t, "arguments", tool.Parameters, json.RawMessage(ex.Args))
			d := demoOf(t, ex.ID)
			before := state(t, d)
			r := try(t, d, ex.ID, ex.Args)
			if r.IsError {
				t.Fatalf("%s: %s", ex.Args, r.Content[0].Text)
			}
			if len(r.Content) != 1 || r.Content[0].Text != string(r.Details) {
				t.Errorf("content %v is not the details %s", r.Content, r.Details)
			}
			if tool.OutputSchema != nil {
				validate(t, "details", tool.OutputSchema, r.Details)
			}
			checkEffect(t, d, tool, ex, before)
		})
	}
}

func checkEffect(t *testing.T, d *Demo, tool toolcrib.Tool, ex Example, before string) {
	t.Helper()
	once := state(t, d)
	readOnly, idempotent := *tool.Annotations.ReadOnly, *tool.Annotations.Idempotent
	if readOnly != (once == before) {
		t.Errorf("readOnlyHint is %v, yet the state changed: %v", readOnly, once != before)
	}
	if readOnly && *tool.Annotations.Destructive {
		t.Error("read-only and destructive")
	}
	_, err := d.Execute(t.Context(), toolcrib.Call{Tool: tool, Args: json.RawMessage(ex.Args)})
	if err != nil {
		t.Fatal(err)
	}
	if twice := state(t, d); idempotent && twice != once {
		t.Errorf("idempotentHint, yet the second call changed the state:\n%s", cmp.Diff(once, twice))
	}
}

func TestTextsAndNames(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	seen := map[string]string{}
	for id, tool := range tools(t, newDemo(t)) {
		if !name.MatchString(tool.Name) {
			t.Errorf("%s: name", id)
		}
		if n := utf8.RuneCountInString(tool.Description); n < 20 || n > 300 {
			t.Errorf("%s: description of %d characters", id, n)
		}
		if other, twice := seen[tool.Name]; twice {
			t.Errorf("%s and %s have one name", id, other)
		}
		seen[tool.Name] = id
		if tool.Label == "" || !strings.HasSuffix(tool.Description, ".") {
			t.Errorf("%s: label %q, description %q", id, tool.Label, tool.Description)
		}
		checkClosed(t, id+" input", tool.Parameters)
		if tool.OutputSchema != nil {
			checkClosed(t, id+" output", tool.OutputSchema)
		}
	}
}

// checkClosed wants every object closed and every named part described.
func checkClosed(t *testing.T, what string, raw json.RawMessage) {
	t.Helper()
	var s any
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		m, isObject := v.(map[string]any)
		if !isObject {
			return
		}
		if m["type"] == "object" && m["additionalProperties"] != false {
			t.Errorf("%s: %s is open", what, path)
		}
		properties, _ := m["properties"].(map[string]any)
		for k, p := range properties {
			if p.(map[string]any)["description"] == nil {
				t.Errorf("%s: %s.%s has no description", what, path, k)
			}
			walk(path+"."+k, p)
		}
		walk(path+"[]", m["items"])
	}
	walk("$", s)
}

func TestGoldenIDs(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	var sequential, direct int
	for _, l := range newDemo(t).Listings(t.Context(), toolcrib.Scope{}) {
		for _, tool := range l.Tools {
			b.WriteString(tool.ID)
			if tool.CatalogMode == toolcrib.CatalogDirectOnly {
				b.WriteString(" direct-only")
				direct++
			}
			if tool.ExecutionMode == toolcrib.ExecutionSequential {
				b.WriteString(" sequential")
				sequential++
			}
			b.WriteString("\n")
		}
	}
	if direct < 1 || sequential < 2 {
		t.Errorf("%d direct-only and %d sequential tools", direct, sequential)
	}
	const path = "testdata/ids.txt"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("ids (-want +got), rewrite with -update:\n%s", diff)
	}
}

func TestTheClockDoesNotShowInListings(t *testing.T) {
	t.Parallel()
	later, err := New(Options{Now: func() time.Time { return fixedClock().AddDate(1, 2, 3) }})
	if err != nil {
		t.Fatal(err)
	}
	a, b := newDemo(t).Listings(t.Context(), toolcrib.Scope{}), later.Listings(t.Context(), toolcrib.Scope{})
	for i := range a {
		if a[i].Source != toolcrib.SourcePlugin || a[i].Owner != b[i].Owner || a[i].Fingerprint != b[i].Fingerprint {
			t.Errorf("%s %s %s, a year later %s %s", a[i].Source, a[i].Owner, a[i].Fingerprint, b[i].Owner, b[i].Fingerprint)
		}
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, func(t *testing.T) sourcetest.Source { return newDemo(t) })
}

// A model sees signatures before it sees schemas: every demo tool must have one.
func TestEveryToolHasASignature(t *testing.T) {
	t.Parallel()
	for id, tool := range tools(t, newDemo(t)) {
		if signature.Of(tool.Parameters) == "unknown" {
			t.Errorf("%s: the input has no signature", id)
		}
		if tool.OutputSchema == nil {
			continue
		}
		if _, shown := signature.OfOutput(tool.OutputSchema); !shown {
			t.Errorf("%s: the output has no signature", id)
		}
	}
}
