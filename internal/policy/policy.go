package policy

import (
	"fmt"
	"iter"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// Rules are the allow and deny lists of one scope. An empty Allow allows all;
// Deny always wins.
type Rules struct {
	Allow, Deny []string
}

// NamedRules are the rules of one scope under the name that verdicts give: the
// place in the configuration, such as "tools".
type NamedRules struct {
	Name string
	Rules
}

// Policy is a set of compiled scopes. It is immutable and safe for concurrent
// use. A nil Policy denies everything.
type Policy struct {
	scopes []scope
}

type scope struct {
	allow, deny []rule
	// outside is the verdict on a tool that fits nothing in allow.
	outside Verdict
}

// rule is a pattern with the verdict that it gives, made once.
type rule struct {
	pattern
	verdict Verdict
}

// New compiles the scopes. A pattern without text is a KindConfig error that
// names its scope, list and place. Without any scope all but owner-only tools
// are allowed.
func New(scopes ...NamedRules) (*Policy, error) {
	p := &Policy{scopes: make([]scope, 0, len(scopes))}
	for _, named := range scopes {
		s := scope{outside: ruling(named.Name, true, "")}
		var err error
		if s.allow, err = compileList(named.Name, named.Allow, true); err != nil {
			return nil, err
		}
		if s.deny, err = compileList(named.Name, named.Deny, false); err != nil {
			return nil, err
		}
		p.scopes = append(p.scopes, s)
	}
	return p, nil
}

// compileList reads one list; allow tells which of the scope's two it is.
func compileList(scope string, texts []string, allow bool) ([]rule, error) {
	list := make([]rule, 0, len(texts))
	for i, text := range texts {
		compiled, err := compile(text, !allow)
		if err != nil {
			return nil, toolcrib.NewError(toolcrib.KindConfig,
				fmt.Sprintf("%s.%s[%d]: %q is not a pattern: %v", scope, listName(allow), i, text, err),
				`write a name, an id, a glob such as "github__*", or a group such as "group:mcp"`).WithCause(err)
		}
		verdict := ruling(scope, allow, compiled.text)
		verdict.Allowed = allow
		list = append(list, rule{compiled, verdict})
	}
	return list, nil
}

// Decide says whether a caller may see and run t. It looks at t's id, source,
// owner, name and OwnerOnly, and at the scope's Owner alone.
func (p *Policy) Decide(t *toolcrib.Tool, s toolcrib.Scope) Verdict {
	if p == nil || t == nil {
		return Verdict{Rule: "no policy"}
	}
	if t.OwnerOnly && !s.Owner {
		return Verdict{Rule: "owner-only tool"}
	}
	subject := subjectOf(t)
	for i := range p.scopes {
		if hit := first(p.scopes[i].deny, &subject); hit != nil {
			return hit.verdict
		}
	}
	verdict := Verdict{Allowed: true, Rule: "no rule against it"}
	for i := range p.scopes {
		scope := &p.scopes[i]
		if len(scope.allow) == 0 {
			continue
		}
		hit := first(scope.allow, &subject)
		if hit == nil {
			return scope.outside
		}
		verdict = hit.verdict
	}
	return verdict
}

func first(list []rule, s *subject) *rule {
	for i := range list {
		if list[i].match(s) {
			return &list[i]
		}
	}
	return nil
}

// Unmatched returns the patterns that match none of the tools, each as
// `SCOPE.LIST "PATTERN"`, in the order of the scopes, allow lists first. A
// pattern that matches nothing is worth a warning: it is often misspelt.
func (p *Policy) Unmatched(tools iter.Seq[*toolcrib.Tool]) []string {
	if p == nil {
		return nil
	}
	var open []rule
	for _, s := range p.scopes {
		open = append(append(open, s.allow...), s.deny...)
	}
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
