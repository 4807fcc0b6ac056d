package policy

import (
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/glob"
)

// subject is a tool's texts, folded once for all patterns.
type subject struct {
	source          toolcrib.Source
	id, owner, name string
}

func subjectOf(t *toolcrib.Tool) subject {
	return subject{
		source: t.Source,
		id:     glob.Fold(t.ID),
		owner:  glob.Fold(t.Owner),
		name:   glob.Fold(t.Name),
	}
}

// pattern is one compiled pattern of one list.
type pattern struct {
	text  string
	match func(*subject) bool
}

// compile reads a pattern; deny tells which kind of list it stands in.
func compile(text string, deny bool) (pattern, error) {
	whole, err := glob.Compile(text)
	if err != nil {
		return pattern{}, err
	}
	text = whole.String()
	head, rest, colon := strings.Cut(glob.Fold(text), ":")
	switch {
	case colon && head == "group":
		match, err := inGroup(rest)
		return pattern{text, match}, err
	case colon:
		return pattern{text, byID(whole, head, deny)}, nil
	case strings.Contains(text, "__"):
		return pattern{text, byDirectName(whole, deny)}, nil
	}
	return pattern{text, byName(whole)}, nil
}

// inGroup matches the tools of group:NAME.
func inGroup(name string) (func(*subject) bool, error) {
	group, err := glob.Compile(name)
	if err != nil {
		return nil, err
	}
	return func(s *subject) bool {
		switch s.source {
		case toolcrib.SourceMCP:
			return group.MatchFolded("mcp")
		case toolcrib.SourcePlugin:
			return group.MatchFolded("plugins")
		case toolcrib.SourceCore:
			return group.MatchFolded("core") || !reserved(s.owner) && group.MatchFolded(s.owner)
		}
		return false
	}, nil
}

// reserved reports whether a group of that name means a whole source, so that
// no core owner can stand for it.
func reserved(group string) bool { return group == "mcp" || group == "plugins" || group == "core" }

// byID matches ids, or names that hold a colon where the text before the
// pattern's first colon can't be the start of an id.
func byID(whole *glob.Pattern, head string, deny bool) func(*subject) bool {
	id := strings.Contains(head, "*")
	switch toolcrib.Source(head) {
	case toolcrib.SourceCore, toolcrib.SourcePlugin, toolcrib.SourceMCP, toolcrib.SourceClient:
		id = true
	}
	return func(s *subject) bool {
		return id && whole.MatchFolded(s.id) || (deny || !id) && whole.MatchFolded(s.name)
	}
}

// byDirectName matches SERVER__NAME for every place at which the pattern can be
// split, and the plain name where its author is trusted or the list denies.
func byDirectName(whole *glob.Pattern, deny bool) func(*subject) bool {
	splits := directSplits(whole.String())
	return func(s *subject) bool {
		if s.source != toolcrib.SourceMCP {
			return whole.MatchFolded(s.name)
		}
		for _, split := range splits {
			if split[0].MatchFolded(s.owner) && split[1].MatchFolded(s.name) {
				return true
			}
		}
		return deny && whole.MatchFolded(s.name)
	}
}

// directSplits returns each reading of text as a server and a tool name.
func directSplits(text string) [][2]*glob.Pattern {
	var splits [][2]*glob.Pattern
	for at := 0; at+2 <= len(text); at++ {
		if text[at:at+2] != "__" {
			continue
		}
		server, serverErr := glob.Compile(text[:at])
		name, nameErr := glob.Compile(text[at+2:])
		if serverErr == nil && nameErr == nil {
			splits = append(splits, [2]*glob.Pattern{server, name})
		}
	}
	return splits
}

// byName matches a tool's name, or every tool of a plugin by the plugin's exact id.
func byName(whole *glob.Pattern) func(*subject) bool {
	exact := whole.Exact()
	return func(s *subject) bool {
		return whole.MatchFolded(s.name) ||
			exact && s.source == toolcrib.SourcePlugin && whole.MatchFolded(s.owner)
	}
}
