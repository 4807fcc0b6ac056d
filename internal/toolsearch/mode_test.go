package toolsearch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// silent is a catalog of servers that never came up.
func silent(n int) *catalog.Catalog {
	var all []toolcrib.Listing
	for i := range n {
		all = append(all, toolcrib.Listing{Source: toolcrib.SourceMCP, Owner: fmt.Sprintf("s%d", i), State: toolcrib.StateDown, Reason: "exit status 127"})
	}
	return catalog.Plan(all, allowAll)
}

func TestChoose(t *testing.T) {
	pending := catalog.Plan([]toolcrib.Listing{{Source: toolcrib.SourceMCP, Owner: "slow", State: toolcrib.StateStarting}}, allowAll)
	onlyReader := catalog.Plan([]toolcrib.Listing{reader()}, allowAll)
	onlyDirect := catalog.Plan([]toolcrib.Listing{listing(tool(toolcrib.SourcePlugin, "garden", "stop", "Stop.", directOnly))}, allowAll)
	wordy := catalog.Plan([]toolcrib.Listing{listing(tool(toolcrib.SourceMCP, "a", "b", strings.Repeat("word ", 2000)))}, allowAll)
	without := func(name string) catalog.Decider { return func(t *toolcrib.Tool) bool { return t.Name != name } }
	for _, tt := range []struct {
		name       string
		configured Mode
		c          *catalog.Catalog
		allow      catalog.Decider
		want       Mode
		reason     string
	}{
		{"automatic, small", "", small(), nil, ModeDirect, "tokens"},
		{"automatic by name", ModeAuto, small(), nil, ModeDirect, "tokens"},
		{"automatic, one long text", "", wordy, nil, ModeTools, "over 2000 tokens"},
		{"automatic, many tools", "", crowd(30, 12), nil, ModeTools, "over 2000 tokens"},
		{"automatic, a server has not answered", "", pending, nil, ModeTools, "automatic: slow (it is still starting) has not answered yet and may be large"},
		{"automatic, several have not answered", "", silent(70), nil, ModeTools, " (exit status 127) and 36 more have not answered yet"},
		{"direct", ModeDirect, crowd(30, 12), nil, ModeDirect, ""},
		{"tools", ModeTools, small(), nil, ModeTools, ""},
		{"tools, a server has not answered", ModeTools, pending, nil, ModeTools, ""},
		{"code without a runtime", ModeCode, small(), nil, ModeTools, "code"},
		{"directory", ModeDirectory, small(), nil, ModeDirectory, ""},
		{"directory, a server has not answered", ModeDirectory, pending, nil, ModeDirectory, ""},
		{"directory, nothing to find", ModeDirectory, onlyReader, nil, ModeDirect, "nothing is catalogued"},
		{"directory, policy refuses a control", ModeDirectory, small(), without(DescribeControl), ModeDirect, DescribeControl},
		{"native", ModeNative, small(), nil, ModeTools, "native"},
		{"nothing to find", ModeTools, onlyDirect, nil, ModeDirect, "nothing is catalogued"},
		{"only the reader of results", ModeTools, onlyReader, nil, ModeDirect, "nothing is catalogued"},
		{"an empty catalog", ModeCode, catalog.Plan(nil, allowAll), nil, ModeDirect, "nothing is catalogued"},
		{"policy refuses a control", ModeTools, small(), without(CallControl), ModeDirect, CallControl},
		{"policy refuses a control of code's fallback", ModeCode, small(), without(SearchControl), ModeDirect, SearchControl},
	} {
		got, err := Choose(ChooseOptions{Configured: tt.configured, Catalog: tt.c, AllowControl: tt.allow})
		if err != nil || got.Mode != tt.want {
			t.Errorf("%s: %v, %v; want %s", tt.name, got, err, tt.want)
		}
		if (tt.reason == "") != (got.Reason == "") || !strings.Contains(got.Reason, tt.reason) {
			t.Errorf("%s: reason %q; want one that says %q", tt.name, got.Reason, tt.reason)
		}
	}
	// a catalog with nothing to find doesn't decide for the session
	got, _ := Choose(ChooseOptions{Configured: ModeCode, Catalog: onlyDirect})
	if again, _ := Choose(ChooseOptions{Configured: got.Session, Catalog: small()}); got.Mode != ModeDirect || again.Mode != ModeTools {
		t.Errorf("first %v, then %v", got, again)
	}
	if got, _ := Choose(ChooseOptions{Catalog: small()}); got.Session != ModeDirect {
		t.Errorf("the automatic choice is to be kept: %v", got)
	}
	if _, err := Choose(ChooseOptions{Configured: "fast", Catalog: small()}); toolcrib.KindOf(err) != toolcrib.KindInput {
		t.Errorf("an unknown mode: %v; want an input error", err)
	}
}

