package policy

import (
	"iter"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// Policy is a set of compiled scopes. It is immutable and safe for concurrent
// use. A nil Policy denies everything.
type Policy struct {
	scopes []scope
	// deny and lists are those of all scopes, in their order, and none the
	// verdict of the first that allows nothing.
	deny  []rule
	lists []list
	none  *Verdict
	views views
}

// New compiles the scopes, the widest first. A pattern without text, a profile
// that there isn't, and a scope with both Allow and AlsoAllow are errors of
// KindConfig that name the scope, the list and the place. Without any scope all
// but owner-only tools are allowed.
func New(scopes ...NamedRules) (*Policy, error) {
	p := &Policy{scopes: make([]scope, 0, len(scopes))}
	for _, named := range scopes {
		s, err := compileScope(named)
		if err != nil {
			return nil, err
		}
		p.add(s)
	}
	return p, nil
}

func (p *Policy) add(s scope) {
	p.scopes = append(p.scopes, s)
	p.deny = append(p.deny, s.deny...)
	p.lists = append(p.lists, s.lists...)
	if p.none == nil {
		p.none = s.none
	}
}

// Denials returns the policy without its lists of what is allowed: it refuses
// what is denied, and everything where a scope allows nothing.
func (p *Policy) Denials() *Policy {
	if p == nil {
		return nil
	}
	d := &Policy{scopes: make([]scope, 0, len(p.scopes))}
	for _, s := range p.scopes {
		s.lists = nil
		d.add(s)
	}
	return d
}

// Decide says whether a caller may see and run t. It looks at t's id, source,
// owner, name and OwnerOnly, and at the scope's Owner alone: which rules hold for
// a scope was settled when the policy was made.
func (p *Policy) Decide(t *toolcrib.Tool, s toolcrib.Scope) Verdict {
	if p == nil || t == nil {
		return Verdict{Rule: ruleNoPolicy, Index: -1}
	}
	if t.OwnerOnly && !s.Owner {
		return Verdict{Rule: ruleOwnerOnly, Index: -1}
	}
	subject := subjectOf(t)
	if v := p.views.of(p, &subject); v != nil {
		return *p.quick(v, &subject)
	}
	return *p.plain(&subject)
}

// plain tries every pattern in turn. It is what quick has to agree with.
func (p *Policy) plain(s *subject) *Verdict {
	if hit := firstDeny(p.deny, s); hit != nil {
		return &hit.verdict
	}
	if p.none != nil {
		return p.none
	}
	verdict := &unopposed
	for i := range p.lists {
		hit := first(p.lists[i].rules, s)
		if hit == nil {
			return &p.lists[i].outside
		}
		verdict = &hit.verdict
	}
	return verdict
}

// quick decides by the view of the tool's owner.
func (p *Policy) quick(v *view, s *subject) *Verdict {
	if hit := v.deny.find(s); hit != nil {
		return &hit.verdict
	}
	if p.none != nil {
		return p.none
	}
	verdict := &unopposed
	for i := range v.lists {
		hit := v.lists[i].find(s)
		if hit == nil {
			return v.lists[i].outside
		}
		verdict = &hit.verdict
	}
	return verdict
}

func first(rules []rule, s *subject) *rule {
	for i := range rules {
		if rules[i].match(s) {
			return &rules[i]
		}
	}
	return nil
}

func firstDeny(rules []rule, s *subject) *rule {
	for i := range rules {
		if rules[i].match(s) && !rules[i].lifted(s) {
			return &rules[i]
		}
	}
	return nil
}

// Unmatched returns the patterns that match none of the tools, each as
// `SCOPE.LIST "PATTERN"`, in the order of the scopes, lists that allow first. A
// pattern that matches nothing is worth a warning: it is often misspelt. The
// well-known groups are never named, nor what a profile holds.
func (p *Policy) Unmatched(tools iter.Seq[*toolcrib.Tool]) []string {
	if p == nil {
		return nil
	}
	var open []rule
	for _, s := range p.scopes {
		for _, l := range s.lists {
			open = append(open, l.rules...)
		}
		open = append(open, s.deny...)
	}
	open = slices.DeleteFunc(open, func(r rule) bool { return r.verdict.Index < 0 || r.knownGroup() })
	for t := range tools {
		if len(open) == 0 {
			return nil
		}
		subject := subjectOf(t)
		open = slices.DeleteFunc(open, func(r rule) bool { return r.match(&subject) })
	}
	var texts []string
	for _, r := range open {
		texts = append(texts, r.verdict.Rule)
	}
	return texts
}

// knownGroup reports whether the pattern is one of the well-known groups.
func (r *rule) knownGroup() bool {
	return r.form == byGroup && r.whole.Exact() && slices.Contains(knownGroups, r.folded)
}
