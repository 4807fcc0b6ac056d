package pin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// Names are the names of tools that others could be taken for.
type Names struct {
	trusted map[string]string            // id by folded name
	like    map[string]string            // id of a trusted one by skeleton
	others  map[string]map[string]string // id by name, of untrusted ones, by skeleton
}

// NewNames returns the names of what listings offer. Core, plugins and servers that
// the operator vouches for are trusted.
func NewNames(listings []toolcrib.Listing) *Names {
	n := &Names{map[string]string{}, map[string]string{}, map[string]map[string]string{}}
	for i := range listings {
		for j := range listings[i].Tools {
			n.add(&listings[i].Tools[j])
		}
	}
	return n
}

func (n *Names) add(t *toolcrib.Tool) {
	skeleton := Skeleton(t.Name)
	if t.TrustsInput() {
		n.trusted[Fold(t.Name)], n.like[skeleton] = t.ID, t.ID
		return
	}
	if n.others[skeleton] == nil {
		n.others[skeleton] = map[string]string{}
	}
	if had := n.others[skeleton][Fold(t.Name)]; had == "" || t.ID < had {
		n.others[skeleton][Fold(t.Name)] = t.ID
	}
}

// Flags says for which other tools an untrusted one could be taken. That two
// servers which nobody vouches for have a tool of the same name is common, and no flag.
func (n *Names) Flags(t *toolcrib.Tool) []Flag {
	if id, ok := n.trusted[Fold(t.Name)]; ok {
		return []Flag{{FlagShadow, "name", "its name is that of the trusted tool " + id, !common(id)}}
	}
	skeleton := Skeleton(t.Name)
	if id, ok := n.like[skeleton]; ok {
		return []Flag{{FlagLookalike, "name", fmt.Sprintf("its name %s looks like that of the trusted tool %s, and isn't", quote(Visible(t.Name)), id), true}}
	}
	var twins []string
	for name, id := range n.others[skeleton] {
		if name != Fold(t.Name) {
			twins = append(twins, id)
		}
	}
	if len(twins) == 0 || ascii(t.Name) { // of two that look alike, the odd one is flagged
		return nil
	}
	slices.Sort(twins)
	return []Flag{{FlagLookalike, "name", fmt.Sprintf("its name %s looks like that of %s, and isn't", quote(Visible(t.Name)), Visible(twins[0])), true}}
}

// common reports whether the name of a trusted tool is one plain word of core's,
// such as find: servers that know nothing of it use the same.
func common(id string) bool {
	source, _, name, err := toolcrib.ParseID(id)
	return err == nil && source == toolcrib.SourceCore && !strings.ContainsAny(name, "_-. ")
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e || r < ' ' })
}
