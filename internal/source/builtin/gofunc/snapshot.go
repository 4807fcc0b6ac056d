package gofunc

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/toolcrib/toolcrib"
)

type ownerKey struct {
	source toolcrib.Source
	owner  string
}

func compareKeys(a, b ownerKey) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.owner, b.owner))
}

// snapshot is everything that the source offers at one moment. It is never
// changed, so readers need no lock.
type snapshot struct {
	byID     map[string]Tool
	listings []toolcrib.Listing
}

// newSnapshot takes tools over. Listings that are the same as in old are shared with it.
func newSnapshot(tools map[string]Tool, old *snapshot) *snapshot {
	groups := map[ownerKey][]toolcrib.Tool{}
	for _, t := range tools {
		k := ownerKey{t.Source, t.Owner}
		groups[k] = append(groups[k], t.Tool)
	}
	s := &snapshot{byID: tools}
	for _, k := range slices.SortedFunc(maps.Keys(groups), compareKeys) {
		s.listings = append(s.listings, newListing(k, groups[k], old))
	}
	return s
}

func newListing(k ownerKey, tools []toolcrib.Tool, old *snapshot) toolcrib.Listing {
	slices.SortFunc(tools, func(a, b toolcrib.Tool) int { return cmp.Compare(a.Name, b.Name) })
	l := toolcrib.Listing{
		Source: k.source, Owner: k.owner, State: toolcrib.StateReady, Known: true,
		Tools: tools, Fingerprint: fingerprint(tools),
	}
	if before, ok := old.listing(k); ok && before.Fingerprint == l.Fingerprint {
		return before
	}
	return l
}

// fingerprint is the start of a SHA-256 over everything that describes the tools.
func fingerprint(tools []toolcrib.Tool) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, t := range tools {
		for _, raw := range [...]json.RawMessage{t.Parameters, t.OutputSchema, t.Meta} {
			fmt.Fprintf(h, "%t %d ", raw == nil, len(raw))
			h.Write(raw)
		}
		t.Parameters, t.OutputSchema, t.Meta = nil, nil, nil // hashed as they are
		_ = enc.Encode(&t)                                   // can't fail: what is left is plain
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (s *snapshot) listing(k ownerKey) (toolcrib.Listing, bool) {
	if s == nil {
		return toolcrib.Listing{}, false
	}
	i, ok := slices.BinarySearchFunc(s.listings, k, func(l toolcrib.Listing, k ownerKey) int {
		return compareKeys(ownerKey{l.Source, l.Owner}, k)
	})
	if !ok {
		return toolcrib.Listing{}, false
	}
	return s.listings[i], true
}

// tools returns a copy of the tools by id, for the next snapshot.
func (s *snapshot) tools() map[string]Tool {
	if s.byID == nil {
		return map[string]Tool{}
	}
	return maps.Clone(s.byID)
}

// changedFrom returns the owners whose listing came, went or changed since old.
func (s *snapshot) changedFrom(old *snapshot) []ownerKey {
	var changed []ownerKey
	for _, l := range s.listings {
		k := ownerKey{l.Source, l.Owner}
		if before, ok := old.listing(k); !ok || before.Fingerprint != l.Fingerprint {
			changed = append(changed, k)
		}
	}
	for _, l := range old.listings {
		k := ownerKey{l.Source, l.Owner}
		if _, ok := s.listing(k); !ok {
			changed = append(changed, k)
		}
	}
	slices.SortFunc(changed, compareKeys)
	return changed
}
