package policy

import "strconv"

// Verdict is the answer of a Policy. The zero Verdict denies.
type Verdict struct {
	Allowed bool
	// Rule says what decided, for a log and for an operator: `tools.deny
	// "mcp:github:*"`, or `tools.allow (nothing in it fits)`. It
	// is not for a model: it would tell that a hidden tool exists.
	Rule string
	// Scope is the name of the scope that decided, and Pattern its pattern as
	// written. Both are empty when no list decided.
	Scope, Pattern string
}

// ruling makes a denying verdict of one list. The empty pattern means that
// nothing in the list fits.
func ruling(scope string, allow bool, pattern string) Verdict {
	text := scope + "." + listName(allow)
	if pattern == "" {
		text += " (nothing in it fits)"
	} else {
		text += " " + strconv.Quote(pattern)
	}
	return Verdict{Rule: text, Scope: scope, Pattern: pattern}
}

func listName(allow bool) string {
	if allow {
		return "allow"
	}
	return "deny"
}
