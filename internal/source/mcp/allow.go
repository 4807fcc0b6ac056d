package mcp

import "strings"

// permitted applies the operator's patterns for one server to a tool's name:
// deny wins, and no allow pattern allows all.
func permitted(s *Server, name string) bool {
	if matchesAny(s.Deny, name) {
		return false
	}
	return len(s.Allow) == 0 || matchesAny(s.Allow, name)
}

// matchesAny reports whether one of the patterns fits.
func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if matches(strings.ToLower(strings.TrimSpace(p)), strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// matches compares a name with a pattern in which "*" stands for any text. It
// takes time in proportion to their product at worst.
func matches(pattern, name string) bool {
	star, mark := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
