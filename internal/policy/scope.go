package policy

import (
	"fmt"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// Rules are the lists of one scope.
type Rules struct {
	// Profile names a set of groups; the empty one and FullProfile allow all.
	Profile string
	// Allow is what may be used at most. An empty one allows all.
	Allow []string
	// AlsoAllow adds to this scope's Profile, and to nothing else. It can't stand
	// beside Allow.
	AlsoAllow []string
	// Deny always wins.
	Deny []string
	// Strict makes an empty Allow allow nothing, unless it is nil.
	Strict bool
	// Unless softens Deny: a pattern of Deny doesn't count for tools that one of
	// these names, by group, by id or by name; "*" and other broad patterns name
	// nothing. It is for defaults that an operator may lift.
	Unless []string
}

// Empty reports whether the rules can't refuse anything.
func (r Rules) Empty() bool {
	return (r.Profile == "" || r.Profile == FullProfile) && len(r.Allow) == 0 && len(r.Deny) == 0 && !r.none()
}

// none reports whether the rules allow nothing at all.
func (r Rules) none() bool { return r.Strict && r.Allow != nil && len(r.Allow) == 0 }

// NamedRules are the rules of one scope under the name that verdicts give: the
// place in the configuration, such as "tools".
type NamedRules struct {
	Name string
	Rules
}

// scope is compiled NamedRules.
type scope struct {
	name string
	// lists must each hold a tool: the profile with what is added to it, and allow.
	lists []list
	deny  []rule
	// none is the verdict on everything, when that is denied.
	none *Verdict
}

// list is one list of patterns that allow.
type list struct {
	rules []rule
	// outside is the verdict on a tool that fits nothing in it.
	outside Verdict
}

// rule is a pattern with the verdict that it gives, made once.
type rule struct {
	pattern
	verdict Verdict
	unless  []pattern
}

// compileScope reads one scope.
func compileScope(n NamedRules) (scope, error) {
	s := scope{name: n.Name}
	if len(n.Allow) > 0 && len(n.AlsoAllow) > 0 {
		return s, toolcrib.NewError(toolcrib.KindConfig, n.Name+" has both allow and alsoAllow",
			"keep allow to name all there is, or alsoAllow to add to the profile of "+n.Name)
	}
	if n.none() {
		v := outside(n.Name, ListAllow)
		v.Rule = n.Name + ".allow (it is empty)"
		s.none = &v
	}
	if err := s.profile(n); err != nil {
		return s, err
	}
	allow, err := compileList(n.Name, ListAllow, n.Allow)
	if err != nil {
		return s, err
	}
	if len(allow) > 0 {
		s.lists = append(s.lists, list{allow, outside(n.Name, ListAllow)})
	}
	if s.deny, err = compileList(n.Name, ListDeny, n.Deny); err != nil {
		return s, err
	}
	unless, err := compileList(n.Name, "unless", n.Unless)
	for i := range s.deny {
		for _, u := range unless {
			s.deny[i].unless = append(s.deny[i].unless, u.pattern)
		}
	}
	return s, err
}

// profile adds the list of the scope's profile.
func (s *scope) profile(n NamedRules) error {
	also, err := compileList(n.Name, ListAlsoAllow, n.AlsoAllow)
	if err != nil {
		return err
	}
	texts, ok := ProfilePatterns(n.Profile)
	if !ok {
		return toolcrib.NewError(toolcrib.KindConfig, fmt.Sprintf("%s.profile: there is no profile %q", n.Name, n.Profile),
			"use "+strings.Join(Profiles(), ", "))
	}
	if len(texts) == 0 {
		return nil
	}
	l := list{outside: outsideProfile(n.Name, n.Profile)}
	for _, text := range texts {
		compiled, err := compile(text, false)
		if err != nil {
			return err
		}
		l.rules = append(l.rules, rule{pattern: compiled, verdict: byProfile(n.Name, n.Profile, text)})
	}
	l.rules = append(l.rules, also...)
	s.lists = append(s.lists, l)
	return nil
}

// compileList reads one list.
func compileList(scope string, of List, texts []string) ([]rule, error) {
	rules := make([]rule, 0, len(texts))
	for i, text := range texts {
		compiled, err := compile(text, of == ListDeny)
		if err != nil {
			return nil, toolcrib.NewError(toolcrib.KindConfig,
				fmt.Sprintf("%s.%s[%d]: %q is not a pattern: %v", scope, of, i, text, err),
				`write a name, an id, a glob such as "github__*", or a group such as "group:mcp"`).WithCause(err)
		}
		rules = append(rules, rule{pattern: compiled, verdict: byRule(scope, of, i, compiled.text)})
	}
	return rules, nil
}

// lifted reports whether one of the patterns that soften a rule names the tool.
func (r *rule) lifted(s *subject) bool {
	for i := range r.unless {
		if r.unless[i].names(s) {
			return true
		}
	}
	return false
}
