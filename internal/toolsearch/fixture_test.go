package toolsearch

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s has changed (-want +got):\n%s", path, diff)
	}
}

// caller runs every tool with one function and remembers the requests.
type caller struct {
	catalog *catalog.Catalog
	answer  func(Request) (toolcrib.Result, error)
	mu      sync.Mutex
	got     []Request
}

func (c *caller) Call(_ context.Context, r Request) (toolcrib.Tool, toolcrib.Result, error) {
	c.mu.Lock()
	c.got = append(c.got, r)
	c.mu.Unlock()
	t, err := c.catalog.Resolve(r.Ref)
	if err != nil {
		return toolcrib.Tool{}, toolcrib.Result{}, err
	}
	if c.answer == nil {
		return *t, toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text("ran " + t.ID)}}, nil
	}
	result, err := c.answer(r)
	return *t, result, err
}

// keeper holds what was cut.
type keeper struct{ whole [][]byte }

func (k *keeper) Keep(_ toolcrib.Scope, whole []byte) string {
	k.whole = append(k.whole, whole)
	return "r" + strings.Repeat("0", 24)
}

// recorder holds events.
type recorder struct{ events []toolcrib.Event }

func (r *recorder) Record(e toolcrib.Event) { r.events = append(r.events, e) }

func tool(source toolcrib.Source, owner, name, description string, change ...func(*toolcrib.Tool)) toolcrib.Tool {
	t := toolcrib.Tool{
		ID: toolcrib.MakeID(source, owner, name), Source: source, Owner: owner, Name: name, Description: description,
		Parameters: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`),
	}
	for _, f := range change {
		f(&t)
	}
	return t
}

func directOnly(t *toolcrib.Tool) { t.CatalogMode = toolcrib.CatalogDirectOnly }

func listing(tools ...toolcrib.Tool) toolcrib.Listing {
	return toolcrib.Listing{Source: tools[0].Source, Owner: tools[0].Owner, State: toolcrib.StateReady, Known: true, Tools: tools, Fingerprint: catalog.Fingerprint(tools)}
}

func down(server, reason string, remembered ...toolcrib.Tool) toolcrib.Listing {
	return toolcrib.Listing{Source: toolcrib.SourceMCP, Owner: server, State: toolcrib.StateDown, Reason: reason, Known: len(remembered) > 0, Tools: remembered}
}

func reader() toolcrib.Listing {
	return listing(tool(toolcrib.SourceCore, "results", "read", "Read on in a result that was cut."))
}

func allowAll(*toolcrib.Tool) bool { return true }

// small is a catalog with a bit of everything.
func small() *catalog.Catalog {
	return catalog.Plan([]toolcrib.Listing{
		reader(),
		listing(
			tool(toolcrib.SourcePlugin, "garden", "water_plants", "Water the plants of one bed.", func(t *toolcrib.Tool) {
				t.Label = "Water plants"
				t.Parameters = json.RawMessage(`{"type":"object","properties":{"bed":{"type":"string"},"mode":{"enum":["drip","flood"]}},"required":["bed"],"additionalProperties":false}`)
				t.OutputSchema = json.RawMessage(`{"type":"object","properties":{"litres":{"type":"number"}},"required":["litres"],"additionalProperties":false}`)
			}),
			tool(toolcrib.SourcePlugin, "garden", "stop", "Stop all water at once.", directOnly),
		),
		listing(
			tool(toolcrib.SourceMCP, "forge", "create_issue", "Open a new issue in a project."),
			tool(toolcrib.SourceMCP, "forge", "list_issues", "List the issues of a project.", func(t *toolcrib.Tool) {
				t.OutputSchema = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
			}),
		),
		listing(tool(toolcrib.SourceMCP, "tracker", "create_issue", "File an issue with the tracker.")),
		down("mail", "connection refused", tool(toolcrib.SourceMCP, "mail", "send_mail", "Send a mail.")),
	}, allowAll)
}

// bench is a surface with everything that it works with.
type bench struct {
	*Surface
	caller   *caller
	keeper   *keeper
	recorder *recorder
}

func open(t testing.TB, c *catalog.Catalog, m Mode, change ...func(*Options)) bench {
	t.Helper()
	b := bench{caller: &caller{catalog: c}, keeper: &keeper{}, recorder: &recorder{}}
	opt := Options{Mode: m, Catalog: c, Caller: b.caller, Keeper: b.keeper, Recorder: b.recorder}
	for _, f := range change {
		f(&opt)
	}
	s, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	b.Surface = s
	return b
}

// ask calls something visible and returns its text, which must be valid JSON for a control.
func (b bench) ask(t testing.TB, name, args string) (string, Reply) {
	t.Helper()
	r := b.Call(t.Context(), CallRequest{Name: name, Args: json.RawMessage(args), CallID: "c1", Scope: toolcrib.Scope{Agent: "main", Session: "s1"}})
	if r.Text != "" && !json.Valid([]byte(r.Text)) {
		t.Fatalf("%s %s: not JSON: %.300s", name, args, r.Text)
	}
	return r.Text, r
}
