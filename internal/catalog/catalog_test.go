package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
)

func tool(source toolcrib.Source, owner, name string) toolcrib.Tool {
	return toolcrib.Tool{ID: toolcrib.MakeID(source, owner, name), Source: source, Owner: owner, Name: name, Description: "does " + name}
}

func server(owner string, names ...string) toolcrib.Listing {
	l := toolcrib.Listing{Source: toolcrib.SourceMCP, Owner: owner, State: toolcrib.StateReady, Known: true}
	for _, n := range names {
		l.Tools = append(l.Tools, tool(toolcrib.SourceMCP, owner, n))
	}
	l.Fingerprint = Fingerprint(l.Tools)
	return l
}

func allowAll(*toolcrib.Tool) bool { return true }

func deny(ids ...string) Decider {
	return func(t *toolcrib.Tool) bool { return !slices.Contains(ids, t.ID) }
}

func ids(c *Catalog) []string {
	var out []string
	for t := range c.All() {
		out = append(out, t.ID)
	}
	return out
}

func TestPlan(t *testing.T) {
	direct := tool(toolcrib.SourcePlugin, "garden", "stop")
	direct.CatalogMode = toolcrib.CatalogDirectOnly
	plugin := toolcrib.Listing{
		Source: toolcrib.SourcePlugin, Owner: "garden", State: toolcrib.StateReady, Known: true,
		Tools: []toolcrib.Tool{direct, tool(toolcrib.SourcePlugin, "garden", "water")},
	}
	gone := server("mail", "send")
	gone.State, gone.Reason = toolcrib.StateDown, "exit status 1"
	off := server("old", "x")
	off.State = toolcrib.StateDisabled
	c := Plan([]toolcrib.Listing{server("forge", "create", "delete"), gone, off, plugin}, deny("mcp:forge:delete"))

	want := []string{"plugin:garden:water", "plugin:garden:stop", "mcp:forge:create"}
	if diff := cmp.Diff(want, ids(c)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if c.Len() != 2 || len(c.Direct()) != 1 || c.Direct()[0].ID != direct.ID {
		t.Errorf("Len %d, Direct %v: want 2 catalogued and the direct-only one", c.Len(), c.Direct())
	}
	if diff := cmp.Diff([]Outage{{"mail", toolcrib.StateDown, "exit status 1"}}, c.Outages()); diff != "" {
		t.Errorf("outages (-want +got):\n%s", diff)
	}
	var owners []string
	for _, g := range c.Groups() {
		owners = append(owners, string(g.Source)+" "+g.Owner+" "+g.Prefix)
	}
	if diff := cmp.Diff([]string{"plugin garden ", "mcp forge forge"}, owners); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if c.Pending() {
		t.Error("Pending: every server is known")
	}
}

// TestPlanPending: a server that has not answered counts only if policy lets the caller know of it.
func TestPlanPending(t *testing.T) {
	waiting := toolcrib.Listing{Source: toolcrib.SourceMCP, Owner: "slow", State: toolcrib.StateStarting}
	remembered := server("cached", "a")
	remembered.State = toolcrib.StateStarting
	c := Plan([]toolcrib.Listing{waiting, remembered}, allowAll)
	if !c.Pending() || c.Len() != 1 {
		t.Errorf("Pending %v, Len %d: want pending with the remembered tool", c.Pending(), c.Len())
	}
	if diff := cmp.Diff([]Outage{{"slow", toolcrib.StateStarting, "it is still starting"}}, c.Outages()); diff != "" {
		t.Errorf("outages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(c.Outages(), c.Awaited()); diff != "" {
		t.Errorf("awaited (-want +got):\n%s", diff)
	}
	c = Plan([]toolcrib.Listing{waiting}, func(t *toolcrib.Tool) bool { return t.Owner != "slow" })
	if c.Pending() || len(c.Outages()) != 0 {
		t.Error("a server that policy hides is pending or named as unavailable")
	}
}

func TestPlanLeavesOutOddTools(t *testing.T) {
	l := server("forge", "a", "b")
	l.Tools[0].ID = "mcp:other:a"
	l.Tools = append(l.Tools, toolcrib.Tool{ID: "mcp:forge:", Source: toolcrib.SourceMCP, Owner: "forge"})
	c := Plan([]toolcrib.Listing{l}, allowAll)
	if diff := cmp.Diff([]string{"mcp:forge:b"}, ids(c)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if w := c.Warnings(); len(w) != 2 || !strings.Contains(w[0], "mcp:other:a") {
		t.Errorf("warnings %q: want one for each tool left out", w)
	}
}

func TestPlanDuplicates(t *testing.T) {
	first, second := server("forge", "a", "b"), server("forge", "b", "c")
	second.Tools[0].Description = "the later one"
	c := Plan([]toolcrib.Listing{first, second, server("tracker", "b")}, allowAll)
	if diff := cmp.Diff([]string{"mcp:forge:a", "mcp:forge:b", "mcp:forge:c", "mcp:tracker:b"}, ids(c)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if got, _ := c.Lookup("mcp:forge:b"); got.Description != "the later one" {
		t.Errorf("the earlier tool won: %q", got.Description)
	}
	if w := c.Warnings(); len(w) != 1 || !strings.Contains(w[0], "mcp:forge:b") {
		t.Errorf("warnings %q: want one that names the tool", w)
	}
}

func TestResolve(t *testing.T) {
	odd := tool(toolcrib.SourceMCP, "odd", "mcp:forge:create") // a name that looks like an id
	gone := server("mail", "send")
	gone.State, gone.Reason = toolcrib.StateDown, "exit status 1"
	c := Plan([]toolcrib.Listing{
		server("forge", "create", "ns:Deep:name", "same"), server("tracker", "same"), gone,
		{Source: toolcrib.SourceMCP, Owner: "odd", State: toolcrib.StateReady, Known: true, Tools: []toolcrib.Tool{odd}},
		{Source: toolcrib.SourceClient, State: toolcrib.StateReady, Known: true, Tools: []toolcrib.Tool{tool(toolcrib.SourceClient, "", "pick:file")}},
		{Source: toolcrib.SourceMCP, Owner: "off", State: toolcrib.StateDisabled, Reason: "it is switched off in the configuration"},
		{Source: toolcrib.SourceMCP, Owner: "secret", State: toolcrib.StateDisabled, Reason: "it is switched off in the configuration"},
	}, func(t *toolcrib.Tool) bool { return t.Owner != "secret" })
	for _, o := range c.Outages() {
		if o.Server != "mail" {
			t.Errorf("%s is named as an outage", o.Server)
		}
	}
	for _, tt := range []struct{ ref, id, kind, says string }{
		{ref: "mcp:forge:create", id: "mcp:forge:create"},
		{ref: "  mcp:forge:create\n", id: "mcp:forge:create"},
		{ref: "create", id: "mcp:forge:create"},
		{ref: "ns:Deep:name", id: "mcp:forge:ns:Deep:name"},
		{ref: "mcp:odd:mcp:forge:create", id: "mcp:odd:mcp:forge:create"},
		{ref: "client:pick:file", id: "client:pick:file"},
		{ref: "pick:file", id: "client:pick:file"},
		{ref: "Create", kind: "not_found", says: `"Create"`},
		{ref: "MCP:forge:create", kind: "not_found"},
		{ref: "same", kind: "ambiguous", says: "mcp:forge:same, mcp:tracker:same"},
		{ref: " ", kind: "input"},
		{ref: "mcp:mail:send", kind: "unavailable", says: "exit status 1"},
		{ref: "mcp:mail:anything", kind: "unavailable", says: "exit status 1"},
		{ref: "send", kind: "unavailable", says: "mail"},
		{ref: "mcp:off:anything", kind: "unavailable", says: "server off is not available: it is switched off"},
		{ref: "off", kind: "not_found"},
		{ref: "mcp:secret:anything", kind: "not_found"},
		{ref: strings.Repeat("é", 5000), kind: "not_found", says: "…"},
	} {
		got, err := c.Resolve(tt.ref)
		if string(toolcrib.KindOf(err)) != tt.kind || (err == nil && got.ID != tt.id) {
			t.Errorf("Resolve(%.40q) = %v, %v; want id %q, kind %q", tt.ref, got, err, tt.id, tt.kind)
		}
		if err != nil && (!strings.Contains(err.Error(), tt.says) || len(err.Error()) > 2*maxRef+200) {
			t.Errorf("Resolve(%.40q): %q doesn't say %q in few words", tt.ref, err, tt.says)
		}
	}
}

// TestResolveIsNoOracle: a tool that policy hides and one that doesn't exist read alike.
func TestResolveIsNoOracle(t *testing.T) {
	c := Plan([]toolcrib.Listing{server("forge", "create", "hidden")}, deny("mcp:forge:hidden"))
	for _, pair := range [][2]string{{"mcp:forge:hidden", "mcp:forge:nosuch"}, {"hidden", "nosuch"}} {
		_, hidden := c.Resolve(pair[0])
		_, absent := c.Resolve(pair[1])
		if !errors.Is(hidden, ErrUnknown) || !errors.Is(absent, ErrUnknown) {
			t.Fatalf("%v: %v and %v: want ErrUnknown", pair, hidden, absent)
		}
		if a, b := strings.ReplaceAll(hidden.Error(), "hidden", "X"), strings.ReplaceAll(absent.Error(), "nosuch", "X"); a != b {
			t.Errorf("a hidden tool answers %q, an absent one %q", a, b)
		}
	}
	for _, ref := range []string{" mcp:forge:hidden ", "hidden", "forge__hidden"} {
		if got, ok := c.Excluded(ref); !ok || got.Name != "hidden" {
			t.Errorf("Excluded doesn't know the hidden tool by %q, so the log can't tell the rule", ref)
		}
	}
	for _, ref := range []string{"", "forge__", "xforge__hidden", "Hidden", "mcp:forge:create", "create"} {
		if got, ok := c.Excluded(ref); ok {
			t.Errorf("Excluded takes %q for %s", ref, got.ID)
		}
	}
}

func TestFingerprint(t *testing.T) {
	base := func() []toolcrib.Listing {
		return []toolcrib.Listing{server("forge", "a", "b"), server("tracker", "c")}
	}
	of := func(l []toolcrib.Listing, d Decider) *Catalog {
		for i := range l {
			l[i].Fingerprint = Fingerprint(l[i].Tools)
		}
		return Plan(l, d)
	}
	want := of(base(), allowAll)
	same := base()
	slices.Reverse(same)
	if of(same, allowAll).Fingerprint() != want.Fingerprint() {
		t.Error("the order of the owners changes the fingerprint")
	}
	same = base()
	same = append(same, toolcrib.Listing{Source: toolcrib.SourceMCP, Owner: "x", State: toolcrib.StateDown, Reason: "dead"})
	if of(same, allowAll).Fingerprint() != want.Fingerprint() {
		t.Error("an outage changes the fingerprint")
	}
	for name, change := range map[string]func(*toolcrib.Tool){
		"description":   func(t *toolcrib.Tool) { t.Description += "." },
		"label":         func(t *toolcrib.Tool) { t.Label = "L" },
		"schema":        func(t *toolcrib.Tool) { t.Parameters = json.RawMessage(`{}`) },
		"output schema": func(t *toolcrib.Tool) { t.OutputSchema = json.RawMessage(`{}`) },
		"annotations":   func(t *toolcrib.Tool) { yes := true; t.Annotations.ReadOnly = &yes },
		"meta":          func(t *toolcrib.Tool) { t.Meta = json.RawMessage(`{}`) },
		"catalog mode":  func(t *toolcrib.Tool) { t.CatalogMode = toolcrib.CatalogDirectOnly },
		"execution":     func(t *toolcrib.Tool) { t.ExecutionMode = toolcrib.ExecutionSequential },
		"owner-only":    func(t *toolcrib.Tool) { t.OwnerOnly = true },
		"trusted":       func(t *toolcrib.Tool) { t.Trusted = true },
		"trusted hints": func(t *toolcrib.Tool) { t.TrustedHints = true },
	} {
		l := base()
		change(&l[0].Tools[0])
		got := of(l, allowAll)
		if got.Fingerprint() == want.Fingerprint() {
			t.Errorf("a changed %s doesn't change the fingerprint", name)
		}
		if groupOf(got, "tracker").Fingerprint != groupOf(want, "tracker").Fingerprint {
			t.Errorf("a changed %s of one server changes the fingerprint of another", name)
		}
	}
	if narrowed := of(base(), deny("mcp:forge:a")); groupOf(narrowed, "forge").Fingerprint == groupOf(want, "forge").Fingerprint {
		t.Error("a group that policy narrows keeps its fingerprint")
	}
}

func groupOf(c *Catalog, owner string) Group {
	for _, g := range c.Groups() {
		if g.Owner == owner {
			return g
		}
	}
	return Group{}
}

func TestPlanSharesTheListing(t *testing.T) {
	l := server("forge", "a", "b")
	c := Plan([]toolcrib.Listing{l}, allowAll)
	if &c.Groups()[0].Tools[0] != &l.Tools[0] {
		t.Error("an unfiltered listing is copied")
	}
	got, _ := c.Lookup("mcp:forge:a")
	if got != &l.Tools[0] {
		t.Error("Lookup and Groups hold different tools")
	}
}

func TestPlanner(t *testing.T) {
	p := NewPlanner(2)
	listings := []toolcrib.Listing{server("forge", "a", "b"), server("tracker", "c")}
	first := p.Plan(listings, allowAll, "all")
	if p.Plan(slices.Clone(listings), allowAll, "all") != first {
		t.Error("the same listings under the same rule are planned anew")
	}
	narrow := p.Plan(listings, deny("mcp:forge:a"), "narrow")
	if diff := cmp.Diff([]string{"mcp:forge:b", "mcp:tracker:c"}, ids(narrow)); diff != "" {
		t.Errorf("another rule got another's catalog (-want +got):\n%s", diff)
	}
	changed := p.Plan([]toolcrib.Listing{listings[0], server("tracker", "c", "d")}, allowAll, "all")
	if changed.groups[0] != first.groups[0] {
		t.Error("the group of a server that didn't change was made anew")
	}
	if changed.Len() != 4 {
		t.Errorf("%d tools after a change, want 4", changed.Len())
	}
	dead := listings[1]
	dead.State, dead.Reason = toolcrib.StateDown, "gone"
	if got := p.Plan([]toolcrib.Listing{listings[0], dead}, allowAll, "all"); got.Len() != 2 || len(got.Outages()) != 1 {
		t.Errorf("a server that went down: %d tools, outages %v", got.Len(), got.Outages())
	}
	for i := range 1000 {
		p.Plan(listings, allowAll, fmt.Sprint(i))
	}
	if n := len(p.catalogs.new) + len(p.catalogs.old); n > 4 {
		t.Errorf("%d catalogs are held, want at most two generations of 2", n)
	}
}

func many(servers, tools int) []toolcrib.Listing {
	var out []toolcrib.Listing
	for s := range servers {
		names := make([]string, tools)
		for i := range names {
			names[i] = fmt.Sprintf("tool_%d", i)
		}
		out = append(out, server(fmt.Sprintf("server-%d", s), names...))
	}
	return out
}

func BenchmarkPlan(b *testing.B) {
	listings := many(100, 100)
	b.Run("from nothing", func(b *testing.B) {
		for b.Loop() {
			Plan(listings, allowAll)
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		p := NewPlanner(8)
		for b.Loop() {
			p.Plan(listings, allowAll, "all")
		}
	})
	b.Run("one of 100 servers changed", func(b *testing.B) {
		p := NewPlanner(8)
		i := 0
		for b.Loop() {
			i++
			listings[50].Fingerprint = fmt.Sprint(i)
			p.Plan(listings, allowAll, "all")
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	c := Plan(many(100, 100), allowAll)
	for b.Loop() {
		if _, err := c.Resolve("mcp:server-99:tool_99"); err != nil {
			b.Fatal(err)
		}
	}
}
