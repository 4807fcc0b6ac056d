package toolsearch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// realCatalog holds the tools of real servers, untrusted, as they list them.
func realCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	shared := os.Getenv("TOOLCRIB_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	files, _ := filepath.Glob(filepath.Join(shared, "catalogs", "*.json"))
	if len(files) == 0 {
		t.Skip("shared catalogs absent: set TOOLCRIB_SHARED to the folder that holds catalogs/")
	}
	var listings []toolcrib.Listing
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct {
			Server string
			Tools  []struct {
				Name, Title, Description string
				InputSchema              json.RawMessage
				OutputSchema             json.RawMessage
				Annotations              toolcrib.Annotations
			}
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
		var tools []toolcrib.Tool
		for _, x := range list.Tools {
			tools = append(tools, tool(toolcrib.SourceMCP, list.Server, x.Name, x.Description, func(t *toolcrib.Tool) {
				t.Label, t.Parameters, t.OutputSchema, t.Annotations = x.Title, x.InputSchema, x.OutputSchema, x.Annotations
			}))
		}
		listings = append(listings, listing(tools...))
	}
	return catalog.Plan(listings, allowAll)
}

// TestRealTools: every real tool can be shown, described and found by name.
func TestRealTools(t *testing.T) {
	c := realCatalog(t)
	controls, direct := open(t, c, ModeTools), open(t, c, ModeDirect)
	small, _ := encode(controls.Tools())
	large, _ := encode(direct.Tools())
	t.Logf("%d tools: %d bytes of controls, %d bytes directly", c.Len(), len(small), len(large))
	if len(small) > maxControls || len(large) < 1000*len(small) {
		t.Errorf("%d bytes of controls, %d bytes directly", len(small), len(large))
	}
	if w := direct.Warnings(); len(w) > 0 {
		t.Errorf("not shown: %s", strings.Join(w, "\n"))
	}
	for _, v := range direct.Tools() {
		if !callable.MatchString(v.Name) || !strings.HasPrefix(string(bytes.TrimSpace(v.InputSchema)), "{") {
			t.Errorf("%s is shown as %q with %.40s", v.ID, v.Name, v.InputSchema)
		}
	}
	for x := range c.All() {
		text, _ := controls.ask(t, DescribeControl, fmt.Sprintf(`{"id":%q}`, x.ID))
		var d Detail
		if err := json.Unmarshal([]byte(text), &d); err != nil || d.ID != x.ID || !sameJSON(d.Parameters, x.Parameters) {
			t.Errorf("describe %s: %v, %.200s", x.ID, err, text)
		}
	}
	for x := range c.All() {
		hits, err := controls.Search(t.Context(), toolcrib.Scope{}, "", Query{Text: x.ID, Limit: 1})
		if err != nil || len(hits) == 0 || hits[0].ID != x.ID {
			t.Errorf("a search for %s: %v, %v", x.ID, hits, err)
		}
	}
}

// sameJSON compares two texts as values.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if len(b) == 0 {
		b = json.RawMessage(`{"type":"object"}`)
	}
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
}

func BenchmarkSearchControl(b *testing.B) {
	s := open(b, realCatalog(b), ModeTools)
	for b.Loop() {
		s.ask(b, SearchControl, `{"query":"open an issue in gitlab"}`)
		s.recorder.events = s.recorder.events[:0]
	}
}

func BenchmarkOpen(b *testing.B) {
	c := realCatalog(b)
	index := open(b, c, ModeTools).opt.Index
	for _, m := range []Mode{ModeTools, ModeDirect} {
		b.Run(string(m), func(b *testing.B) {
			for b.Loop() {
				open(b, c, m, func(o *Options) { o.Index = index })
			}
		})
	}
}

func BenchmarkCut(b *testing.B) {
	s := answering(b, ModeTools, toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(strings.Repeat("some text\n", 1<<20))}})
	for b.Loop() {
		s.ask(b, CallControl, callForge)
		s.keeper.whole, s.caller.got = nil, nil
	}
}
