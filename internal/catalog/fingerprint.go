package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"maps"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// digest hashes a sequence of strings so that no two sequences meet.
type digest struct{ h hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) add(parts ...string) {
	var size [8]byte
	for _, p := range parts {
		for i := range size {
			size[i] = byte(len(p) >> (8 * i))
		}
		d.h.Write(size[:])
		_, _ = io.WriteString(d.h, p)
	}
}

func (d digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)[:16]) }

// fingerprints hashes what the owner listed and what of it was left out: once
// for the catalogued tools alone, once with the direct-only ones and the prefix.
func (g *group) fingerprints(listings []*toolcrib.Listing) (catalogued, all string) {
	d := newDigest()
	d.add(string(g.key.source), g.key.owner)
	for _, l := range listings {
		d.add(listingMark(l))
	}
	for _, id := range slices.Sorted(maps.Keys(g.excluded)) {
		d.add(id)
	}
	catalogued = d.sum()
	d.add(g.public.Prefix)
	return catalogued, d.sum()
}

// listingMark is the listing's own fingerprint, or one made here for a source
// that gives none.
func listingMark(l *toolcrib.Listing) string {
	if l.Fingerprint != "" {
		return l.Fingerprint
	}
	return Fingerprint(l.Tools)
}

// Fingerprint hashes a list of tools: everything that a caller could see or
// that changes how a call is made. Sources may use it for their listings.
func Fingerprint(tools []toolcrib.Tool) string {
	d := newDigest()
	for i := range tools {
		t := &tools[i]
		annotations, _ := json.Marshal(t.Annotations)
		d.add(t.ID, t.Label, t.Description, string(t.Parameters), string(t.OutputSchema), string(annotations),
			string(t.Meta), string(t.CatalogMode), string(t.ExecutionMode), flag(t.OwnerOnly), flag(t.Trusted), flag(t.TrustedHints))
	}
	return d.sum()
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
