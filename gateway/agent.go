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
	id string
	// rules are all that may hold for one of its callers, and every the same as
	// one policy: it says which patterns match nothing.
	rules  []guarded
	every  *policy.Policy
	chains chains
	// sandbox, model and harness hold for all its callers.
	sandbox        bool
	model, harness string
	search         config.ToolSearch
	maxResultBytes int

	mu       sync.Mutex
	surfaces map[look]shown // the newest of each look; sessions share them
}

// look is what makes surfaces of one catalog differ.
type look struct {
	mode      toolsearch.Mode
	split     bool // toolsearch.Options.Split
	finder    string
	directory toolsearch.DirectoryOptions // of mode directory
}

// shown is a surface with the catalog that it shows.
type shown struct {
	catalog *catalog.Catalog
	surface *toolsearch.Surface
}

// agents are the configured agents by id; toolcrib.DefaultAgent is always there.
type agents map[string]*agent

// newAgents reads the policy and the modes of a configuration.
func newAgents(c *config.Config) (agents, error) {
	main, err := newAgent(toolcrib.DefaultAgent, c.Tools, c.Tools.ToolSearch, agentRules(c, nil, 0))
	if err != nil {
		return nil, err
	}
	all := agents{main.id: main}
	for i, own := range c.Agents.List {
		mode := c.Tools.ToolSearch
		if own.Tools.ToolSearch != nil {
			mode = *own.Tools.ToolSearch
		}
		a, err := newAgent(own.ID, c.Tools, mode, agentRules(c, &own, i))
		if err != nil {
			return nil, err
		}
		a.sandbox, a.model, a.harness = own.Sandbox, own.Model, own.Harness
		all[a.id] = a
	}
	return all, nil
}

func newAgent(id string, tools config.Tools, search config.ToolSearch, rules []guarded) (*agent, error) {
	scopes := make([]policy.NamedRules, len(rules))
	for i, r := range rules {
		scopes[i] = r.NamedRules
	}
	every, err := policy.New(scopes...)
	return &agent{id: id, rules: rules, every: every, search: search, maxResultBytes: tools.MaxResultBytes}, err
}

// nobody stands for an agent that is no longer configured: it may reach nothing.
func nobody(id string) *agent {
	off := false
	nothing := guarded{NamedRules: policy.NamedRules{Name: "agents.list", Rules: policy.Rules{Deny: []string{"*"}}}}
	none, err := newAgent(id, config.Tools{}, config.ToolSearch{Enabled: &off}, []guarded{nothing})
	if err != nil {
		panic(err) // one pattern of one character
	}
	return none
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

// decide is the policy of one tool for one caller, when it is listed as when it
// is called.
func (a *agent) decide(t *toolcrib.Tool, s toolcrib.Scope) policy.Verdict {
	return a.chain(s).decide(t, s)
}

// plan makes the agent's catalog of listings. Sessions for which the same rules
// hold share it, and while nothing has changed it is the same one.
func (a *agent) plan(p *catalog.Planner, listings []toolcrib.Listing, s toolcrib.Scope) *catalog.Catalog {
	c := a.chain(s)
	rule := fmt.Sprintf("%s owner=%t", c.rules, s.Owner)
	return p.Plan(listings, func(t *toolcrib.Tool) bool { return c.decide(t, s).Allowed }, rule)
}

// surface returns the surface of a catalog with a look, made when the newest one is
// of another catalog.
func (a *agent) surface(c *catalog.Catalog, l look, open func() *toolsearch.Surface) *toolsearch.Surface {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.surfaces[l]; s.catalog == c {
		return s.surface
	}
	if a.surfaces == nil {
		a.surfaces = map[look]shown{}
	}
	s := open()
	a.surfaces[l] = shown{c, s}
	return s
}
