package pin

import (
	"fmt"
	"slices"
	"strings"
)

// FlagKind says what a flag is about.
type FlagKind string

// Kinds of flags.
const (
	// FlagHidden is of characters that a person can't see.
	FlagHidden FlagKind = "hidden"
	// FlagInstructions is of text that speaks to the model rather than of the tool.
	FlagInstructions FlagKind = "instructions"
	// FlagShadow is of a name that a trusted tool has, FlagLookalike of one that looks
	// like another tool's and isn't.
	FlagShadow    FlagKind = "shadow"
	FlagLookalike FlagKind = "look-alike"
)

// Flag is one thing that is suspicious in a form.
type Flag struct {
	Kind FlagKind `json:"kind"`
	// At is the place in the form, and Reason says what is there, and why it is odd.
	At     string `json:"at"`
	Reason string `json:"reason"`
	// Holds says that the tool is withheld until a person has approved it. Words can
	// be meant well, and people can read them; what can't be seen or told apart isn't.
	Holds bool `json:"holds,omitempty"`
}

// Holding returns the first flag that withholds the tool.
func Holding(flags []Flag) (Flag, bool) {
	i := slices.IndexFunc(flags, func(f Flag) bool { return f.Holds })
	if i < 0 {
		return Flag{}, false
	}
	return flags[i], true
}

// maxFlags bounds the flags of one form.
const maxFlags = 8

// Suspect says what is suspicious in a form by itself: hidden characters first,
// then instructions.
func Suspect(f Form) []Flag {
	var unseen, said []Flag
	add := func(list *[]Flag, flag Flag) {
		if len(*list) < maxFlags && !slices.ContainsFunc(*list, func(g Flag) bool { return g.Reason == flag.Reason }) {
			*list = append(*list, flag)
		}
	}
	f.texts(func(at, text string) {
		if text == "" {
			return
		}
		at = Visible(at)
		if what := hidden(text); what != "" {
			add(&unseen, Flag{FlagHidden, at, "it holds a " + what + ", which people don't see and models read", true})
		}
		text = plain(text)
		lower := strings.ToLower(text)
		for _, p := range patterns {
			if what := p.find(text, lower); what != "" {
				add(&said, Flag{FlagInstructions, at, fmt.Sprintf("%s: %s", p.reason, Excerpt(what, 60)), false})
			}
		}
	})
	order := func(a, b Flag) int { return strings.Compare(a.At+a.Reason, b.At+b.Reason) }
	slices.SortFunc(unseen, order)
	slices.SortFunc(said, order)
	all := slices.Concat(unseen, said)
	return all[:min(len(all), maxFlags)]
}
