package clientconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Undo records what Connect changed in one file, as JSON. It holds what was
// taken out, which may be a secret: keep it where others can't read it.
type Undo struct {
	// After is the SHA-256 of the text that Connect returned. While the file has
	// it, the splices give back every byte.
	After string `json:"after,omitempty"`
	// Before is the SHA-256 of the text that Connect was given.
	Before  string   `json:"before,omitempty"`
	Splices []splice `json:"splices,omitempty"`
	// Changes are the same as steps for a file that has changed since.
	Changes []change `json:"changes,omitempty"`
	// Created says that there was no file.
	Created bool `json:"created,omitempty"`
}

// splice is one place of a text where Added bytes replaced Removed.
type splice struct {
	At      int    `json:"at"`
	Added   int    `json:"added"`
	Removed string `json:"removed,omitempty"`
}

// change is one step of an edit.
type change struct {
	Do   string   `json:"do"`
	Path []string `json:"path"`
	// Old is what stood there, New what Connect put there, as sources.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
}

// The kinds of changes.
const (
	didEntry  = "entry"  // toolcrib's entry was put there, in place of Old if it has one
	didAdd    = "add"    // a member was added
	didSet    = "set"    // a member was replaced
	didRemove = "remove" // a member was taken out
	didAppend = "append" // a text was put at the end of a list
	didDelist = "delist" // a text was taken out of a list
	didMake   = "make"   // a container was made for another change
)

// Empty reports whether there is nothing to undo.
func (u Undo) Empty() bool { return len(u.Changes) == 0 && len(u.Splices) == 0 && !u.Created }

// Join returns the Undo of a Connect that was followed by another one, next.
func (u Undo) Join(next Undo) Undo {
	if next.Empty() {
		return u
	}
	out := Undo{Created: u.Created || next.Created, Changes: slices.Concat(u.Changes, next.Changes)}
	if u.Empty() || len(next.Splices) > 0 && next.Before == u.After {
		out.Before, out.After = u.Before, next.After
		if u.Empty() {
			out.Before = next.Before
		}
		out.Splices = slices.Concat(u.Splices, next.Splices)
	}
	return out
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// spliceOf is the one place in which two texts differ.
func spliceOf(before, after []byte) splice {
	from := 0
	for from < min(len(before), len(after)) && before[from] == after[from] {
		from++
	}
	tail := 0
	for tail < min(len(before), len(after))-from && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	return splice{At: from, Added: len(after) - tail - from, Removed: string(before[from : len(before)-tail])}
}

// exact gives back the bytes from before, if text is what Connect returned.
func (u Undo) exact(text []byte) ([]byte, bool) {
	if u.After == "" || u.After != hash(text) {
		return nil, false
	}
	out := slices.Clone(text)
	for _, s := range slices.Backward(u.Splices) {
		if s.At < 0 || s.Added < 0 || s.At+s.Added > len(out) {
			return nil, false
		}
		out = slices.Replace(out, s.At, s.At+s.Added, []byte(s.Removed)...)
	}
	return out, true
}

// entered reports whether one of the changes put toolcrib's entry into the file.
func (u Undo) entered() bool {
	return slices.ContainsFunc(u.Changes, func(c change) bool { return c.Do == didEntry })
}
