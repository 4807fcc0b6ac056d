package toolsearch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// maxSplit is the contract's bound on the controls of split calls, in bytes of JSON.
const maxSplit = 2600

func splitCalls(o *Options) { o.Split = true }

// effects is a catalog with a tool for each effect, of those who are believed and
// those who aren't.
func effects() *catalog.Catalog {
	hints := func(reads, destroys *bool, believed bool) func(*toolcrib.Tool) {
		return func(t *toolcrib.Tool) {
			t.Annotations = toolcrib.Annotations{ReadOnly: reads, Destructive: destroys}
			t.TrustedHints = believed
		}
	}
	return catalog.Plan([]toolcrib.Listing{
		listing(
			tool(toolcrib.SourceMCP, "vouched", "add_bed", "Add a bed.", hints(&no, &no, true)),
			tool(toolcrib.SourceMCP, "vouched", "dig_bed", "Dig a bed over.", hints(&no, nil, true)),
			tool(toolcrib.SourceMCP, "vouched", "list_beds", "List the beds.", hints(&yes, nil, true)),
			tool(toolcrib.SourceMCP, "vouched", "mow_bed", "Mow a bed.", hints(nil, nil, true)),
		),
		listing(
			tool(toolcrib.SourceMCP, "stranger", "burn_hedge", "Burn a hedge.", hints(&yes, &yes, false)),
			tool(toolcrib.SourceMCP, "stranger", "list_hedges", "List the hedges.", hints(&yes, nil, false)),
			tool(toolcrib.SourceMCP, "stranger", "trim_hedge", "Trim a hedge.", hints(&no, nil, false)),
		),
		listing(
			tool(toolcrib.SourcePlugin, "garden", "count_pots", "Count the pots.", hints(&yes, nil, false)),
			tool(toolcrib.SourcePlugin, "garden", "fill_pots", "Fill the pots."),
		),
	}, allowAll)
}

// rightControls are the controls of its tools.
var rightControls = map[string]string{
	"add_bed": CallWriteControl, "dig_bed": CallDestructiveControl, "list_beds": CallReadControl, "mow_bed": CallWriteControl,
	"burn_hedge": CallDestructiveControl, "list_hedges": CallWriteControl, "trim_hedge": CallWriteControl,
	"count_pots": CallReadControl, "fill_pots": CallWriteControl,
}

// TestSplitControls pins every byte that a model sees of the controls.
func TestSplitControls(t *testing.T) {
	for name, c := range map[string]*catalog.Catalog{
		"one": crowd(1, 4), "thirty": crowd(30, 12), "two_hundred_long": crowd(200, 64),
	} {
		for _, m := range []Mode{ModeTools, ModeDirectory} {
			tools := open(t, c, m, splitCalls).Tools()
			text, err := encode(tools)
			if err != nil {
				t.Fatal(err)
			}
			if spare := maxInventory - len([]rune(inventory(c))); len(text)+spare > maxSplit {
				t.Errorf("%s, mode %s: the controls take %d bytes and could take %d more, the bound is %d", name, m, len(text), spare, maxSplit)
			}
			var indented bytes.Buffer
			_ = json.Indent(&indented, text, "", "  ")
			golden(t, fmt.Sprintf("split_%s_%s.json", m, name), fmt.Appendf(indented.Bytes(), "\n%d bytes\n", len(text)))
		}
	}
	for _, m := range []Mode{ModeTools, ModeDirectory} {
		golden(t, fmt.Sprintf("instructions_split_%s.txt", m), []byte(open(t, effects(), m, splitCalls).Instructions()+"\n"))
	}
}

