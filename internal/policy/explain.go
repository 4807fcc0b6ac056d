package policy

import "github.com/toolcrib/toolcrib"

// Says is what one scope says of a tool.
type Says string

// What a scope can say. Only SaysDenied and SaysOutside refuse.
const (
	SaysAllowed Says = "allows"
	SaysDenied  Says = "denies"
	// SaysOutside: it has a list of what is allowed, and the tool is not in it.
	SaysOutside Says = "does not allow"
	SaysNothing Says = "says nothing"
)

// Opinion is what one scope says of a tool, and by which rule. A scope that
// says nothing has a Verdict that allows, with its name alone.
type Opinion struct {
	Scope   string
	Says    Says
	Verdict Verdict
}

// Explain returns what each scope by itself says of a tool, in the order of the
// scopes. The tool is allowed exactly when none refuses and Decide doesn't for
// its being owner-only.
func (p *Policy) Explain(t *toolcrib.Tool) []Opinion {
	if p == nil || t == nil {
		return nil
	}
	subject := subjectOf(t)
	opinions := make([]Opinion, len(p.scopes))
	for i := range p.scopes {
		opinions[i] = p.scopes[i].opinion(&subject)
	}
	return opinions
}

func (s *scope) opinion(x *subject) Opinion {
	if hit := firstDeny(s.deny, x); hit != nil {
		return Opinion{s.name, SaysDenied, hit.verdict}
	}
	if s.none != nil {
		return Opinion{s.name, SaysOutside, *s.none}
	}
	o := Opinion{s.name, SaysNothing, unopposed}
	for i := range s.lists {
		hit := first(s.lists[i].rules, x)
		if hit == nil {
			return Opinion{s.name, SaysOutside, s.lists[i].outside}
		}
		o.Says, o.Verdict = SaysAllowed, hit.verdict
	}
	return o
}
