package gateway

import (
	"fmt"
	"slices"
	"sync"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/policy"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// agent is one configured agent: what it may reach, and in which mode.
type agent struct {
	id     string
	policy *policy.Policy
	search config.ToolSearch

	mu   sync.Mutex
	last plan // of the newest listings; sessions of the agent share it
}

// plan is a catalog with what it was made of.
type plan struct {
	listings []toolcrib.Listing
	owner    bool
	catalog  *catalog.Catalog
}

// agents are the configured agents by id; toolcrib.DefaultAgent is always there.
type agents map[string]*agent

// newAgents reads the policy and the modes of a configuration.
func newAgents(c *config.Config) (agents, error) {
	global := policy.NamedRules{Name: "tools", Rules: policy.Rules{Allow: c.Tools.Allow, Deny: c.Tools.Deny}}
	all := agents{}
	p, err := policy.New(global)
	if err != nil {
		return nil, err
	}
	all[toolcrib.DefaultAgent] = &agent{id: toolcrib.DefaultAgent, policy: p, search: c.Tools.ToolSearch}
	for _, a := range c.Agents.List {
		own := policy.NamedRules{Name: "agents.list[" + a.ID + "].tools", Rules: policy.Rules{Allow: a.Tools.Allow, Deny: a.Tools.Deny}}
		p, err := policy.New(global, own)
		if err != nil {
			return nil, err
		}
		mode := c.Tools.ToolSearch
		if a.Tools.ToolSearch != nil {
			mode = *a.Tools.ToolSearch
		}
		all[a.ID] = &agent{id: a.ID, policy: p, search: mode}
	}
	return all, nil
}

// named returns a configured agent.
func (x agents) named(id string) (*agent, error) {
	if a := x[id]; a != nil {
		return a, nil
	}
	return nil, toolcrib.NewError(toolcrib.KindNotFound, fmt.Sprintf("no agent %q is configured", id), "name one of agents.list, or none")
}

// mode reads the mode that a caller asks for. Off means off: a configuration
// without Tool Search allows direct alone.
func (a *agent) mode(asked string) (toolsearch.Mode, error) {
	configured := toolsearch.Mode(a.search.Effective())
	if asked == "" {
		return configured, nil
	}
	known := []toolsearch.Mode{toolsearch.ModeAuto, toolsearch.ModeDirect, toolsearch.ModeCode, toolsearch.ModeTools, toolsearch.ModeDirectory, toolsearch.ModeNative}
	mode := toolsearch.Mode(asked)
	if !slices.Contains(known, mode) {
		return "", toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("there is no mode %q", asked), "use direct, code, tools, directory, native or auto")
	}
	if configured == toolsearch.ModeDirect && mode != toolsearch.ModeDirect {
		return "", toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("mode %q is not allowed: Tool Search is switched off for agent %q", asked, a.id),
			"ask for direct, or set tools.toolSearch")
	}
	return mode, nil
}

// decide is the policy of one call.
func (a *agent) decide(t *toolcrib.Tool, s toolcrib.Scope) (bool, string) {
	v := a.policy.Decide(t, s)
	return v.Allowed, v.Rule
}

// plan makes the agent's catalog of listings, or takes the last one where
// nothing has changed.
func (a *agent) plan(listings []toolcrib.Listing, s toolcrib.Scope) *catalog.Catalog {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last.catalog != nil && a.last.owner == s.Owner && slices.EqualFunc(a.last.listings, listings, sameListing) {
		return a.last.catalog
	}
	c := catalog.Plan(listings, func(t *toolcrib.Tool) bool { return a.policy.Decide(t, s).Allowed })
	a.last = plan{listings, s.Owner, c}
	return c
}

// sameListing reports whether two listings give the same plan.
func sameListing(a, b toolcrib.Listing) bool {
	return a.Source == b.Source && a.Owner == b.Owner && a.State == b.State && a.Reason == b.Reason &&
		a.Known == b.Known && a.Fingerprint == b.Fingerprint && a.ToolPrefix == b.ToolPrefix && a.NoPrefix == b.NoPrefix
}
