package config

import (
	"slices"
	"strings"
	"time"

	"github.com/toolcrib/toolcrib"
)

// ApprovalRule says for which tools a person is asked, and how.
type ApprovalRule struct {
	// Match holds patterns; a tool that fits one is meant. Empty means every tool.
	Match []string
	// When is "always", "destructive" or "unknown".
	When string
	// Severity is "info", "warning" or "critical".
	Severity string
	// TimeoutMs is 1000 to 600000.
	TimeoutMs int
	// Title is what the person reads first; empty for one that names the tool.
	Title string
	// Decisions are those that are offered, beside "deny"; empty for all.
	Decisions []string
	// BindArgs makes "allow-always" count for the same arguments alone.
	BindArgs bool
	// AskClient lets the person at the client that made the call answer too.
	AskClient bool
}

// Timeout is TimeoutMs as a duration.
func (r ApprovalRule) Timeout() time.Duration { return time.Duration(r.TimeoutMs) * time.Millisecond }

// approvalKeys are the keys of approvals below prefix; note ends what is said of them.
func approvalKeys(prefix, note string) []Key {
	p := prefix + ".approvals"
	return []Key{
		{Path: p, Type: List, Doc: "For which tools a person is asked before each call. The first rule that fits asks." + note},
		{Path: p + ".[]", Type: Object, Doc: "One rule."},
		{Path: p + ".[].match", Type: List | String, Doc: "The tools: a pattern, or a list of them, as in allow and deny. Absent: all."},
		{Path: p + ".[].match.[]", Type: String, Doc: "A pattern."},
		{
			Path: p + ".[].when", Type: String, Default: `"always"`, Enum: []string{"always", "destructive", "unknown"},
			Doc: `"always" asks each time. "destructive" asks unless the tool is said to read only, or to destroy nothing; "unknown" asks when nothing is said of either. What a server says of its own tools doesn't spare them, unless its hints are believed (trustHints).`,
		},
		{
			Path: p + ".[].severity", Type: String, Default: `"warning"`, Enum: []string{"info", "warning", "critical"},
			Doc: "How much depends on the answer.",
		},
		{Path: p + ".[].timeoutMs", Type: Whole, Default: "120000", Min: 1000, Max: 600_000, Doc: "How long the question waits, in milliseconds. Then the call is refused."},
		{Path: p + ".[].title", Type: String, Doc: "What the person reads first, at most 80 characters. Absent: one that names the tool."},
		{
			Path: p + ".[].decisions", Type: List,
			Doc: "The answers that are offered beside deny. Absent: allow-once and allow-always.",
		},
		{Path: p + ".[].decisions.[]", Type: String, Enum: []string{"allow-once", "allow-always", "deny"}, Doc: "An answer."},
		{
			Path: p + ".[].bindArgs", Type: Bool, Default: "false",
			Doc: "true lets allow-always count for the very same arguments alone. For a tool with the name exec it always does.",
		},
		{
			Path: p + ".[].askClient", Type: Bool, Default: "true",
			Doc: "Whether the person at the client that made the call may answer, where that client can ask. Such an answer never lasts. A client's question is answered by whatever program the client is: with false only operators answer.",
		},
	}
}

// approvalRulesOf reads them.
func approvalRulesOf(tools *value) []ApprovalRule {
	list := tools.get("approvals")
	if list == nil {
		return nil
	}
	rules := make([]ApprovalRule, 0, len(list.items))
	for _, v := range list.items {
		rules = append(rules, ApprovalRule{
			Match: oneOrMore(v.get("match")), When: text(v.get("when")), Severity: text(v.get("severity")), TimeoutMs: number(v.get("timeoutMs"), 0),
			Title: text(v.get("title")), Decisions: texts(v.get("decisions")), BindArgs: yes(v.get("bindArgs")), AskClient: v.get("askClient") == nil || yes(v.get("askClient")),
		})
	}
	return rules
}

// oneOrMore reads a list of strings, or one.
func oneOrMore(v *value) []string {
	if v != nil && v.text != "" {
		return []string{v.text}
	}
	return texts(v)
}

// approvals checks the rules in tools.
func (c crossChecker) approvals(tools *value, path string) {
	list := tools.get("approvals")
	if list == nil || list.bad {
		return
	}
	for i, v := range list.items {
		if !v.bad {
			c.approval(v, itemPath(path+".approvals", i))
		}
	}
}

func (c crossChecker) approval(v *value, path string) {
	if match := v.get("match"); match != nil && !match.bad {
		patterns := oneOrMore(match)
		if len(patterns) == 0 {
			c.fail(match.origin, path+".match", "is empty, and would fit no tool", "leave it out to mean every tool")
		}
		for _, p := range patterns {
			if strings.TrimSpace(p) == "" {
				c.fail(match.origin, path+".match", "holds an empty pattern", `"*" matches every tool`)
			}
		}
	}
	if d := v.get("decisions"); d != nil && !d.bad {
		if !slices.ContainsFunc(d.items, func(item *value) bool { return item.bad || strings.HasPrefix(item.text, "allow-") }) {
			c.fail(d.origin, path+".decisions", "offers no yes", "add allow-once, or deny the tools in "+path[:strings.LastIndex(path, ".")]+".deny")
		}
	}
	if title := v.get("title"); title != nil && !title.bad && len([]rune(title.text)) > maxTitle {
		c.warn(title.origin, path+".title", "is longer than %d characters, and is cut", maxTitle)
	}
}

// maxTitle is in characters.
const maxTitle = toolcrib.MaxTitle
