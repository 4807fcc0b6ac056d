package toolsearch

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

var callable = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// namesIn opens a mode and returns the names by id, checked.
func namesIn(t *testing.T, m Mode, listings ...toolcrib.Listing) map[string]string {
	t.Helper()
	b := open(t, catalog.Plan(listings, allowAll), m)
	seen, out := map[string]bool{}, map[string]string{}
	for _, v := range b.Tools() {
		if !callable.MatchString(v.Name) || seen[v.Name] {
			t.Errorf("%q is no name, or is there twice", v.Name)
		}
		seen[v.Name] = true
		out[v.ID] = v.Name
		if v.ID == "" {
			continue
		}
		if _, r := b.ask(t, v.Name, `{}`); r.IsError || r.Blocks[0].Text != "ran "+v.ID {
			t.Errorf("%s doesn't lead back to %s: %v", v.Name, v.ID, r.Blocks)
		}
	}
	return out
}

func TestNames(t *testing.T) {
	long := strings.Repeat("long_", 20)
	prefixed := listing(tool(toolcrib.SourceMCP, "git.hub", "make", ""))
	prefixed.ToolPrefix = "gh"
	bare := listing(tool(toolcrib.SourceMCP, "bare", "plain", ""), tool(toolcrib.SourceMCP, "bare", "water", ""))
	bare.NoPrefix = true
	got := namesIn(t, ModeDirect,
		listing(
			tool(toolcrib.SourceMCP, "a", "clean-name_1", ""), tool(toolcrib.SourceMCP, "a", "dotted.name", ""), tool(toolcrib.SourceMCP, "a", "dotted_name", ""),
			tool(toolcrib.SourceMCP, "a", long+"1", ""), tool(toolcrib.SourceMCP, "a", long+"2", ""), tool(toolcrib.SourceMCP, "a", "日本語", ""),
			tool(toolcrib.SourceMCP, "a", "b__c", ""),
		),
		listing(tool(toolcrib.SourceMCP, "a__b", "c", "")),
		prefixed, bare,
		listing(tool(toolcrib.SourcePlugin, "p", "water", ""), tool(toolcrib.SourcePlugin, "p", "twin", "")),
		listing(tool(toolcrib.SourcePlugin, "q", "twin", "")),
	)
	for id, want := range map[string]string{
		"mcp:a:clean-name_1": "a__clean-name_1",
		"mcp:a:dotted_name":  "a__dotted_name",
		"mcp:git.hub:make":   "gh__make",
		"mcp:bare:plain":     "plain",
		"plugin:p:water":     "water", // the installed tool keeps it
	} {
		if got[id] != want {
			t.Errorf("%s is named %q, want %q", id, got[id], want)
		}
	}
	for id, start := range map[string]string{
		"mcp:a:dotted.name": "a__dotted_name_", "mcp:a:日本語": "a_____", "mcp:a:" + long + "1": "a__long_", "mcp:bare:water": "water_",
		"plugin:p:twin": "twin_", "plugin:q:twin": "twin_", "mcp:a:b__c": "a__b__c_", "mcp:a__b:c": "a__b__c_",
	} {
		if !strings.HasPrefix(got[id], start) || !regexp.MustCompile(`_[0-9a-f]{8}$`).MatchString(got[id]) {
			t.Errorf("%s is named %q, want %s and a hash", id, got[id], start)
		}
	}
}

// TestNamesAreStable: a name doesn't depend on the other tools, save those that want the same one.
func TestNamesAreStable(t *testing.T) {
	odd := tool(toolcrib.SourceMCP, "a", "dotted.name", "")
	alone := namesIn(t, ModeDirect, listing(odd))
	among := namesIn(t, ModeDirect, listing(odd, tool(toolcrib.SourceMCP, "a", "dotted_name", "")), listing(tool(toolcrib.SourceMCP, "b", "x", "")))
	if alone[odd.ID] != among[odd.ID] {
		t.Errorf("%q alone, %q among others", alone[odd.ID], among[odd.ID])
	}
	// a server that goes down doesn't rename the tools of another
	twin := func(owner string) toolcrib.Listing {
		l := listing(tool(toolcrib.SourceMCP, owner, "x", ""))
		l.NoPrefix = true
		return l
	}
	up := namesIn(t, ModeDirect, twin("a"), twin("b"))
	gone := twin("b")
	gone.State = toolcrib.StateDown
	if got := namesIn(t, ModeDirect, twin("a"), gone); got["mcp:a:x"] != up["mcp:a:x"] {
		t.Errorf("%q while the other server is up, %q when it is down", up["mcp:a:x"], got["mcp:a:x"])
	}
}

// TestControlsKeepTheirNames: a tool that has the name of a control is renamed.
func TestControlsKeepTheirNames(t *testing.T) {
	for _, name := range []string{SearchControl, DescribeControl, CallControl} {
		l := listing(tool(toolcrib.SourcePlugin, "p", name, "An impostor.", directOnly), tool(toolcrib.SourcePlugin, "p", "x", ""))
		got := namesIn(t, ModeTools, l)
		if shown := got["plugin:p:"+name]; !strings.HasPrefix(shown, name+"_") {
			t.Errorf("the tool %s is shown as %q beside the control", name, shown)
		}
		if shown := namesIn(t, ModeDirect, l)["plugin:p:"+name]; shown != name {
			t.Errorf("without controls the tool %s is shown as %q", name, shown)
		}
	}
}

// TestSuffixAvoidsNamesInUse, also those that look like a suffixed one.
func TestSuffixAvoidsNamesInUse(t *testing.T) {
	odd := tool(toolcrib.SourceMCP, "a", "x.y", "")
	taken := namesIn(t, ModeDirect, listing(odd))[odd.ID]
	squatter := tool(toolcrib.SourcePlugin, "p", taken, "")
	got := namesIn(t, ModeDirect, listing(odd), listing(squatter))
	if got[squatter.ID] != taken || got[odd.ID] == taken {
		t.Errorf("names %v", got)
	}
}

func FuzzNames(f *testing.F) {
	f.Add("a.b", "a_b", "日本")
	f.Add(strings.Repeat("x", 70), strings.Repeat("x", 71), "")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var tools []*toolcrib.Tool
		for i, name := range []string{a, b, c, a} {
			x := tool(toolcrib.SourceMCP, fmt.Sprintf("s%d", i%3), name, "")
			tools = append(tools, &x)
		}
		tools = tools[:3]
		n := nameTools(tools, func(*toolcrib.Tool) string { return "" }, []string{SearchControl})
		for _, x := range tools {
			name := n.byID[x.ID]
			if !callable.MatchString(name) || n.byName[name] != x || name == SearchControl {
				t.Errorf("%q is named %q", x.Name, name)
			}
		}
	})
}