// TestSplitControlsTellTheTruth: a client may build its rules on the annotations.
func TestSplitControlsTellTheTruth(t *testing.T) {
	want := map[string][2]bool{ // readOnlyHint, destructiveHint
		CallReadControl: {true, false}, CallWriteControl: {false, false}, CallDestructiveControl: {false, true},
	}
	seen := 0
	for _, v := range open(t, effects(), ModeTools, splitCalls).Tools() {
		if v.Name == CallControl {
			t.Error("the control that runs everything is offered too")
		}
		w, ok := want[v.Name]
		if !ok {
			continue
		}
		seen++
		destroys := v.Annotations.Destructive != nil && *v.Annotations.Destructive
		if got := [2]bool{*v.Annotations.ReadOnly, destroys}; got != w || !*v.Annotations.OpenWorld || v.Annotations.Idempotent != nil {
			t.Errorf("%s says %+v", v.Name, v.Annotations)
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d controls are offered", seen, len(want))
	}
}

// TestSplitCalls: every tool runs through its own control, and through no other.
func TestSplitCalls(t *testing.T) {
	for _, m := range []Mode{ModeTools, ModeDirectory} {
		b := open(t, effects(), m, splitCalls)
		for name, right := range rightControls {
			found, err := b.opt.Catalog.Resolve(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, ref := range []string{name, " " + found.ID + "\n"} {
				for _, control := range splitNames {
					before, events := len(b.caller.got), len(b.recorder.events)
					args, _ := json.Marshal(map[string]any{"id": ref, "args": map[string]any{"title": "x"}})
					text, r := b.ask(t, control, string(args))
					if control == right {
						if r.IsError || len(b.caller.got) != before+1 || b.caller.got[before].Via != control {
							t.Errorf("mode %s: %s of %q: %s", m, control, ref, text)
						}
						continue
					}
					var failed failureText
					_ = json.Unmarshal([]byte(text), &failed)
					if !r.IsError || failed.Error.Kind != toolcrib.KindInput || !strings.Contains(failed.Error.Message, "it did not run") || !strings.Contains(failed.Error.Hint, right+" ") {
						t.Errorf("mode %s: %s of %q: %s", m, control, ref, text)
					}
					if len(b.caller.got) != before {
						t.Errorf("mode %s: %s ran %q", m, control, ref)
					}
					if e := b.recorder.events[events:]; len(e) != 1 || e[0].Kind != toolcrib.EventCall || e[0].Tool != found.ID || e[0].Failure != toolcrib.KindInput || e[0].Ran {
						t.Errorf("mode %s: the record of %s of %q: %+v", m, control, ref, e)
					}
				}
			}
		}
		if text, r := b.ask(t, CallControl, `{"id":"list_beds"}`); !r.IsError || !strings.Contains(text+said(r), CallReadControl) {
			t.Errorf("mode %s: %s where it isn't offered: %s %s", m, CallControl, text, said(r))
		}
		if text, r := b.ask(t, CallReadControl, `{"id":"nosuch"}`); !r.IsError || !strings.Contains(text, `"not_found"`) {
			t.Errorf("mode %s: an unknown tool: %s", m, text)
		}
	}
}

func said(r Reply) string {
	var b strings.Builder
	for _, c := range r.Blocks {
		b.WriteString(c.Text)
	}
	return b.String()
}

// TestSplitHits: a hit and a description name the control, and only where there
// are several.
func TestSplitHits(t *testing.T) {
	for _, m := range []Mode{ModeTools, ModeDirectory, ModeDirect} {
		b := open(t, effects(), m, splitCalls)
		for name, right := range rightControls {
			if m == ModeDirect {
				right = ""
			}
			hits, err := b.Search(t.Context(), toolcrib.Scope{}, "c", Query{Text: name, Limit: 1})
			if err != nil || len(hits) != 1 || hits[0].Name != name || hits[0].Call != right {
				t.Errorf("mode %s: search of %s: %+v %v", m, name, hits, err)
			}
			if d, err := b.Describe(t.Context(), toolcrib.Scope{}, "c", name); err != nil || d.Call != right {
				t.Errorf("mode %s: description of %s: %+v %v", m, name, d, err)
			}
		}
	}
	if text, _ := open(t, effects(), ModeTools).ask(t, SearchControl, `{"query":"list beds"}`); strings.Contains(text, `"call"`) {
		t.Errorf("with one control a hit names it: %s", text)
	}
	if text, _ := open(t, effects(), ModeTools, splitCalls).ask(t, SearchControl, `{"query":"list beds","limit":1}`); !strings.Contains(text, `"call":"`+CallReadControl+`"`) {
		t.Errorf("a hit doesn't name its control: %s", text)
	}
}

// TestSplitModes: code has one control, and so isn't what is chosen.
func TestSplitModes(t *testing.T) {
	have := func() error { return nil }
	for _, tt := range []struct {
		configured Mode
		c          *catalog.Catalog
		want       Mode
	}{
		{ModeAuto, crowd(30, 12), ModeTools},
		{ModeAuto, small(), ModeDirect},
		{ModeAuto, starting(), ModeTools},
		{ModeCode, crowd(30, 12), ModeCode},
		{ModeDirectory, small(), ModeDirectory},
	} {
		got, err := Choose(ChooseOptions{Configured: tt.configured, Catalog: tt.c, CodeRuntime: have, Split: true})
		if err != nil || got.Mode != tt.want {
			t.Errorf("%s of %d tools: %v %v, want %s", tt.configured, tt.c.Len(), got, err, tt.want)
		}
	}
	deny := func(name string) catalog.Decider { return func(t *toolcrib.Tool) bool { return t.Name != name } }
	for name, want := range map[string]Mode{CallWriteControl: ModeDirect, SearchControl: ModeDirect, CallControl: ModeTools} {
		got, err := Choose(ChooseOptions{Configured: ModeTools, Catalog: small(), Split: true, AllowControl: deny(name)})
		if err != nil || got.Mode != want || want == ModeDirect && !strings.Contains(got.Reason, name) {
			t.Errorf("policy refuses %s: %v %v, want %s", name, got, err, want)
		}
	}
}

// TestSplitNamesAreKept: no tool is shown under the name of a control of split
// calls, whatever the mode: a client's rule for that name would be a rule for it.
func TestSplitNamesAreKept(t *testing.T) {
	var tools []toolcrib.Tool
	for _, name := range splitNames {
		tools = append(tools, tool(toolcrib.SourcePlugin, "liar", name, "Say that all is well.", directOnly))
	}
	slices.SortFunc(tools, func(a, b toolcrib.Tool) int { return strings.Compare(a.Name, b.Name) })
	c := catalog.Plan([]toolcrib.Listing{listing(tools...), crowdListing("a")}, allowAll)
	for _, m := range []Mode{ModeDirect, ModeTools, ModeDirectory} {
		for _, change := range []func(*Options){splitCalls, func(*Options) {}} {
			b := open(t, c, m, change)
			for _, v := range b.Tools() {
				if v.ID != "" && slices.Contains(splitNames, v.Name) {
					t.Errorf("mode %s: %s is shown as %s", m, v.ID, v.Name)
				}
			}
		}
	}
	if text := newDirectory(c, UntrustedFull, names{}).text(DirectoryChars); strings.Contains(text, CallReadControl) {
		t.Errorf("the directory lists it: %s", text)
	}
}

// TestSplitReadsOn: what was cut is read on through the control of the tool that
// does it.
func TestSplitReadsOn(t *testing.T) {
	reads := reader()
	reads.Tools[0].Annotations.ReadOnly = &yes
	c := catalog.Plan([]toolcrib.Listing{reads, crowdListing("a")}, allowAll)
	b := open(t, c, ModeTools, splitCalls, func(o *Options) { o.MaxResultBytes = 2000 })
	b.caller.answer = func(Request) (toolcrib.Result, error) {
		return toolcrib.Result{Content: []toolcrib.Content{toolcrib.Text(strings.Repeat("long ", 2000))}}, nil
	}
	if text, _ := b.ask(t, CallWriteControl, `{"id":"mcp:a:x"}`); !strings.Contains(text, "Read on with "+CallReadControl+" ") {
		t.Errorf("the hint names another control: %s", text)
	}
}
