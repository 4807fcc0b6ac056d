package gateway

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/glob"
	"github.com/toolcrib/toolcrib/internal/policy"
)

// place says on which side of a caller's own lists a scope stands.
type place bool

// Scopes of the session's inside come behind the lists of its token and itself.
const (
	placeOuter place = false
	placeInner place = true
)

// condition says for whom rules hold; what is left out holds for all.
type condition struct {
	door                toolcrib.Door
	provider, harness   string // folded
	sandboxed, subagent bool
}

// holds reports whether the condition is met. Rules for a provider hold for each
// of its models, which are named PROVIDER/MODEL.
func (c condition) holds(s toolcrib.Scope) bool {
	provider := glob.Fold(s.Provider)
	return (c.door == "" || c.door == s.Door) &&
		(c.provider == "" || c.provider == provider || strings.HasPrefix(provider, c.provider+"/")) &&
		(c.harness == "" || c.harness == glob.Fold(s.Harness)) &&
		(!c.sandboxed || s.Sandboxed) && (!c.subagent || s.Subagent)
}

// guarded are the rules of one scope with the condition under which they hold.
type guarded struct {
	policy.NamedRules
	condition
	place place
}

// agentRules are the rules for the callers of one agent, the widest first. own is
// nil for an agent that the configuration doesn't name, and at its place in the list.
func agentRules(c *config.Config, own *config.Agent, at int) []guarded {
	global := config.ToolRules{Profile: c.Tools.Profile, Allow: c.Tools.Allow, AlsoAllow: c.Tools.AlsoAllow, Deny: c.Tools.Deny}
	outer, inner := scopesOf("tools", global, c.Tools.ToolPolicy)
	if own == nil {
		return slices.Concat(doorDefaults(config.AgentTools{}), outer, inner)
	}
	rules := config.ToolRules{Profile: own.Tools.Profile, Allow: own.Tools.Allow, AlsoAllow: own.Tools.AlsoAllow, Deny: own.Tools.Deny}
	ownOuter, ownInner := scopesOf(agentPath(own.ID, at), rules, own.Tools.ToolPolicy)
	return slices.Concat(doorDefaults(own.Tools), outer, ownOuter, inner, ownInner)
}

// agentPath is where an agent's rules stand. An id that is a number would be taken
// for a place in the list.
func agentPath(id string, at int) string {
	if _, err := strconv.Atoi(id); err == nil {
		return fmt.Sprintf("agents.list[%d].tools", at)
	}
	return "agents.list[" + id + "].tools"
}

// scopesOf are the scopes that stand at a path: the rules themselves, those for
// some providers, doors and harnesses; and those for a session's inside.
func scopesOf(path string, own config.ToolRules, p config.ToolPolicy) (outer, inner []guarded) {
	add := func(path string, r config.ToolRules, c condition) {
		outer = append(outer, guarded{NamedRules: named(path, r), condition: c})
	}
	add(path, own, condition{})
	for _, name := range slices.Sorted(maps.Keys(p.ByProvider)) {
		add(config.JoinPath(path+".byProvider", name), p.ByProvider[name], condition{provider: glob.Fold(strings.TrimSpace(name))})
	}
	for _, name := range slices.Sorted(maps.Keys(p.ByChannel)) {
		add(path+".byChannel."+name, p.ByChannel[name], condition{door: toolcrib.Door(name)})
	}
	for _, name := range slices.Sorted(maps.Keys(p.ByHarness)) {
		add(config.JoinPath(path+".byHarness", name), p.ByHarness[name], condition{harness: glob.Fold(strings.TrimSpace(name))})
	}
	return outer, []guarded{
		{named(path+".sandbox.tools", p.Sandbox), condition{sandboxed: true}, placeInner},
		{named(path+".subagents.tools", p.Subagents), condition{subagent: true}, placeInner},
	}
}

func named(path string, r config.ToolRules) policy.NamedRules {
	return policy.NamedRules{Name: path, Rules: policy.Rules{Profile: r.Profile, Allow: r.Allow, AlsoAllow: r.AlsoAllow, Deny: r.Deny}}
}

// builtIn is the name of the scope that no configuration has to write.
const builtIn = "defaults"

// doorDefaults keep tools that reach into the machine from those who come from
// outside: files, commands and the web, unless the agent's own policy names them.
func doorDefaults(own config.AgentTools) []guarded {
	var out []guarded
	for _, door := range []toolcrib.Door{toolcrib.DoorMCP, toolcrib.DoorChat, toolcrib.DoorResponses, toolcrib.DoorMessages} {
		profile, _ := policy.ProfilePatterns(own.Profile)
		byDoor := own.ByChannel[string(door)]
		rules := policy.Rules{
			Deny:   []string{"group:fs", "group:runtime", "group:web"},
			Unless: slices.Concat(profile, own.Allow, own.AlsoAllow, byDoor.Allow, byDoor.AlsoAllow),
		}
		out = append(out, guarded{NamedRules: policy.NamedRules{Name: builtIn, Rules: rules}, condition: condition{door: door}})
	}
	return out
}
