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
	bytes           byteSet // of the name, once a view has been found
}

func subjectOf(t *toolcrib.Tool) subject {
	s := subject{source: t.Source, id: glob.Fold(t.ID), owner: t.Owner, name: t.Name}
	// An id that folding leaves alone has nothing in it that folding changes.
	if s.id != t.ID || !strings.HasSuffix(t.ID, t.Name) || !strings.HasPrefix(t.ID[min(len(t.ID), len(t.Source)+1):], t.Owner) {
		s.owner, s.name = glob.Fold(t.Owner), glob.Fold(t.Name)
	}
	return s
}

// form is what a pattern is matched against.
type form int

const (
	byName       form = iota // a tool's name, or the exact id of a plugin
	byID                     // ids
	byColonName              // names that hold a colon
	byDirectName             // SERVER__NAME
	byGroup                  // group:NAME
)

// pattern is one compiled pattern of one list.
type pattern struct {
	text string
	// folded is what is matched, of a group its name, in the case of glob.Fold.
	folded string
	form   form
	deny   bool
	whole  *glob.Pattern
	// splits are the readings of a direct name as a server and a tool.
	splits [][2]*glob.Pattern
}

// compile reads a pattern; deny tells which kind of list it stands in.
func compile(text string, deny bool) (pattern, error) {
	whole, err := glob.Compile(text)
	if err != nil {
		return pattern{}, err
	}
	p := pattern{text: whole.String(), folded: glob.Fold(whole.String()), deny: deny, whole: whole}
	head, rest, colon := strings.Cut(p.folded, ":")
	switch {
	case colon && head == "group":
		p.form = byGroup
		p.folded = strings.TrimSpace(rest)
		p.whole, err = glob.Compile(rest)
	case colon && startsID(head):
		p.form = byID
	case colon:
		p.form = byColonName
	case strings.Contains(p.text, "__"):
		p.form, p.splits = byDirectName, directSplits(p.text)
	}
	return p, err
}

// startsID reports whether an id can start with what stands before a pattern's
// first colon.
func startsID(head string) bool {
	switch toolcrib.Source(head) {
	case toolcrib.SourceCore, toolcrib.SourcePlugin, toolcrib.SourceMCP, toolcrib.SourceClient:
		return true
	}
	return strings.Contains(head, "*")
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

// match reports whether the pattern fits a tool.
func (p *pattern) match(s *subject) bool {
	switch p.form {
	case byGroup:
		return p.inGroup(s)
	case byID:
		return p.whole.MatchFolded(s.id) || p.deny && p.whole.MatchFolded(s.name)
	case byDirectName:
		return p.isDirectName(s)
	case byName:
		if s.source == toolcrib.SourcePlugin && p.whole.Exact() && p.whole.MatchFolded(s.owner) {
			return true
		}
	}
	return p.whole.MatchFolded(s.name)
}

func (p *pattern) inGroup(s *subject) bool {
	switch s.source {
	case toolcrib.SourceMCP:
		return p.whole.MatchFolded("mcp")
	case toolcrib.SourcePlugin:
		return p.whole.MatchFolded("plugins")
	case toolcrib.SourceCore:
		return p.whole.MatchFolded("core") || !reserved(s.owner) && p.whole.MatchFolded(s.owner)
	}
	return false
}

// reserved reports whether a group of that name means a whole source, so that
// no core owner can stand for it.
func reserved(group string) bool { return group == "mcp" || group == "plugins" || group == "core" }

// names reports whether the pattern fits a tool and speaks of it in particular:
// by the group of its owner, by an id with its owner in it, or by its whole name.
func (p *pattern) names(s *subject) bool {
	if !p.match(s) {
		return false
	}
	switch p.form {
	case byGroup:
		return p.whole.Exact() && !reserved(p.folded)
	case byID:
		literal, _, _ := strings.Cut(p.folded, "*")
		return strings.HasPrefix(literal, string(s.source)+":"+s.owner+":")
	}
	return p.whole.Exact()
}

// isDirectName matches an MCP tool by its server and name; a tool of another
// source, and in a deny list any tool, by its own name.
func (p *pattern) isDirectName(s *subject) bool {
	if s.source != toolcrib.SourceMCP {
		return p.whole.MatchFolded(s.name)
	}
	for i := range p.splits {
		if p.splits[i][0].MatchFolded(s.owner) && p.splits[i][1].MatchFolded(s.name) {
			return true
		}
	}
	return p.deny && p.whole.MatchFolded(s.name)
}
