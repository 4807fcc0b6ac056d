package policy

import (
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/glob"
)

// table finds the first of some rules that fits a tool of one owner. Rules that
// can't fit any of its tools are not in it, nor what stands behind one that fits
// them all; the others are sorted by what a name has to be or to begin with.
type table struct {
	names   map[string]*entry
	letters map[byte][]entry // by the first byte of the name
	rest    []entry
	// all is true when every tool of the owner fits.
	all bool
}

// entry is a rule with its place, by which the first of two is known.
type entry struct {
	at   int
	rule *rule
	// name is what the tool's name has to fit; nil when the rule itself has to be
	// asked, and always says that there is nothing to ask.
	name *glob.Pattern
	// bytes are those without which name can't fit.
	bytes  byteSet
	always bool
}

// byteSet holds bytes, each with three others for which it may stand.
type byteSet uint64

func bytesOf(text string) byteSet {
	var set byteSet
	for i := range len(text) {
		set |= 1 << (text[i] & 63)
	}
	return set
}

func (e *entry) fits(s *subject) bool {
	fits := e.always
	switch {
	case fits:
	case e.name != nil:
		fits = e.bytes&^s.bytes == 0 && e.name.MatchFolded(s.name)
	default:
		fits = e.rule.match(s)
	}
	return fits && !e.rule.lifted(s)
}

// find returns the first rule that fits, nil when none does.
func (t *table) find(s *subject) *rule {
	best := t.names[s.name]
	if len(t.letters) > 0 && s.name != "" {
		best = earlier(best, t.letters[s.name[0]], s)
	}
	if best = earlier(best, t.rest, s); best != nil {
		return best.rule
	}
	return nil
}

// earlier returns the first entry that fits and stands before best, else best.
func earlier(best *entry, entries []entry, s *subject) *entry {
	for i := range entries {
		if best != nil && best.at <= entries[i].at {
			return best
		}
		if entries[i].fits(s) {
			return &entries[i]
		}
	}
	return best
}

// newTable settles rules for an owner: a subject without a name.
func newTable(rules []rule, owner *subject) table {
	t := table{names: map[string]*entry{}, letters: map[byte][]entry{}}
	for at := range rules {
		e := entry{at: at, rule: &rules[at]}
		texts, all, ask := e.rule.settle(owner)
		if all {
			e.always = true
			t.rest = append(t.rest, e)
			if t.all = len(e.rule.unless) == 0; t.all {
				return t
			}
			continue
		}
		if ask {
			t.rest = append(t.rest, e)
			continue
		}
		for _, text := range texts {
			t.add(e, text)
		}
	}
	return t
}

// add enters a rule that wants a name to fit text.
func (t *table) add(e entry, text string) {
	literal, _, star := strings.Cut(text, "*")
	if !star && len(e.rule.unless) == 0 {
		if t.names[text] == nil {
			t.names[text] = &e
		}
		return
	}
	name, err := glob.Compile(text)
	if err != nil { // a name without a character: no pattern says that
		t.rest = append(t.rest, e)
		return
	}
	e.name, e.bytes = name, bytesOf(strings.ReplaceAll(text, "*", ""))
	if literal == "" {
		t.rest = append(t.rest, e)
		return
	}
	t.letters[literal[0]] = append(t.letters[literal[0]], e)
}

// settle says what a pattern asks of the tools of one owner: nothing, when it fits
// all; or that the name fits one of texts, which are folded. ask is true when it
// can't be said so. s has no name, and its id is what the owner's ids begin with.
func (p *pattern) settle(s *subject) (texts []string, all, ask bool) {
	switch p.form {
	case byGroup:
		return nil, p.inGroup(s), false
	case byID:
		texts, ask = p.settleID(s)
	case byDirectName:
		texts = p.settleDirectName(s)
	case byName:
		if s.source == toolcrib.SourcePlugin && p.whole.Exact() && p.whole.MatchFolded(s.owner) {
			return nil, true, false
		}
		texts = []string{p.folded}
	case byColonName:
		texts = []string{p.folded}
	}
	for _, text := range texts {
		all = all || text != "" && strings.Trim(text, "*") == ""
		ask = ask || text != strings.TrimSpace(text)
	}
	return texts, all, ask
}

func (p *pattern) settleID(s *subject) (texts []string, ask bool) {
	if p.deny {
		texts = append(texts, p.folded) // it may be a name
	}
	literal, rest, star := strings.Cut(p.folded, "*")
	switch {
	case strings.HasPrefix(literal, s.id):
		texts = append(texts, p.folded[len(s.id):])
	case !star || !strings.HasPrefix(s.id, literal):
	case strings.Trim(rest, "*") == "":
		texts = append(texts, "*")
	default:
		ask = true
	}
	return texts, ask
}

func (p *pattern) settleDirectName(s *subject) []string {
	if s.source != toolcrib.SourceMCP {
		return []string{p.folded}
	}
	var texts []string
	if p.deny {
		texts = append(texts, p.folded) // it may be a name
	}
	for i := range p.splits {
		if p.splits[i][0].MatchFolded(s.owner) {
			texts = append(texts, glob.Fold(p.splits[i][1].String()))
		}
	}
	return texts
}
