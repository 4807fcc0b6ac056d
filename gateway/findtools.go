package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/source/builtin/results"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// When tools are many or large.
const (
	// mostTools is what OpenAI takes in one request ("array too long. Expected an
	// array with maximum length 128", zed-industries/zed#32946).
	mostTools = 128
	// heavyDirect and heavyTool are tokens of a direct list, and of one tool in it.
	heavyDirect = 10_000
	heavyTool   = 4_000
)

// catalog looks at the tools of all servers and plugins together.
func (x *examiner) catalog(ctx context.Context) ([]Finding, error) {
	all, err := newAgents(x.config)
	if err != nil {
		return nil, err
	}
	own, err := results.New(results.Options{})
	if err != nil {
		return nil, err
	}
	scope := toolcrib.Scope{Door: toolcrib.DoorCLI, Agent: toolcrib.DefaultAgent, Owner: true}
	listings := own.Listings(ctx, scope)
	complete := true
	for _, t := range x.tried {
		listings = append(listings, t.listing)
		complete = complete && t.listing.Known
	}
	main := all[toolcrib.DefaultAgent]
	for _, l := range x.installed {
		listings = append(listings, l)
		complete = complete && l.Known
	}
	v := view{plan: catalog.Plan(listings, func(t *toolcrib.Tool) bool { return main.decide(t, scope).Allowed })}
	v.choice, err = toolsearch.Choose(toolsearch.ChooseOptions{
		Configured: toolsearch.Mode(x.config.Tools.ToolSearch.Effective()), Catalog: v.plan, CodeRuntime: func() error { return nil },
		AllowControl: func(t *toolcrib.Tool) bool { return main.decide(t, scope).Allowed },
	})
	if err != nil {
		return nil, err
	}
	v.shown = toolsearch.Show(v.plan, toolsearch.ModeDirect)
	if v.direct, err = weigh(v.plan, v.shown); err != nil {
		return nil, err
	}
	return slices.Concat(x.tools(v), x.schemas(v), x.policy(all, listings, complete)), nil
}

// view is what the default agent's model gets.
type view struct {
	plan   *catalog.Catalog
	choice toolsearch.Choice
	shown  []toolsearch.Visible // in direct mode
	direct weight
}

// isDirect reports whether the model sees the tools directly.
func (v view) isDirect() bool { return v.choice.Mode == toolsearch.ModeDirect }

// tools says what is odd about the tools, and whether there are too many.
func (x *examiner) tools(v view) []Finding {
	f := &findings{area: AreaTools}
	n, all := len(v.direct.tools), tokens(v.direct.total)
	own := 0
	for _, t := range v.direct.tools {
		if t.tool.Source != toolcrib.SourceMCP {
			own++
		}
	}
	what := fmt.Sprintf("%s of servers and %d of toolcrib's own, about %d tokens as a direct list; a model gets mode %s", count(n-own, "tool"), own, all, v.choice.Mode)
	if v.choice.Reason != "" {
		what += " (" + v.choice.Reason + ")"
	}
	f.add(LevelOK, what, "", "")
	var odd []Finding
	for _, w := range v.plan.Warnings() {
		odd = append(odd, Finding{LevelWarning, f.area, w, "", ""})
	}
	f.several(maxAlike, odd)
	f.several(maxAlike, v.hidden())
	f.several(maxAlike, v.direct.collisions())
	x.size(f, v)
	return f.list
}

// hidden are the tools that direct mode can't show.
func (v view) hidden() []Finding {
	shown := map[string]bool{}
	for _, t := range v.direct.tools {
		shown[t.tool.ID] = true
	}
	level := LevelNote
	if v.isDirect() {
		level = LevelWarning
	}
	var list []Finding
	for t := range v.plan.All() {
		if !shown[t.ID] {
			list = append(list, Finding{level, AreaTools, "a tool can't be shown in direct mode: its parameter schema is not that of an object", t.ID, "search finds it in the other modes"})
		}
	}
	return list
}

// size says what is too much.
func (x *examiner) size(f *findings, v view) {
	n, all := len(v.direct.tools), tokens(v.direct.total)
	savings := v.direct.savings(x.config)
	first := ""
	if len(savings) > 0 {
		first = "; or switch off first: " + savings[0].Command
	}
	search := "let tools be searched: toolcrib config set tools.toolSearch auto" + first
	switch {
	case !v.isDirect():
	case n > mostTools:
		f.add(LevelWarning, fmt.Sprintf("a model gets %d tools, and OpenAI takes at most %d in a request", n, mostTools), "tools.toolSearch", search)
	case all > heavyDirect:
		f.add(LevelWarning, fmt.Sprintf("every request carries about %d tokens of tools", all), "tools.toolSearch", search)
	}
	for _, s := range savings {
		if s.Twin != "" {
			f.add(LevelNote, fmt.Sprintf("servers %s and %s have the same tools, by their names", s.Owner, s.Twin), "mcp.servers."+s.Owner, "switch one off, which saves about "+fmt.Sprint(s.Tokens)+" tokens: "+s.Command)
		}
	}
	var heavy []Finding
	for _, t := range v.direct.bySize() {
		if tokens(t.bytes) >= heavyTool {
			heavy = append(heavy, Finding{LevelNote, f.area, fmt.Sprintf("a tool is about %d tokens by itself, each time that a model sees it", tokens(t.bytes)), t.tool.ID, x.without(t)})
		}
	}
	f.several(maxAlike/2, heavy)
}

// without is how to go on without a tool.
func (x *examiner) without(t weighed) string {
	s, ok := x.config.MCP.Servers[t.tool.Owner]
	if !ok || t.tool.Source != toolcrib.SourceMCP {
		return ""
	}
	return "switch it off if nobody needs it: " + denyCommand(t, s.Deny)
}

// policy names the patterns that match nothing, once all servers have told their tools.
func (x *examiner) policy(all agents, listings []toolcrib.Listing, complete bool) []Finding {
	f := &findings{area: AreaPolicy}
	var list []Finding
	for _, t := range x.tried {
		for _, text := range t.idle {
			list = append(list, Finding{LevelWarning, f.area, text + " matches no tool of the server", "mcp.servers." + t.name, "correct or remove it; its tools: toolcrib tools list --owner " + quoted(t.name)})
		}
	}
	if complete {
		for _, text := range all.unmatched(everything(listings)) {
			list = append(list, Finding{LevelWarning, f.area, strings.TrimSuffix(text, ": is it misspelt?"), "", "correct or remove it; the tools' names: toolcrib tools list"})
		}
	}
	f.several(maxAlike, list)
	return f.list
}
