package gateway

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// warnings are those of the configuration and of plugins, and the patterns of policy that match
// nothing. A pattern is not accused while a server that it may be meant for has
// not answered.
func (g *Gateway) warnings(ctx context.Context) []string {
	var texts []string
	now := g.settings.Load()
	for _, w := range now.warnings {
		texts = append(texts, w.String())
	}
	texts = append(texts, now.plugins.complaints()...)
	listings := g.listings(ctx, toolcrib.Scope{Door: toolcrib.DoorCLI, Owner: true})
	if slices.ContainsFunc(listings, func(l toolcrib.Listing) bool { return !l.Known && l.State != toolcrib.StateDisabled }) {
		return texts
	}
	tools := everything(listings)
	return slices.Concat(texts, now.agents.unmatched(tools), now.asking.unmatched(tools), unmatchedHooks(now.config, tools))
}

// warnOfPolicy logs the patterns that match nothing, once all servers have answered.
func (g *Gateway) warnOfPolicy(ctx context.Context) {
	g.Settle(ctx)
	if ctx.Err() != nil {
		return
	}
	for _, text := range g.warnings(ctx) {
		g.recorder.warn(text)
	}
}

// unmatched names the patterns of all agents that match none of the tools.
func (x agents) unmatched(tools iter.Seq[*toolcrib.Tool]) []string {
	seen := map[string]bool{}
	for _, a := range x {
		for _, pattern := range a.every.Unmatched(tools) {
			seen[misspelt(pattern)] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// unmatched is the same for the rules of approvals.
func (x askRuleSet) unmatched(tools iter.Seq[*toolcrib.Tool]) []string {
	seen := map[string]bool{}
	for _, rules := range x {
		for _, r := range rules {
			for _, pattern := range r.matcher.Unmatched(tools) {
				seen[misspelt(pattern)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func misspelt(pattern string) string { return pattern + " matches no tool: is it misspelt?" }

// everything yields every tool that is listed, and the controls.
func everything(listings []toolcrib.Listing) iter.Seq[*toolcrib.Tool] {
	return func(yield func(*toolcrib.Tool) bool) {
		for _, l := range listings {
			for i := range l.Tools {
				if !yield(&l.Tools[i]) {
					return
				}
			}
		}
		for _, name := range toolsearch.ControlNames() {
			if t := toolsearch.ControlTool(name); !yield(&t) {
				return
			}
		}
	}
}