// TestChooseAtTheBound: the estimate is that of the list as it is sent.
func TestChooseAtTheBound(t *testing.T) {
	of := func(n int) *catalog.Catalog {
		return catalog.Plan([]toolcrib.Listing{listing(tool(toolcrib.SourceMCP, "a", "b", strings.Repeat("x", n)))}, allowAll)
	}
	text, _ := encode(open(t, of(0), ModeDirect).Tools())
	room := DirectTokens*BytesPerToken + BytesPerToken - 1 - len(text) - len(`"description":"",`)
	for n, want := range map[int]Mode{room: ModeDirect, room + 1: ModeTools} {
		if got, _ := Choose(ChooseOptions{Catalog: of(n)}); got.Mode != want {
			text, _ := encode(open(t, of(n), ModeDirect).Tools())
			t.Errorf("a list of %d bytes: %s, want %s", len(text), got.Mode, want)
		}
	}
}

// TestChooseCode: with a runtime code is taken as it is, by wish and automatically; without one mode tools is, and the reason is told.
func TestChooseCode(t *testing.T) {
	asked := 0
	have := func() error { asked++; return nil }
	lack := func() error { return errors.New("the kernel has no filter") }
	for _, tt := range []struct {
		name       string
		configured Mode
		c          *catalog.Catalog
		runtime    func() error
		want       Mode
		reason     string
	}{
		{"by wish", ModeCode, small(), have, ModeCode, ""},
		{"by wish, none", ModeCode, small(), lack, ModeTools, "the kernel has no filter"},
		{"automatic", "", crowd(30, 12), have, ModeCode, "over 2000 tokens"},
		{"automatic, none", "", crowd(30, 12), lack, ModeTools, "over 2000 tokens (.*) no filter"},
	} {
		got, err := Choose(ChooseOptions{Configured: tt.configured, Catalog: tt.c, CodeRuntime: tt.runtime})
		if err != nil || got.Mode != tt.want || got.Session != tt.want {
			t.Errorf("%s: %v, %v; want %s", tt.name, got, err, tt.want)
		}
		for part := range strings.SplitSeq(tt.reason, "(.*)") {
			if !strings.Contains(got.Reason, strings.TrimSpace(part)) {
				t.Errorf("%s: reason %q; want one that says %q", tt.name, got.Reason, part)
			}
		}
	}
	asked = 0
	denied := func(t *toolcrib.Tool) bool { return t.Name != CodeControl }
	if got, _ := Choose(ChooseOptions{Configured: ModeCode, Catalog: small(), CodeRuntime: have, AllowControl: denied}); got.Mode != ModeDirect || !strings.Contains(got.Reason, CodeControl) {
		t.Errorf("policy refuses the control: %v", got)
	}
	asked = 0
	for _, o := range []ChooseOptions{{Configured: ModeTools, Catalog: crowd(30, 12)}, {Catalog: small()}, {Configured: ModeCode, Catalog: catalog.Plan(nil, allowAll)}} {
		o.CodeRuntime = have
		if _, err := Choose(o); err != nil || asked != 0 {
			t.Errorf("%v: a runtime was asked for in vain; %v", o.Configured, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	c := &caller{catalog: small()}
	for name, opt := range map[string]Options{
		"no catalog":             {Mode: ModeTools, Caller: c},
		"no caller":              {Mode: ModeTools, Catalog: small()},
		"a mode to choose first": {Mode: ModeAuto, Catalog: small(), Caller: c},
		"no mode at all":         {Catalog: small(), Caller: c},
		"a mode not offered":     {Mode: ModeNative, Catalog: small(), Caller: c},
		"a mode without runtime": {Mode: ModeCode, Catalog: small(), Caller: c},
	} {
		if _, err := Open(opt); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}

func TestVisible(t *testing.T) {
	names := func(m Mode) []string {
		var out []string
		for _, v := range open(t, small(), m).Tools() {
			out = append(out, v.Name)
		}
		return out
	}
	if got, want := names(ModeTools), []string{SearchControl, DescribeControl, CallControl, "stop"}; !slices.Equal(got, want) {
		t.Errorf("mode tools shows %v, want %v", got, want)
	}
	if got, want := names(ModeDirectory), []string{SearchControl, DescribeControl, CallControl, "stop"}; !slices.Equal(got, want) {
		t.Errorf("mode directory shows %v, want %v", got, want)
	}
	code, _ := openCode(t, small(), nil)
	if got := code.Tools(); len(got) != 2 || got[0].Name != CodeControl || got[1].Name != "stop" {
		t.Errorf("mode code shows %v, want its control and stop", got)
	}
	if got, want := names(ModeDirect), []string{"forge__create_issue", "forge__list_issues", "read", "stop", "tracker__create_issue", "water_plants"}; !slices.Equal(got, want) {
		t.Errorf("mode direct shows %v, want %v", got, want)
	}
}
