package token

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/toolcrib/toolcrib"
)

// Token is what is known of a gateway token. Its secret isn't: that was shown
// once, when the token was made.
type Token struct {
	// ID names the token for good; Name may be given again once the token has been
	// revoked.
	ID, Name string
	// Agent is the agent for which the token may call; empty for whichever it asks for.
	Agent string
	// Owner says that who holds the token is the operator.
	Owner bool
	// Harness names the program that runs the model; may be empty.
	Harness string
	// Allow and Deny narrow what may be used; an empty Allow allows all.
	Allow, Deny []string
	Created     time.Time
	// Expires is when it stops to be of use; zero for never.
	Expires time.Time
	// LastUsed is when it was presented last, to the minute; zero for never.
	LastUsed time.Time
	// Revoked is when it was taken back; zero if it wasn't.
	Revoked time.Time
}

// Expired reports whether the token's time is over.
func (t Token) Expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// Live reports whether the token may be used.
func (t Token) Live(now time.Time) bool { return t.Revoked.IsZero() && !t.Expired(now) }

// Caller is how a Scope names who presented the token. It is nobody else's, also
// when a later token has the same name.
func (t Token) Caller() string { return t.Name + callerMark + t.ID }

// callerMark can't be in a name.
const callerMark = "#"

// Narrow is what the token may use at most; nil when nothing narrows it.
func (t Token) Narrow() *toolcrib.Narrowing {
	if len(t.Allow) == 0 && len(t.Deny) == 0 {
		return nil
	}
	return &toolcrib.Narrowing{Token: &toolcrib.ToolList{Allow: t.Allow, Deny: t.Deny}}
}

// Wish is what a new token shall be like.
type Wish struct {
	Name, Agent string
	Owner       bool
	Harness     string
	Allow, Deny []string
	Expires     time.Time
}

// Bounds of a token.
const (
	MaxName     = 64  // characters of a name, an agent and a harness
	MaxPatterns = 500 // in each list
	MaxPattern  = 256 // bytes
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// check says what can't be as it is wished.
func (w Wish) check(now time.Time) error {
	if err := checkName("the name", w.Name); err != nil {
		return err
	}
	if w.Harness != "" {
		if err := checkName("the harness", w.Harness); err != nil {
			return err
		}
	}
	if len(w.Allow) > MaxPatterns || len(w.Deny) > MaxPatterns {
		return wrong(fmt.Sprintf("a list has more than %d patterns", MaxPatterns), "use globs")
	}
	for _, p := range slices.Concat(w.Allow, w.Deny) {
		if p == "" || len(p) > MaxPattern {
			return wrong(fmt.Sprintf("a pattern is empty, or longer than %d bytes", MaxPattern), "")
		}
	}
	if !w.Expires.IsZero() && !w.Expires.After(now) {
		return wrong("the token would have expired already", "give a time to come")
	}
	return nil
}

func checkName(what, name string) error {
	if len(name) > MaxName || !nameForm.MatchString(name) {
		return wrong(fmt.Sprintf("%s is not 1 to %d letters, digits, '.', '_' and '-' that begin with a letter or a digit", what, MaxName), "such as: laptop")
	}
	return nil
}

func wrong(message, hint string) error {
	return toolcrib.NewError(toolcrib.KindInput, message, hint)
}
