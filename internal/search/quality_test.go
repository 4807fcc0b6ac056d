package search

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolcrib/toolcrib"
)

// shared returns a folder of measuring data, or skips.
func shared(tb testing.TB, parts ...string) string {
	tb.Helper()
	root := os.Getenv("TOOLCRIB_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skip("shared catalogs absent: set TOOLCRIB_SHARED to the folder that holds them")
	}
	return path
}

// lines decodes a file of one JSON value a line.
func lines[T any](tb testing.TB, path string) []T {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []T
	for dec := json.NewDecoder(bufio.NewReader(f)); dec.More(); {
		var v T
		if err := dec.Decode(&v); err != nil {
			tb.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

type evalTool struct {
	ID, Server, Name, Description string
	InputSchema                   json.RawMessage
}

type evalQuery struct {
	ID, Query, Lang string
	Relevant        []string
}

// evalSet is a set of tools and requests with the right answers.
type evalSet struct {
	tools   []toolcrib.Tool
	queries []evalQuery
	id      map[string]string // from ours to the set's
}

func loadSet(tb testing.TB, name string, trusted bool) *evalSet {
	tb.Helper()
	dir := shared(tb, "eval", name)
	set := &evalSet{queries: lines[evalQuery](tb, filepath.Join(dir, "queries.jsonl")), id: map[string]string{}}
	for _, t := range lines[evalTool](tb, filepath.Join(dir, "tools.jsonl")) {
		tool := toolcrib.Tool{
			ID: "mcp:" + t.ID, Source: toolcrib.SourceMCP, Owner: t.Server, Name: t.Name,
			Description: t.Description, Parameters: t.InputSchema, Trusted: trusted,
		}
		set.tools = append(set.tools, tool)
		set.id[tool.ID] = t.ID
	}
	return set
}

// quality is the mean nDCG at 10 and recall at 5.
type quality struct{ ndcg, recall float64 }

func (set *evalSet) measure(x *Index) quality {
	var sum quality
	for _, q := range set.queries {
		dcg, ideal, found := 0.0, 0.0, 0
		for i, h := range x.Search(q.Query, 10) {
			if slices.Contains(q.Relevant, set.id[h.Tool.ID]) {
				dcg += 1 / math.Log2(float64(i)+2)
				if i < 5 {
					found++
				}
			}
		}
		for i := range min(10, len(q.Relevant)) {
			ideal += 1 / math.Log2(float64(i)+2)
		}
		sum.ndcg += dcg / ideal
		sum.recall += float64(found) / float64(len(q.Relevant))
	}
	n := float64(len(set.queries))
	return quality{sum.ndcg / n, sum.recall / n}
}

// floors are what the index must reach: a little under what it does reach.
var floors = []struct {
	set                string
	trusted, untrusted float64 // nDCG at 10, with and without parameter schemas
}{
	{"livemcp_steps", .715, .700},
	{"livemcp_agentq", .585, .563},
	{"bfcl", .790, .688},
	{"toolbench", .704, .680},
	{"metatool", .539, .539},
}

// TestQuality guards how well the index finds the tools of public sets of
// requests. With -v it prints the figures.
func TestQuality(t *testing.T) {
	for _, f := range floors {
		for _, trusted := range []bool{true, false} {
			set := loadSet(t, f.set, trusted)
			q := set.measure(Join(NewSegment(set.tools)))
			t.Logf("%-15s trusted=%-5v nDCG@10 %.4f  Recall@5 %.4f", f.set, trusted, q.ndcg, q.recall)
			floor := f.untrusted
			if trusted {
				floor = f.trusted
			}
			if q.ndcg < floor {
				t.Errorf("%s, trusted=%v: nDCG@10 %.4f is below %.3f", f.set, trusted, q.ndcg, floor)
			}
		}
	}
}

// TestCatalogSize guards the memory that the index takes for real catalogs.
func TestCatalogSize(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		segments, tools := catalogs(t, trusted)
		bytes, postings := 0, 0
		for _, s := range segments {
			bytes += s.size()
			postings += len(s.postings)
		}
		t.Logf("trusted=%-5v %d segments, %d tools: %d bytes and %d postings a tool", trusted, len(segments), tools, bytes/tools, postings/tools)
		if limit := map[bool]int{true: 3000, false: 1500}[trusted]; bytes/tools > limit {
			t.Errorf("trusted=%v: %d bytes a tool, want at most %d", trusted, bytes/tools, limit)
		}
	}
}

// catalogs indexes the tool lists of real servers.
func catalogs(tb testing.TB, trusted bool) (segments []*Segment, total int) {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(shared(tb, "catalogs"), "*.json"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, path := range paths {
		list := lines[struct {
			Server string
			Tools  []struct {
				Name, Title, Description string
				InputSchema              json.RawMessage
			}
		}](tb, path)[0]
		var tools []toolcrib.Tool
		for _, t := range list.Tools {
			tools = append(tools, toolcrib.Tool{
				ID: toolcrib.MakeID(toolcrib.SourceMCP, list.Server, t.Name), Source: toolcrib.SourceMCP, Owner: list.Server,
				Name: t.Name, Label: t.Title, Description: t.Description, Parameters: t.InputSchema, Trusted: trusted,
			})
		}
		total += len(tools)
		segments = append(segments, NewSegment(tools))
	}
	return segments, total
}
