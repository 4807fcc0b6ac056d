package gateway

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/approval"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/glob"
	"github.com/toolcrib/toolcrib/internal/policy"
)

// askRule is one rule of tools.approvals.
type askRule struct {
	config.ApprovalRule
	// place is where it stands, and says what it is: grants are for what it says.
	place, says string
	matcher     policy.Matcher
}

// askRuleSet are the rules by agent; "" is for those without rules of their own.
type askRuleSet map[string][]askRule

// newAskRules compiles them. An agent's own stand before those of all.
func newAskRules(c *config.Config) (askRuleSet, error) {
	all, err := askRules("tools", c.Tools.Approvals)
	if err != nil {
		return nil, err
	}
	by := askRuleSet{"": all}
	for i, a := range c.Agents.List {
		own, err := askRules(agentPath(a.ID, i), a.Tools.Approvals)
		if err != nil {
			return nil, err
		}
		by[a.ID] = slices.Concat(own, all)
	}
	return by, nil
}

func askRules(scope string, list []config.ApprovalRule) ([]askRule, error) {
	rules := make([]askRule, 0, len(list))
	for i, r := range list {
		place := fmt.Sprintf("%s.approvals[%d]", scope, i)
		match := r.Match
		if len(match) == 0 {
			match = []string{"*"}
		}
		matcher, err := policy.NewMatcher(place+".match", match)
		if err != nil {
			return nil, err
		}
		texts, err := json.Marshal(match)
		if err != nil {
			return nil, err
		}
		rules = append(rules, askRule{r, place, fmt.Sprintf("%s.approvals %s when %s", scope, texts, r.When), matcher})
	}
	return rules, nil
}

// of is the rule that asks before a call of a tool; nil for none.
func (x askRuleSet) of(t *toolcrib.Tool, s toolcrib.Scope) *askRule {
	if plumbing(t) {
		return nil
	}
	rules, ok := x[s.Agent]
	if !ok {
		rules = x[""]
	}
	for i := range rules {
		if rules[i].applies(t) {
			return &rules[i]
		}
	}
	return nil
}

func (r *askRule) applies(t *toolcrib.Tool) bool {
	if !r.matcher.Match(t) {
		return false
	}
	switch r.When {
	case "destructive":
		return mayDestroy(t)
	case "unknown":
		return saysNothing(t)
	}
	return true
}

// mayDestroy is true unless the tool is said, by who is believed, to read only or
// to destroy nothing.
func mayDestroy(t *toolcrib.Tool) bool {
	e := t.Effect()
	return e == toolcrib.EffectUnknown || e == toolcrib.EffectDestructive
}

// saysNothing is true when nobody who is believed says whether the tool reads only
// or destroys.
func saysNothing(t *toolcrib.Tool) bool {
	return !t.TrustsHints() || t.Effect() == toolcrib.EffectUnknown
}

// wanted is the question of the rule.
func (r *askRule) wanted(t *toolcrib.Tool) approval.Wanted {
	title := r.Title
	if title == "" {
		title = "Run " + t.Name
		if t.Owner != "" {
			title += " of " + t.Owner
		}
		title += "?"
	}
	decisions := make([]toolcrib.Decision, len(r.Decisions))
	for i, d := range r.Decisions {
		decisions[i] = toolcrib.Decision(d)
	}
	return approval.Wanted{Rule: r.says, Question: toolcrib.Question{
		Title: title, Description: r.why(t), Severity: toolcrib.Severity(r.Severity), Decisions: decisions, Timeout: r.Timeout(),
		Rule: r.place, BindArgs: r.BindArgs || glob.Fold(t.Name) == "exec",
	}}
}

// why says what the rule knows of the tool.
func (r *askRule) why(t *toolcrib.Tool) string {
	h := t.Annotations
	switch {
	case h.Destructive != nil && *h.Destructive && (h.ReadOnly == nil || !*h.ReadOnly):
		return "It may destroy something, as it says itself."
	case r.When == "always":
		return ""
	case t.TrustsHints():
		return "Nothing says that it only reads."
	}
	return "Its server isn't trusted to say what it does."
}
