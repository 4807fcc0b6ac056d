package config

import (
	"fmt"
	"strings"

	"github.com/toolcrib/toolcrib/internal/near"
)

// otherNames are names that other programs give to keys of ours, and how we say the same.
var otherNames = map[string]string{
	"disabled":    "enabled: false",
	"timeout":     "timeoutMs",
	"serverurl":   "url",
	"httpurl":     "url",
	"environment": "env",
	"transport":   "command or url alone",
	"type":        "command or url alone",
}

// didYouMean is the hint for a key that s doesn't have.
func didYouMean(s *spec, path, name string) string {
	if s.Type&(Object|Map|List) == 0 {
		return path + " holds no keys"
	}
	if path == "" {
		if hint := topHint(name); hint != "" {
			return hint
		}
	}
	if child := nearestChild(s, name); child != "" {
		return fmt.Sprintf("did you mean %q?", child)
	}
	if other, ok := otherNames[strings.ToLower(name)]; ok && s.child("url") != nil {
		return "toolcrib's word for it is " + other
	}
	for _, k := range Keys() {
		if i := strings.LastIndexByte(k.Path, '.'); i > 0 && strings.EqualFold(k.Path[i+1:], name) && !strings.Contains(k.Path, "[]") {
			return fmt.Sprintf("did you mean %s?", k.Path)
		}
	}
	return "known keys here: " + strings.Join(childNames(s), ", ")
}

// topHint is the hint for a key at the top that other programs' files have, or
// nearly have; "" for any other.
func topHint(name string) string {
	switch {
	case near.Distance(strings.ToLower(name), "mcpservers") <= 2:
		return "did you mean mcpServers?"
	case name == "servers":
		return "rename servers to mcpServers, or put it into mcp as mcp.servers"
	case name == "inputs":
		return "toolcrib asks no questions: leave inputs out, and write ${NAME} for a variable where the servers use them"
	}
	return ""
}

func childNames(s *spec) []string {
	var names []string
	for _, c := range s.children {
		if c.name != "$schema" {
			names = append(names, c.name)
		}
	}
	return names
}

// nearestChild returns the key of s that name most likely meant, "" when none is near.
func nearestChild(s *spec, name string) string {
	return Nearest(name, childNames(s))
}

// Nearest returns the word that is closest to name, "" when all are too far. Case
// does not count.
func Nearest(name string, words []string) string { return near.Word(name, words) }
