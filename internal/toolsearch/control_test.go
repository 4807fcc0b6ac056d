package toolsearch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// maxControls is the contract's bound on the three controls, in bytes of JSON.
const maxControls = 1800

// crowd is a catalog of servers with names of some length; server i has i+1 tools.
func crowd(servers, length int) *catalog.Catalog {
	var listings []toolcrib.Listing
	for i := range servers {
		name := fmt.Sprintf("server%d", i)
		name += strings.Repeat("x", max(0, length-len(name)))
		var tools []toolcrib.Tool
		for n := range i + 1 {
			tools = append(tools, tool(toolcrib.SourceMCP, name, fmt.Sprintf("tool_%d", n), "Does something."))
		}
		listings = append(listings, listing(tools...))
	}
	return catalog.Plan(listings, allowAll)
}

// TestControls pins every byte that a model sees of the controls.
func TestControls(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    *catalog.Catalog
	}{
		{"empty", catalog.Plan([]toolcrib.Listing{{Source: toolcrib.SourceMCP, Owner: "slow", State: toolcrib.StateStarting}}, allowAll)},
		{"one", crowd(1, 4)},
		{"three", crowd(3, 4)},
		{"thirty", crowd(30, 12)},
		{"two_hundred_long", crowd(200, 64)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tools := open(t, tt.c, ModeTools).Tools()
			text, err := encode(tools)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > maxControls {
				t.Errorf("the controls take %d bytes, the bound is %d", len(text), maxControls)
			}
			if html, _ := json.Marshal(tools); len(html) != len(text) {
				t.Errorf("%d bytes where HTML is escaped, %d where it isn't: the budget depends on the encoder", len(html), len(text))
			}
			if n := len([]rune(inventory(tt.c))); n > maxInventory {
				t.Errorf("the search control says %d characters of what there is, the bound is %d", n, maxInventory)
			}
			var indented bytes.Buffer
			_ = json.Indent(&indented, text, "", "  ")
			golden(t, "controls_"+tt.name+".json", fmt.Appendf(indented.Bytes(), "\n%d bytes\n", len(text)))
		})
	}
}

func TestControlsTellTheTruth(t *testing.T) {
	for _, v := range open(t, small(), ModeTools).Tools()[:3] {
		reads := v.Name != CallControl
		if *v.Annotations.ReadOnly != reads {
			t.Errorf("%s says readOnlyHint %v", v.Name, *v.Annotations.ReadOnly)
		}
		if reads && (!*v.Annotations.Idempotent || *v.Annotations.OpenWorld) {
			t.Errorf("%s must be idempotent and of a closed world", v.Name)
		}
		if !reads && (!*v.Annotations.Destructive || !*v.Annotations.OpenWorld || v.Annotations.Idempotent != nil) {
			t.Errorf("%s can do anything, and its annotations deny it", v.Name)
		}
		if string(v.Meta) != `{"anthropic/alwaysLoad":true}` {
			t.Errorf("%s: _meta is %s", v.Name, v.Meta)
		}
	}
}

// TestInventory: largest first, with counts, and how many are left out.
func TestInventory(t *testing.T) {
	got := inventory(crowd(30, 12))
	if !strings.HasPrefix(got, "465 tools: server29xxxx 30, server28xxxx 29, ") || !regexp.MustCompile(` and \d+ more\.$`).MatchString(got) {
		t.Errorf("inventory: %q", got)
	}
	if got := inventory(small()); got != "4 tools: forge 2, garden 1, tracker 1." {
		t.Errorf("inventory of the small catalog: %q", got)
	}
	many := make([]toolcrib.Tool, 1459)
	for i := range many {
		many[i] = tool(toolcrib.SourceMCP, "big", fmt.Sprintf("t%04d", i), "")
	}
	if got := inventory(catalog.Plan([]toolcrib.Listing{listing(many...)}, allowAll)); got != "1,459 tools: big 1459." {
		t.Errorf("inventory of a large catalog: %q", got)
	}
}

// TestSurfaceIsStable: equal fingerprints show equal bytes, outages or not.
func TestSurfaceIsStable(t *testing.T) {
	with := []toolcrib.Listing{crowdListing("a"), crowdListing("b")}
	a := catalog.Plan(with, allowAll)
	b := catalog.Plan(append([]toolcrib.Listing{down("c", "dead"), with[1]}, with[0]), allowAll)
	if a.Fingerprint() != b.Fingerprint() {
		t.Fatal("the fingerprint depends on an outage or on the order")
	}
	for _, m := range []Mode{ModeTools, ModeDirect} {
		one, _ := encode(open(t, a, m).Tools())
		two, _ := encode(open(t, b, m).Tools())
		if !bytes.Equal(one, two) {
			t.Errorf("mode %s shows other bytes for the same tools", m)
		}
	}
}

func crowdListing(owner string) toolcrib.Listing {
	return listing(tool(toolcrib.SourceMCP, owner, "x", "X."), tool(toolcrib.SourceMCP, owner, "y", "Y."))
}

// TestInstructions names only what the mode offers.
func TestInstructions(t *testing.T) {
	text := open(t, small(), ModeTools).Instructions()
	for _, name := range []string{SearchControl, DescribeControl, CallControl, "unavailable"} {
		if !strings.Contains(text, name) {
			t.Errorf("the instructions of mode tools don't name %s", name)
		}
	}
	if text := open(t, small(), ModeDirect).Instructions(); strings.Contains(text, "tool_") {
		t.Errorf("the instructions of mode direct name a control: %q", text)
	}
	golden(t, "instructions_tools.txt", []byte(toolsInstructions+"\n"))
}
