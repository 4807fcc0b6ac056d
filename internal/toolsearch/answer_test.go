package toolsearch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// TestAnswers pins what a model reads of each control, as it reads it.
func TestAnswers(t *testing.T) {
	b := open(t, small(), ModeTools)
	var out strings.Builder
	for _, q := range [][2]string{
		{SearchControl, `{"query":"open issue"}`},
		{SearchControl, `{"query":"water","limit":1}`},
		{SearchControl, `{"query":"zzzz qqqq"}`},
		{SearchControl, `{"query":"ZZZZ  qqqq"}`},
		{SearchControl, `{}`},
		{SearchControl, `{"querry":"x"}`},
		{SearchControl, `{"queries":["water",{"query":"zzzz"}],"limit":"1"}`},
		{SearchControl, `{"query":"x","limit":0}`},
		{DescribeControl, `{"id":"water_plants"}`},
		{DescribeControl, `{"id":"mcp:forge:list_issues"}`},
		{DescribeControl, `{"id":"create_issue"}`},
		{DescribeControl, `{"id":"water_plant"}`},
		{DescribeControl, `{}`},
		{CallControl, `{"id":"water_plants","args":{"bed":"roses"}}`},
		{CallControl, `{"id":"mcp:mail:send_mail","args":{}}`},
		{CallControl, `{"id":"mcp:forge:nosuch"}`},
		{CallControl, `[1]`},
		{CallControl, `{"id":"tool_search","args":{"query":"x"}}`},
		{"list_issues", `{}`},
		{"stop", `{}`},
		{"nosuch", `{}`},
		{"tool_serch", `{"query":"open issue"}`},
	} {
		text, r := b.ask(t, q[0], q[1])
		fmt.Fprintf(&out, "%s %s\n", q[0], q[1])
		if r.IsError {
			out.WriteString("failed: ")
		}
		out.WriteString(text)
		for _, block := range r.Blocks {
			fmt.Fprintf(&out, "%s: %s", block.Type, block.Text)
		}
		out.WriteString("\n\n")
	}
	golden(t, "answers.txt", []byte(out.String()))
}

// TestMisspeltControls: the control comes first that this mode has in the place of it.
func TestMisspeltControls(t *testing.T) {
	for _, tt := range []struct {
		mode        Mode
		name, means string
	}{
		{ModeTools, "tool_serch", SearchControl},
		{ModeTools, "tool_calls", CallControl},
		{ModeCode, "tool_serch", CodeControl},
		{ModeCode, "tool_search_cod", CodeControl},
		{ModeDirect, "tool_serch", ""},
	} {
		_, r := open(t, small(), tt.mode, func(o *Options) {
			if tt.mode == ModeCode {
				o.Runner = &script{}
			}
		}).ask(t, tt.name, `{}`)
		var said strings.Builder
		for _, block := range r.Blocks {
			said.WriteString(block.Text)
		}
		if tt.means != "" && !strings.Contains(said.String(), "(perhaps you mean "+tt.means) || tt.means == "" && strings.Contains(said.String(), "perhaps") {
			t.Errorf("%s in mode %s: %s; want it to name %q first", tt.name, tt.mode, said.String(), tt.means)
		}
	}
}

// TestHit: what may and what may not be said of a tool.
func TestHit(t *testing.T) {
	closed := json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"],"additionalProperties":false}`)
	set := func(trusted bool) func(*toolcrib.Tool) {
		return func(t *toolcrib.Tool) { t.Trusted, t.OutputSchema = trusted, closed }
	}
	plugin, server, vouched := tool(toolcrib.SourcePlugin, "p", "x", "d", set(false)), tool(toolcrib.SourceMCP, "m", "x", "a\u202eb\u200bc\n\n d", set(false)), tool(toolcrib.SourceMCP, "m", "y", "d", set(true))
	for _, tt := range []struct {
		tool          *toolcrib.Tool
		input, output string
	}{
		{&plugin, "{ title: string }", "{ n: number }"},
		{&server, "unknown", ""},
		{&vouched, "{ title: string }", ""},
	} {
		if h := NewHit(tt.tool, 0); h.Input != tt.input || h.Output != tt.output {
			t.Errorf("%s: input %q, output %q; want %q, %q", tt.tool.ID, h.Input, h.Output, tt.input, tt.output)
		}
		if d := newDetail(tt.tool, NewHit(tt.tool, 0)); (d.OutputSchema != nil) != (tt.output != "") || string(d.Parameters) != string(tt.tool.Parameters) {
			t.Errorf("%s: describe gives parameters %s, outputSchema %s", tt.tool.ID, d.Parameters, d.OutputSchema)
		}
	}
	if h := NewHit(&server, 0); h.Description != "abc d" {
		t.Errorf("description %q: want it folded and without hidden characters", h.Description)
	}
}

