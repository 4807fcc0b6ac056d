package policy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
)

// wordPool is what random patterns and tools are made of: parts that meet each
// other in every odd way.
var wordPool = []string{
	"a", "b", "ab", "*", "**", "_", "__", ":", "mcp", "mcp:", "core:", "plugin:", "client:", "group:", "fs", "sessions", "plugins",
	"A", "\u212A", "k", "K", "\u0430", "É", "é", "mcp:a:", "a__", " ",
}

func randomText(r *rand.Rand, most int) string {
	var text strings.Builder
	for range 1 + r.IntN(most) {
		text.WriteString(wordPool[r.IntN(len(wordPool))])
	}
	return text.String()
}

func randomTool(r *rand.Rand) *toolcrib.Tool {
	sources := []toolcrib.Source{toolcrib.SourceCore, toolcrib.SourcePlugin, toolcrib.SourceMCP, toolcrib.SourceClient, "other"}
	owners := []string{"a", "b", "A", "ab", "a__b", "mcp", "fs", "sessions", "k", "K"}
	t := &toolcrib.Tool{Source: sources[r.IntN(len(sources))], Owner: owners[r.IntN(len(owners))], Name: randomText(r, 3)}
	t.ID = toolcrib.MakeID(t.Source, t.Owner, t.Name)
	if r.IntN(20) == 0 {
		t.ID = randomText(r, 4) // one that nobody should make
	}
	return t
}

func randomList(r *rand.Rand, most int) []string {
	var list []string
	for range r.IntN(most) {
		if _, err := compile(randomText(r, 1), false); err == nil {
			list = append(list, randomText(r, 4))
		}
	}
	return list
}

// randomRules are rules of every kind that compile.
func randomRules(r *rand.Rand, name string) NamedRules {
	n := NamedRules{Name: name}
	n.Deny, n.Strict = randomList(r, 4), r.IntN(8) == 0
	if r.IntN(3) == 0 {
		n.Unless = randomList(r, 4)
	}
	switch r.IntN(4) {
	case 0:
		n.Allow = randomList(r, 5)
	case 1:
		n.Profile = Profiles()[r.IntN(len(Profiles()))]
		n.AlsoAllow = randomList(r, 4)
	case 2:
		n.Allow = []string{}
	}
	return n
}

// eachPolicy calls check with many random policies, the same in every run.
func eachPolicy(t *testing.T, check func(r *rand.Rand, p *Policy, scopes []NamedRules)) {
	made := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 11))
		var scopes []NamedRules
		for i := range r.IntN(5) {
			scopes = append(scopes, randomRules(r, fmt.Sprintf("scope%d", i)))
		}
		p, err := New(scopes...)
		if err != nil { // a pattern of nothing but spaces
			continue
		}
		made++
		check(r, p, scopes)
	}
	if made < 1000 {
		t.Fatalf("only %d of the random policies were good", made)
	}
}

// What is settled for an owner ahead of time decides as trying every pattern does.
func TestQuickAgreesWithPlain(t *testing.T) {
	outcomes := map[bool]int{}
	eachPolicy(t, func(r *rand.Rand, p *Policy, scopes []NamedRules) {
		for range 30 {
			x := randomTool(r)
			subject := subjectOf(x)
			want, got := *p.plain(&subject), p.Decide(x, toolcrib.Scope{})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%q under %+v (-plain +quick):\n%s", x.ID, scopes, diff)
			}
			outcomes[got.Allowed]++
		}
	})
	if outcomes[true] < 1000 || outcomes[false] < 1000 {
		t.Errorf("the random tools are no test: %v", outcomes)
	}
}

// A tool is allowed exactly when no scope by itself refuses it.
func TestExplainAgreesWithDecide(t *testing.T) {
	eachPolicy(t, func(r *rand.Rand, p *Policy, scopes []NamedRules) {
		for range 10 {
			x := randomTool(r)
			refused := false
			for _, o := range p.Explain(x) {
				refused = refused || o.Says == SaysDenied || o.Says == SaysOutside
				if o.Verdict.Allowed == (o.Says == SaysDenied || o.Says == SaysOutside) {
					t.Fatalf("%q: says %q with %+v", x.ID, o.Says, o.Verdict)
				}
			}
			if v := p.Decide(x, toolcrib.Scope{}); v.Allowed == refused {
				t.Fatalf("%q: decided %+v, a scope refuses: %t, under %+v", x.ID, v, refused, scopes)
			}
		}
	})
}

func TestManyOwners(t *testing.T) {
	p, err := New(NamedRules{Name: "tools", Rules: Rules{Deny: []string{"mcp:s1*:x"}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 * maxViews {
		owner := fmt.Sprintf("s%d", i)
		x := &toolcrib.Tool{ID: toolcrib.MakeID(toolcrib.SourceMCP, owner, "x"), Source: toolcrib.SourceMCP, Owner: owner, Name: "x"}
		if got, want := p.Decide(x, toolcrib.Scope{}).Allowed, owner[1] != '1'; got != want {
			t.Fatalf("%s: allowed %t, want %t", x.ID, got, want)
		}
	}
	if n := len(*p.views.made.Load()); n != maxViews {
		t.Errorf("%d owners have a view, want %d", n, maxViews)
	}
}

// What a view can't say in words of names it leaves to the patterns themselves.
func TestQuickLeavesOddTools(t *testing.T) {
	p, err := New(NamedRules{Name: "tools", Rules: Rules{Deny: []string{"mcp:a: x*", "z"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*toolcrib.Tool{
		{ID: "mcp:a: xy", Source: toolcrib.SourceMCP, Owner: "a", Name: " xy"},
		{ID: "mcp:a:xy", Source: toolcrib.SourceMCP, Owner: "a", Name: "xy"},
		{ID: "mcp:a: xz", Source: toolcrib.SourceMCP, Owner: "a", Name: "z"},
		{ID: "mcp:a: xq", Source: toolcrib.SourceMCP, Owner: "a", Name: "q"},
	} {
		subject := subjectOf(x)
		if diff := cmp.Diff(*p.plain(&subject), p.Decide(x, toolcrib.Scope{})); diff != "" {
			t.Errorf("%q named %q (-plain +quick):\n%s", x.ID, x.Name, diff)
		}
	}
}
