package policy

import (
	"fmt"
	"strconv"
)

// List names one of a scope's lists, as the configuration does.
type List string

// The lists.
const (
	ListProfile   List = "profile"
	ListAllow     List = "allow"
	ListAlsoAllow List = "alsoAllow"
	ListDeny      List = "deny"
)

// Verdict is the answer of a Policy. The zero Verdict denies.
type Verdict struct {
	Allowed bool
	// Rule says what decided, for a log and for an operator: `tools.deny
	// "mcp:github:*"`, or `tools.allow (nothing in it fits)`. It
	// is not for a model: it would tell that a hidden tool exists.
	Rule string
	// Scope is the name of the scope that decided and List which of its lists;
	// both are empty when no list did.
	Scope string
	List  List
	// Pattern is the pattern that fits, as written; empty when none does.
	Pattern string
	// Index is the pattern's place in the list, from 0. It is -1 when no single
	// item of a list decided: nothing in the list fits, or a profile's pattern does.
	Index int
}

// Path is the place in the configuration: the item that decided, else its list.
// It is empty when no list decided.
func (v Verdict) Path() string {
	switch {
	case v.Scope == "":
		return ""
	case v.Index < 0:
		return v.Scope + "." + string(v.List)
	}
	return fmt.Sprintf("%s.%s[%d]", v.Scope, v.List, v.Index)
}

// Rules of verdicts that no list gives.
const (
	ruleNone      = "no rule against it"
	ruleOwnerOnly = "owner-only tool"
	ruleNoPolicy  = "no policy"
)

// unopposed is the verdict on what no list speaks of. It is never changed.
var unopposed = Verdict{Allowed: true, Rule: ruleNone, Index: -1}

// byRule is the verdict of one pattern.
func byRule(scope string, list List, index int, pattern string) Verdict {
	return Verdict{
		Allowed: list != ListDeny, Rule: scope + "." + string(list) + " " + strconv.Quote(pattern),
		Scope: scope, List: list, Pattern: pattern, Index: index,
	}
}

// outside is the denying verdict of a list in which nothing fits.
func outside(scope string, list List) Verdict {
	return Verdict{Rule: scope + "." + string(list) + " (nothing in it fits)", Scope: scope, List: list, Index: -1}
}

// byProfile is the verdict of a profile's pattern.
func byProfile(scope, profile, pattern string) Verdict {
	return Verdict{
		Allowed: true, Rule: fmt.Sprintf("%s.profile %q (%s)", scope, profile, pattern),
		Scope: scope, List: ListProfile, Pattern: pattern, Index: -1,
	}
}

// outsideProfile is the denying verdict on what a profile doesn't have.
func outsideProfile(scope, profile string) Verdict {
	return Verdict{Rule: fmt.Sprintf("%s.profile %q (it isn't in it)", scope, profile), Scope: scope, List: ListProfile, Index: -1}
}