// TestNoOracle: a tool that policy hides and one that doesn't exist get the
// same answers in every place where a model can ask.
func TestNoOracle(t *testing.T) {
	listings := []toolcrib.Listing{listing(
		tool(toolcrib.SourceMCP, "forge", "alpha_hidden", "Open an issue quietly."),
		tool(toolcrib.SourceMCP, "forge", "list_issues", "List issues."),
	)}
	with := catalog.Plan(listings, func(t *toolcrib.Tool) bool { return t.Name != "alpha_hidden" })
	without := catalog.Plan([]toolcrib.Listing{listing(listings[0].Tools[1])}, allowAll)
	for _, m := range []Mode{ModeTools, ModeDirect} {
		hidden, absent := open(t, with, m), open(t, without, m)
		for _, q := range [][2]string{
			{DescribeControl, `{"id":"mcp:forge:alpha_hidden"}`},
			{DescribeControl, `{"id":"alpha_hidden"}`},
			{CallControl, `{"id":"mcp:forge:alpha_hidden"}`},
			{CallControl, `{"id":"alpha_hidden","args":{}}`},
			{SearchControl, `{"query":"mcp:forge:alpha_hidden"}`},
			{SearchControl, `{"query":"issue quietly"}`},
			{"alpha_hidden", `{}`},
			{"forge__alpha_hidden", `{}`},
		} {
			_, a := hidden.ask(t, q[0], q[1])
			_, b := absent.ask(t, q[0], q[1])
			if diff := cmp.Diff(b, a); diff != "" {
				t.Errorf("mode %s, %v: a hidden tool answers otherwise than an absent one (-absent +hidden):\n%s", m, q, diff)
			}
		}
		one, _ := encode(hidden.Tools())
		two, _ := encode(absent.Tools())
		if string(one) != string(two) || hidden.Instructions() != absent.Instructions() {
			t.Errorf("mode %s shows that a tool is hidden", m)
		}
	}
}

// TestAdviceFitsTheMode: an error never names a control that isn't there.
func TestAdviceFitsTheMode(t *testing.T) {
	b := open(t, small(), ModeDirect)
	for _, name := range []string{"nosuch", "create_issue", SearchControl, CallControl, "mail__send_mail"} {
		_, r := b.ask(t, name, `{"id":"x"}`)
		text := strings.ReplaceAll(r.Blocks[0].Text, name, "")
		if !r.IsError || strings.Contains(text, "tool_") {
			t.Errorf("mode direct, %s: %q", name, r.Blocks[0].Text)
		}
	}
	_, r := b.ask(t, "forge__create_isue", `{}`)
	if !strings.Contains(r.Blocks[0].Text, "forge__create_issue") {
		t.Errorf("a misspelt name: %q doesn't name the likely one", r.Blocks[0].Text)
	}
	_, r = b.ask(t, "mail__send_mail", `{}`)
	if !strings.Contains(r.Blocks[0].Text, "connection refused") {
		t.Errorf("a tool of a server that is down: %q", r.Blocks[0].Text)
	}
}

func TestRecord(t *testing.T) {
	b := open(t, small(), ModeTools)
	b.ask(t, SearchControl, `{"query":"water"}`)
	b.ask(t, SearchControl, `{"query":{}}`)
	b.ask(t, DescribeControl, `{"id":"water_plants"}`)
	b.ask(t, DescribeControl, `{"id":"nosuch"}`)
	b.ask(t, CallControl, `{}`)
	b.ask(t, CallControl, `{"id":"water_plants"}`) // the caller records it
	type line struct {
		Kind    toolcrib.EventKind
		Tool    string
		Hits    int
		Failure toolcrib.Kind
	}
	var got []line
	for _, e := range b.recorder.events {
		if e.CallID != "c1" || e.Scope.Session != "s1" || e.Time.IsZero() {
			t.Errorf("an event without its call, session or time: %+v", e)
		}
		got = append(got, line{e.Kind, e.Tool, len(e.Hits), e.Failure})
	}
	want := []line{
		{toolcrib.EventSearch, "", 1, ""},
		{toolcrib.EventSearch, "", 0, toolcrib.KindInput},
		{toolcrib.EventDescribe, "plugin:garden:water_plants", 0, ""},
		{toolcrib.EventDescribe, "", 0, toolcrib.KindNotFound},
		{toolcrib.EventCall, "", 0, toolcrib.KindInput},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestSearchBounds(t *testing.T) {
	b := open(t, crowd(30, 12), ModeTools)
	for limit, want := range map[int]int{0: DefaultLimit, 1: 1, 20: 20, 1000: DefaultMaxLimit} {
		hits, err := b.Search(t.Context(), toolcrib.Scope{}, "", Query{"tool", limit})
		if err != nil || len(hits) != want {
			t.Errorf("limit %d: %d hits, %v; want %d", limit, len(hits), err, want)
		}
	}
	if _, err := b.Search(t.Context(), toolcrib.Scope{}, "", Query{"tool", -1}); toolcrib.KindOf(err) != toolcrib.KindInput {
		t.Errorf("limit -1: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Search(ctx, toolcrib.Scope{}, "", Query{"tool", 1}); toolcrib.KindOf(err) != toolcrib.KindCanceled {
		t.Errorf("a caller that went away: %v", err)
	}
}

func TestMemory(t *testing.T) {
	m := NewMemory(2)
	in := func(session string) toolcrib.Scope { return toolcrib.Scope{Session: session} }
	if m.repeated(in("a"), "f", "x") || !m.repeated(in("a"), "f", " X ") {
		t.Error("the second of two equal searches is the repeated one")
	}
	if m.repeated(in("b"), "f", "x") || m.repeated(in("a"), "g", "x") {
		t.Error("another session or another catalog is no repetition")
	}
	for i := range 10 * remembered {
		m.repeated(in("a"), "f", fmt.Sprint(i))
	}
	for i := range 10 {
		m.repeated(in(fmt.Sprint("s", i)), "f", "x")
	}
	if len(m.sessions) != 2 || len(m.order) != 2 {
		t.Errorf("%d sessions are held, want 2", len(m.sessions))
	}
	if !slices.ContainsFunc(m.order, func(k sessionKey) bool { return k.session == "s9" }) {
		t.Error("the newest session is forgotten")
	}
}
