package pin

import (
	"fmt"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// Mode says how tools are pinned.
type Mode string

// Modes.
const (
	// ModeFirstUse accepts what is seen for the first time, ModeReview only what a
	// person has approved, and ModeOff everything.
	ModeFirstUse Mode = "first-use"
	ModeReview   Mode = "review"
	ModeOff      Mode = "off"
)

// State says how an accepted form came to be accepted.
type State string

// States.
const (
	// StateSeen is of a form in its server's first list, StateAdded of one that came
	// later, and StateApproved of one that a person has approved.
	StateSeen     State = "seen"
	StateAdded    State = "added"
	StateApproved State = "approved"
)

// Known is what is known of a tool before it is seen again. The zero value is
// nothing.
type Known struct {
	// Hash is of the accepted form, "" when there is none, and State says how it came.
	Hash  string
	State State
	// Rejected is the hash of the form that a person rejected last.
	Rejected string
	// Form reads the accepted form; it is asked only when it is needed.
	Form func() (Form, error)
}

// Sighting is a tool as it was seen now.
type Sighting struct {
	Tool *toolcrib.Tool
	Form Form
	Hash string
	// Flags are all of it, those of its name too.
	Flags []Flag
	// First says that nothing was known of the server before this list.
	First bool
}

// See looks at a tool by itself.
func See(t *toolcrib.Tool) Sighting {
	f := FormOf(t)
	return Sighting{Tool: t, Form: f, Hash: f.Hash(), Flags: Suspect(f)}
}

// With is a sighting among the names that others have; first says that nothing was
// known of the server before.
func (s Sighting) With(names *Names, first bool) Sighting {
	s.First = first
	if flags := names.Flags(s.Tool); len(flags) > 0 {
		s.Flags = slices.Concat(s.Flags, flags)
	}
	return s
}

// Why says why a tool isn't served as it was seen.
type Why string

// Reasons.
const (
	WhyNew      Why = "new"
	WhyText     Why = "text"   // texts changed: the accepted form is served
	WhySchema   Why = "schema" // a schema or the hints changed
	WhyFlagged  Why = "flagged"
	WhyRejected Why = "rejected"
	WhyUnread   Why = "unreadable" // the accepted form can't be read
)

// Verdict is what becomes of a tool.
type Verdict struct {
	// Served is false for a tool that is withheld. Pinned is the form to serve in
	// place of the one that was seen; nil for that.
	Served bool
	Pinned *Form
	// Why is empty when it is served as it was seen; Reason says it in words.
	Why    Why
	Reason string
	// Accept is the state in which the form that was seen is accepted from now on; ""
	// when nothing new is.
	Accept State
	// Waits says that the form that was seen waits for a person.
	Waits bool
}

// Judge says what becomes of a tool of an untrusted server.
func Judge(m Mode, k Known, s Sighting) Verdict {
	flag, held := Holding(s.Flags)
	held = held && !(k.State == StateApproved && k.Hash == s.Hash)
	switch {
	case k.Hash != "" && k.Hash != s.Hash:
		return changed(k, s)
	case k.Rejected == s.Hash:
		return Verdict{Why: WhyRejected, Reason: "it was rejected in a review"}
	case held:
		return Verdict{Why: WhyFlagged, Reason: "it is flagged, and waits for a review", Waits: true}.because(flag)
	case k.Hash == s.Hash:
		return Verdict{Served: true}
	case m == ModeReview:
		return Verdict{Why: WhyNew, Reason: "it is new, and waits for a review", Waits: true}
	case s.First:
		return Verdict{Served: true, Accept: StateSeen}
	}
	return Verdict{Served: true, Accept: StateAdded}
}

// because names the flag.
func (v Verdict) because(f Flag) Verdict {
	v.Reason = fmt.Sprintf("it is flagged (%s), and waits for a review", f.Kind)
	return v
}

// changed judges a tool whose accepted form is another one.
func changed(k Known, s Sighting) Verdict {
	waits := k.Rejected != s.Hash
	accepted, err := k.Form()
	if err != nil {
		return Verdict{Why: WhyUnread, Reason: "it has changed, and what it was before can't be read", Waits: waits}
	}
	light := Light(Compare(accepted, s.Form))
	if !light && !waits {
		return Verdict{Why: WhyRejected, Reason: "it has changed, and was rejected in a review"}
	}
	if !light {
		return Verdict{Why: WhySchema, Reason: "its schema or its hints have changed, which waits for a review", Waits: waits}
	}
	if flag, held := Holding(append(Suspect(accepted), nameFlags(s.Flags)...)); held && k.State != StateApproved {
		return Verdict{Why: WhyFlagged, Waits: waits}.because(flag)
	}
	if k.Rejected == k.Hash {
		return Verdict{Why: WhyRejected, Reason: "it was rejected in a review", Waits: waits}
	}
	return Verdict{Served: true, Pinned: &accepted, Why: WhyText, Reason: "its texts have changed, which waits for a review: those of before are served", Waits: waits}
}

// nameFlags are those of a name, which doesn't change with the form.
func nameFlags(all []Flag) []Flag {
	var list []Flag
	for _, f := range all {
		if f.Kind == FlagShadow || f.Kind == FlagLookalike {
			list = append(list, f)
		}
	}
	return list
}
