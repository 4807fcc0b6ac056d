package model

import (
	"crypto/rand"
	"strings"
)

// idMark begins the ids under which callers are asked to run calls.
const idMark = "call"

// NewID returns an id under which a caller is asked to run a call: 30 letters
// and digits, small ones, that nobody can guess.
func NewID() string { return idMark + strings.ToLower(rand.Text()) }

// Fold takes from an id what callers change of it: everything but letters and
// digits, and their case.
func Fold(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, id)
}

// IsOurs reports whether an id, in the form of Fold, looks like one of NewID.
func IsOurs(folded string) bool {
	return len(folded) == len(idMark)+26 && strings.HasPrefix(folded, idMark)
}
