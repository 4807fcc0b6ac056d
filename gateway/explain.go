package gateway

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/glob"
	"github.com/toolcrib/toolcrib/internal/policy"
)

// asking is a question about policy: the settings it is asked of, and for whom.
type asking struct {
	settings *settings
	agent    *agent
	scope    toolcrib.Scope
}

// asking reads who is meant.
func (c control) asking(r client.PolicyCaller) (asking, error) {
	now := c.settings.Load()
	scope := toolcrib.Scope{
		Agent: cmp.Or(r.Agent, toolcrib.DefaultAgent), Door: cmp.Or(r.Door, toolcrib.DoorMCP), Provider: r.Provider, Harness: r.Harness,
		Sandboxed: r.Sandboxed, Subagent: r.Subagent, Owner: r.Owner,
	}
	doors := []string{"mcp", "chat", "responses", "messages", "cli", "agent"}
	if !slices.Contains(doors, string(scope.Door)) {
		hint := "use " + strings.Join(doors, ", ")
		if near := config.Nearest(string(scope.Door), doors); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return asking{}, toolcrib.NewError(toolcrib.KindInput, fmt.Sprintf("there is no door %q", scope.Door), hint)
	}
	a, err := now.agents.named(scope.Agent)
	if err != nil {
		return asking{}, err
	}
	return asking{now, a, a.complete(scope)}, nil
}

// caller is who was asked for, completed.
func (q asking) caller() client.PolicyCaller {
	return client.PolicyCaller{
		Agent: q.scope.Agent, Door: q.scope.Door, Provider: q.scope.Provider, Harness: q.scope.Harness,
		Sandboxed: q.scope.Sandboxed, Subagent: q.scope.Subagent, Owner: q.scope.Owner,
	}
}

// rule is a verdict's rule with its place in the configuration.
func (q asking) rule(v policy.Verdict) client.PolicyRule {
	r := client.PolicyRule{Text: v.Rule, List: string(v.List), Pattern: v.Pattern, Index: v.Index, Path: v.Path()}
	if r.Path == "" || strings.HasPrefix(r.Path, builtIn+".") {
		return r
	}
	if at, err := q.settings.config.Origin(r.Path); err == nil && at.Layer != config.LayerDefault {
		r.Place, r.Line = at.String(), at.Line
		if at.Layer == config.LayerFile {
			r.File = at.Name
		}
	}
	return r
}

// ExplainPolicy implements httpapi.PolicyControl.
func (c control) ExplainPolicy(ctx context.Context, r client.PolicyExplainRequest) (client.PolicyExplanation, error) {
	q, err := c.asking(r.PolicyCaller)
	if err != nil {
		return client.PolicyExplanation{}, err
	}
	ref := strings.TrimSpace(r.Tool)
	if ref == "" {
		return client.PolicyExplanation{}, toolcrib.NewError(toolcrib.KindInput, "no tool is named", "give an id or a name")
	}
	t, known, err := q.find(c.listings(ctx, q.scope), ref)
	if err != nil {
		return client.PolicyExplanation{}, err
	}
	return q.explain(t, known), nil
}

func (q asking) explain(t *toolcrib.Tool, known bool) client.PolicyExplanation {
	chain := q.agent.chain(q.scope)
	verdict := chain.decide(t, q.scope)
	e := client.PolicyExplanation{
		Tool: t.ID, Known: known, Allowed: verdict.Allowed, Rule: q.rule(verdict), Caller: q.caller(), Scopes: []client.PolicyOpinion{},
	}
	if !known {
		e.Notes = append(e.Notes, "no tool of that name is known now: this is what the patterns say of it")
	}
	if verdict.Scope == builtIn {
		e.Notes = append(e.Notes, fmt.Sprintf("an agent's own policy lifts that by naming it: agents.list[%s].tools.alsoAllow: [%q]", q.scope.Agent, verdict.Pattern))
	}
	rules := chain.policy
	if plumbing(t) {
		rules = chain.denials
		e.Notes = append(e.Notes, "lists of what is allowed don't count for it: it serves the other tools")
	}
	opinions := rules.Explain(t)
	if own, ok := q.serverLists(t); ok {
		opinions = slices.Insert(opinions, 0, own)
		if !own.Verdict.Allowed {
			e.Allowed, e.Rule = false, q.rule(own.Verdict)
		}
	}
	for _, o := range opinions {
		e.Scopes = append(e.Scopes, client.PolicyOpinion{Scope: o.Scope, Says: string(o.Says), Rule: q.rule(o.Verdict)})
	}
	return e
}

