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
	// denials are the deny lists alone. They decide over our own plumbing: an
	// operator who allows one server doesn't mean to lose the way to search it.
	denials *policy.Policy
	search  config.ToolSearch
	// rules are the policy's, by which catalogs are told apart.
	rules          string
	maxResultBytes int

	mu       sync.Mutex
	surfaces map[look]shown // the newest of each look; sessions share them
}

// look is what makes surfaces of one catalog differ.
type look struct {
	mode      toolsearch.Mode
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
	global := policy.NamedRules{Name: "tools", Rules: policy.Rules{Allow: c.Tools.Allow, Deny: c.Tools.Deny}}
	main, err := newAgent(toolcrib.DefaultAgent, c.Tools, c.Tools.ToolSearch, global)
	if err != nil {
		return nil, err
	}
	all := agents{main.id: main}
	for _, a := range c.Agents.List {
		own := policy.NamedRules{Name: "agents.list[" + a.ID + "].tools", Rules: policy.Rules{Allow: a.Tools.Allow, Deny: a.Tools.Deny}}
		mode := c.Tools.ToolSearch
		if a.Tools.ToolSearch != nil {
			mode = *a.Tools.ToolSearch
		}
		if all[a.ID], err = newAgent(a.ID, c.Tools, mode, global, own); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func newAgent(id string, tools config.Tools, search config.ToolSearch, scopes ...policy.NamedRules) (*agent, error) {
	all, err := policy.New(scopes...)
	if err != nil {
		return nil, err
	}
	rules := fmt.Sprintf("%s %q", id, scopes)
	for i := range scopes {
		scopes[i].Allow = nil
	}
	denials, err := policy.New(scopes...)
	return &agent{id: id, policy: all, denials: denials, search: search, rules: rules, maxResultBytes: tools.MaxResultBytes}, err
}

// nobody stands for an agent that is no longer configured: it may reach nothing.
func nobody(id string) *agent {
	off := false
	none, err := newAgent(id, config.Tools{}, config.ToolSearch{Enabled: &off}, policy.NamedRules{Name: "agents.list", Rules: policy.Rules{Deny: []string{"*"}}})
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
	if plumbing(t) {
		return a.denials.Decide(t, s)
	}
	return a.policy.Decide(t, s)
}

// plumbing reports whether a tool is there for the sake of the others: a control,
// or the tool that reads on in their results.
func plumbing(t *toolcrib.Tool) bool {
	return t.Source == toolcrib.SourceCore && (t.Owner == toolsearch.ControlOwner || t.ID == toolsearch.ResultsRead)
}

// plan makes the agent's catalog of listings. Sessions of one agent share it, and
// while nothing has changed it is the same one.
func (a *agent) plan(p *catalog.Planner, listings []toolcrib.Listing, s toolcrib.Scope) *catalog.Catalog {
	rule := fmt.Sprintf("%s owner=%t", a.rules, s.Owner)
	return p.Plan(listings, func(t *toolcrib.Tool) bool { return a.decide(t, s).Allowed }, rule)
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
