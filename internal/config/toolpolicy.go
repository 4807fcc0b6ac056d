package config

import (
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib/internal/config/json5"
)

// ToolPolicy is what a scope of policy has beside its Allow and Deny. The maps
// are nil where nothing is written.
type ToolPolicy struct {
	// Profile is "minimal", "coding", "messaging", "full", or empty for none.
	Profile string
	// AlsoAllow adds to Profile. It is empty where Allow isn't.
	AlsoAllow []string
	// ByProvider holds rules by the name of a provider or of one of its models,
	// ByChannel by door, and ByHarness by the program that runs the model.
	ByProvider, ByChannel, ByHarness map[string]ToolRules
	// Sandbox holds for sandboxed sessions, Subagents for agents that another one
	// started. Both have Allow and Deny alone.
	Sandbox, Subagents ToolRules
}

// ToolRules are the lists of one scope of policy.
type ToolRules struct {
	Profile                string
	Allow, AlsoAllow, Deny []string
}

func toolPolicyOf(tools *value) ToolPolicy {
	return ToolPolicy{
		Profile: text(tools.get("profile")), AlsoAllow: texts(tools.get("alsoAllow")),
		ByProvider: toolRulesMap(tools.get("byProvider")), ByChannel: toolRulesMap(tools.get("byChannel")), ByHarness: toolRulesMap(tools.get("byHarness")),
		Sandbox: toolRulesOf(tools.get("sandbox").get("tools")), Subagents: toolRulesOf(tools.get("subagents").get("tools")),
	}
}

func toolRulesMap(v *value) map[string]ToolRules {
	if v == nil || len(v.fields) == 0 {
		return nil
	}
	rules := map[string]ToolRules{}
	for _, f := range v.fields {
		rules[f.key] = toolRulesOf(f.val)
	}
	return rules
}

func toolRulesOf(v *value) ToolRules {
	return ToolRules{
		Profile: text(v.get("profile")), Allow: texts(v.get("allow")), AlsoAllow: texts(v.get("alsoAllow")), Deny: texts(v.get("deny")),
	}
}

// JoinPath appends a key to the path of what holds it, in the words of Get.
func JoinPath(path, key string) string { return joinPath(path, key) }

// toolPolicy checks every scope of policy in tools, the own one too.
func (c crossChecker) toolPolicy(tools *value, path string) {
	c.rules(tools, path)
	for _, by := range []string{"byProvider", "byChannel", "byHarness"} {
		holder := tools.get(by)
		if holder == nil {
			continue
		}
		for _, f := range holder.fields {
			at := joinPath(path+"."+by, f.key)
			if strings.TrimSpace(f.key) == "" {
				c.fail(f.at, at, "has no name", "write the name that the rules are for")
			}
			c.rules(f.val, at)
		}
	}
	for _, inner := range []string{"sandbox", "subagents"} {
		c.rules(tools.get(inner).get("tools"), path+"."+inner+".tools")
	}
}

// namesDefault reports whether an agent's pattern names tools that no caller from
// outside gets unless an agent names them: then it has an effect without a profile.
func namesDefault(v *value) bool {
	group := strings.ToLower(strings.TrimSpace(v.text))
	for _, owner := range []string{"fs", "runtime", "web"} {
		if group == "group:"+owner || strings.HasPrefix(group, "core:"+owner+":") {
			return true
		}
	}
	return false
}

// rules checks the lists of one scope.
func (c crossChecker) rules(v *value, path string) {
	if v == nil || v.bad {
		return
	}
	c.patterns(v, path)
	also, profile := v.get("alsoAllow"), v.get("profile")
	if also == nil || also.bad || len(also.items) == 0 {
		return
	}
	if allow := v.get("allow"); allow != nil && (allow.kind == json5.Array && len(allow.items) > 0) {
		c.fail(also.origin, path+".alsoAllow", "stands beside allow ("+allow.origin.String()+")",
			"keep allow to name all there is, or alsoAllow to add to the profile of "+path)
		return
	}
	if (profile == nil || profile.text == "full") && !(strings.HasPrefix(path, "agents.") && slices.ContainsFunc(also.items, namesDefault)) {
		c.warn(also.origin, path+".alsoAllow", "has no effect: it adds to %s.profile, which has everything already", path)
	}
}