// find returns the tool that ref means, whatever policy says of it, and whether
// there is one. Of what isn't known it makes a tool of that id or name.
func (q asking) find(listings []toolcrib.Listing, ref string) (*toolcrib.Tool, bool, error) {
	named := map[string]*toolcrib.Tool{}
	for t := range everything(listings) {
		if t.ID == ref {
			return t, true, nil
		}
		if t.Name == ref || t.Source == toolcrib.SourceMCP && t.Owner+"__"+t.Name == ref {
			named[t.ID] = t
		}
	}
	ids := slices.Sorted(maps.Keys(named))
	switch len(ids) {
	case 0:
		return q.made(ref), false, nil
	case 1:
		return named[ids[0]], true, nil
	}
	return nil, false, toolcrib.NewError(toolcrib.KindAmbiguous, fmt.Sprintf("%q is the name of %d tools", ref, len(ids)), "name one by its id: "+strings.Join(ids, ", "))
}

// made is a tool that only a reference is known of.
func (q asking) made(ref string) *toolcrib.Tool {
	if source, owner, name, err := toolcrib.ParseID(ref); err == nil {
		return &toolcrib.Tool{ID: ref, Source: source, Owner: owner, Name: name}
	}
	for at := range len(ref) {
		server, name := ref[:at], strings.TrimPrefix(ref[at:], "__")
		if _, ok := q.settings.config.MCP.Servers[server]; ok && len(name)+2 == len(ref)-at && name != "" {
			return &toolcrib.Tool{ID: toolcrib.MakeID(toolcrib.SourceMCP, server, name), Source: toolcrib.SourceMCP, Owner: server, Name: name}
		}
	}
	return &toolcrib.Tool{ID: ref, Name: ref}
}

// serverLists is what the lists of a tool's own server say, which are applied
// before its tools are listed at all; false when it has none.
func (q asking) serverLists(t *toolcrib.Tool) (policy.Opinion, bool) {
	server := q.settings.config.MCP.Servers[t.Owner]
	if t.Source != toolcrib.SourceMCP || len(server.Allow)+len(server.Deny) == 0 {
		return policy.Opinion{}, false
	}
	o := policy.Opinion{Scope: config.JoinPath("mcp.servers", t.Owner), Says: policy.SaysNothing}
	list, index := policy.ListDeny, fitting(server.Deny, t.Name)
	switch {
	case index >= 0:
		o.Says = policy.SaysDenied
	case len(server.Allow) > 0:
		list, index = policy.ListAllow, fitting(server.Allow, t.Name)
		o.Says = policy.SaysAllowed
		if index < 0 {
			o.Says = policy.SaysOutside
		}
	default:
		o.Verdict = policy.Verdict{Allowed: true, Rule: "no rule against it", Index: -1}
		return o, true
	}
	o.Verdict = policy.Verdict{Allowed: o.Says == policy.SaysAllowed, Scope: o.Scope, List: list, Index: index}
	o.Verdict.Rule = fmt.Sprintf("%s.%s (nothing in it fits)", o.Scope, list)
	if index >= 0 {
		o.Verdict.Pattern = map[policy.List][]string{policy.ListDeny: server.Deny, policy.ListAllow: server.Allow}[list][index]
		o.Verdict.Rule = fmt.Sprintf("%s.%s %q", o.Scope, list, o.Verdict.Pattern)
	}
	return o, true
}

// fitting is the place of the first pattern that fits a name, -1 when none does.
func fitting(patterns []string, name string) int {
	return slices.IndexFunc(patterns, func(text string) bool {
		p, err := glob.Compile(text)
		return err == nil && p.Match(name)
	})
}
