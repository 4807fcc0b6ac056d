package gateway

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// pinForm is a tool as a server might list it.
type pinForm struct{ said, schema string }

// hiding says that nobody serves the form unseen.
func (f pinForm) hiding() bool { return strings.Contains(f.said, "\u200b") }

func (f pinForm) raw(name string) string {
	return fmt.Sprintf(`{"name":%q,"description":%s,"inputSchema":%s}`, name, jsonText(f.said), f.schema)
}

// pinModel says in the simplest words what first-use serves.
type pinModel struct {
	listed, accepted map[string]pinForm
}

// list is what the server lists from now on.
func (m *pinModel) list(tools map[string]pinForm) {
	m.listed = tools
	for name, f := range tools {
		if _, known := m.accepted[name]; !known && !f.hiding() {
			m.accepted[name] = f
		}
	}
}

// served are the descriptions of what is served, and withheld the other names.
func (m *pinModel) served() (served map[string]string, withheld []string) {
	served = map[string]string{}
	for name, now := range m.listed {
		if was, known := m.accepted[name]; known && was.schema == now.schema {
			served[name] = was.said
			continue
		}
		withheld = append(withheld, name)
	}
	slices.Sort(withheld)
	return served, withheld
}

// TestPinsWithheldIsNowhere: whatever a server lists one after the other and whatever
// is answered, what is withheld is in no list, no search and no description, and no
// call of it reaches the server, by a catalog of before either.
func TestPinsWithheldIsNowhere(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 7))
			some := func() map[string]pinForm {
				all := map[string]pinForm{}
				for _, name := range []string{"anvil", "bellows", "chisel", "drill", "easel"} {
					if random.IntN(5) > 0 {
						all[name] = pinForm{
							said:   []string{"Use the " + name, "Use the best " + name, "Use the\u200b " + name}[random.IntN(3)],
							schema: []string{`{"type":"object"}`, `{"type":"object","properties":{"secret":{"type":"string"}}}`}[random.IntN(2)],
						}
					}
				}
				all["fixed"] = pinForm{"Stay as it is", `{"type":"object"}`}
				return all
			}
			raws := func(tools map[string]pinForm) (list []string) {
				for _, name := range slices.Sorted(maps.Keys(tools)) {
					list = append(list, tools[name].raw(name))
				}
				return list
			}
			m := &pinModel{accepted: map[string]pinForm{}}
			first := some()
			b := newPinBench(t, newShifty(t, raws(first)...), t.TempDir(), nil)
			m.list(first)
			b.nowhere(m, "at first")
			for round := range 8 {
				before := slices.Collect(b.session.tools(t.Context()))
				next := some()
				b.changed(raws(next)...)
				m.list(next)
				what := fmt.Sprintf("round %d: %v", round, next)
				_, withheld := m.served()
				for _, old := range before { // as a body of code has them that began before
					if kept := b.gateway.blocked(old, b.session.scope) != ""; old.Owner == "shifty" && kept != slices.Contains(withheld, old.Name) {
						t.Errorf("%s: %s of the catalog of before is blocked: %t", what, old.Name, kept)
					}
				}
				b.nowhere(m, what)
				if len(withheld) > 0 && random.IntN(2) == 0 {
					name := withheld[random.IntN(len(withheld))]
					decision := []string{client.PinApprove, client.PinReject}[random.IntN(2)]
					b.answer(decision, name)
					if decision == client.PinApprove {
						m.accepted[name] = next[name]
					}
					b.nowhere(m, what+", then "+decision+" "+name)
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// nowhere checks that a session gets what the model serves, and nothing else by any way.
func (b *pinBench) nowhere(m *pinModel, what string) {
	b.t.Helper()
	want, withheld := m.served()
	if diff := cmp.Diff(want, b.served()); diff != "" {
		b.t.Errorf("%s: served (-want +got):\n%s", what, diff)
	}
	direct, err := b.gateway.Open(SessionOptions{Mode: "direct"})
	if err != nil {
		b.t.Fatal(err)
	}
	defer direct.Close()
	ctx, ran := b.t.Context(), len(b.server.calls())
	shown := fmt.Sprint(b.session.surface(ctx).Instructions(), names(direct.Surface(ctx)), names(b.session.Surface(ctx)))
	for _, name := range withheld {
		if strings.Contains(shown, name) {
			b.t.Errorf("%s: %s is shown: %s", what, name, shown)
		}
		hits, _ := b.session.Search(ctx, name+" use the", 20)
		for _, h := range hits {
			if h.Name == name {
				b.t.Errorf("%s: %s is found", what, name)
			}
		}
		for _, ref := range []string{name, "mcp:shifty:" + name} {
			if _, err := b.session.Describe(ctx, ref); toolcrib.KindOf(err) != toolcrib.KindBlocked {
				b.t.Errorf("%s: describing %s: %v", what, ref, err)
			}
			for _, s := range []*Session{b.session, direct} {
				if _, _, err := s.Call(ctx, ref, json.RawMessage(`{}`)); toolcrib.KindOf(err) != toolcrib.KindBlocked {
					b.t.Errorf("%s: calling %s: %v", what, ref, err)
				}
			}
			for _, c := range [][2]string{{"tool_call", `{"id":` + jsonText(ref) + `,"args":{}}`}, {ref, `{}`}, {"shifty__" + name, `{}`}} {
				for _, s := range []*Session{b.session, direct} {
					if r := s.surface(ctx).Call(ctx, toolsearch.CallRequest{Name: c[0], Args: json.RawMessage(c[1]), CallID: "c", Scope: s.scope}); !r.IsError {
						b.t.Errorf("%s: %v answered %+v", what, c, r)
					}
				}
			}
		}
	}
	if len(b.server.calls()) != ran {
		b.t.Errorf("%s: %v reached the server", what, b.server.calls()[ran:])
	}
}

// BenchmarkPlanPinned is what a session pays for asking what it may use while nothing
// has changed: 10,000 pinned tools of servers that nobody vouches for, all of them
// served, or one in ten withheld.
func BenchmarkPlanPinned(b *testing.B) {
	for _, bench := range []struct {
		name                   string
		servers, tools, hiding int
	}{{"one server", 1, 10_000, 0}, {"100 servers", 100, 100, 0}, {"a tenth withheld", 100, 100, 10}, {"all withheld", 1, 10_000, 1}} {
		b.Run(bench.name, func(b *testing.B) {
			g, err := New(b.Context(), Options{StateDir: b.TempDir(), Environ: []string{}})
			if err != nil {
				b.Fatal(err)
			}
			defer g.Close()
			rules := map[string]pinRule{}
			var listings []toolcrib.Listing
			for s := range bench.servers {
				l := toolcrib.Listing{Source: toolcrib.SourceMCP, Owner: fmt.Sprintf("server%d", s), State: toolcrib.StateReady, Known: true}
				for i := range bench.tools {
					name, said := fmt.Sprintf("tool_%d_%d", s, i), "Do something useful"
					if bench.hiding > 0 && i%bench.hiding == 0 {
						said += "\u200b"
					}
					l.Tools = append(l.Tools, toolcrib.Tool{ID: toolcrib.MakeID(l.Source, l.Owner, name), Source: l.Source, Owner: l.Owner, Name: name, Description: said, Parameters: json.RawMessage(`{"type":"object"}`)})
				}
				l.Fingerprint = catalog.Fingerprint(l.Tools)
				listings, rules[l.Owner] = append(listings, l), pinRule{mode: "first-use"}
			}
			a, scope := g.settings.Load().agents["main"], toolcrib.Scope{Door: toolcrib.DoorMCP}
			ctx := b.Context()
			plan := func() *catalog.Catalog {
				return a.plan(g.planner, g.pins.filter(ctx, rules, slices.Clone(listings), "", 1), scope)
			}
			want := bench.servers * bench.tools
			if bench.hiding > 0 {
				want -= want / bench.hiding
			}
			if n := plan().Len(); n != want {
				b.Fatalf("%d tools are served, want %d", n, want)
			}
			b.ReportAllocs()
			for b.Loop() {
				plan()
			}
		})
	}
}
