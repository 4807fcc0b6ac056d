package toolsearch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/toolcrib/toolcrib"
)

// maxName is the most characters of a name that every provider takes.
const maxName = 64

// names maps the names that a model sees to tools and back.
type names struct {
	byName map[string]*toolcrib.Tool
	byID   map[string]string
}

// nameTools gives each tool a name of its own. A clean and unused name stays as
// it is. One that is too long, holds other characters, belongs to a control or
// is wanted by several gets a suffix made from the tool's id alone, so that it
// is the same in every run; of several that want one name an installed (core or
// plugin) tool keeps it when it is the only such one.
func nameTools(tools []*toolcrib.Tool, prefix func(*toolcrib.Tool) string, taken []string) names {
	n := names{byName: map[string]*toolcrib.Tool{}, byID: map[string]string{}}
	wanted := map[string][]*toolcrib.Tool{}
	for _, t := range tools {
		name := plainName(t, prefix(t))
		wanted[name] = append(wanted[name], t)
	}
	var rest []*toolcrib.Tool
	for name, claimants := range wanted {
		keeper := keeperOf(name, claimants, taken)
		for _, t := range claimants {
			if t == keeper {
				n.set(name, t)
				continue
			}
			rest = append(rest, t)
		}
	}
	slices.SortFunc(rest, func(a, b *toolcrib.Tool) int { return cmp.Compare(a.ID, b.ID) })
	for _, t := range rest {
		n.set(n.suffixed(plainName(t, prefix(t)), t.ID, taken), t)
	}
	return n
}

func (n names) set(name string, t *toolcrib.Tool) {
	n.byName[name] = t
	n.byID[t.ID] = name
}

// plainName is the name that a tool would like to have.
func plainName(t *toolcrib.Tool, prefix string) string {
	if prefix == "" {
		return t.Name
	}
	return prefix + "__" + t.Name
}

// keeperOf returns the claimant that may have the name as it is, nil for none.
func keeperOf(name string, claimants []*toolcrib.Tool, taken []string) *toolcrib.Tool {
	if name == "" || clean(name) != name || len(name) > maxName || slices.Contains(taken, name) {
		return nil
	}
	if len(claimants) == 1 {
		return claimants[0]
	}
	var installed []*toolcrib.Tool
	for _, t := range claimants {
		if t.TrustsOutput() {
			installed = append(installed, t)
		}
	}
	if len(installed) == 1 {
		return installed[0]
	}
	return nil
}

// suffixed returns the readable start of a name and a part of the id's hash,
// longer when the shorter one is in use.
func (n names) suffixed(name, id string, taken []string) string {
	sum := sha256.Sum256([]byte(id))
	hash := hex.EncodeToString(sum[:])
	start := clean(name)
	for size := 8; ; size += 4 {
		size = min(size, maxName-1)
		candidate := start[:min(len(start), maxName-1-size)] + "_" + hash[:size]
		if _, used := n.byName[candidate]; !used && !slices.Contains(taken, candidate) {
			return candidate
		}
	}
}

// clean replaces what may not stand in a name. The result is ASCII.
func clean(name string) string {
	out := make([]byte, 0, len(name))
	for _, r := range name {
		if r == '_' || r == '-' || ('0' <= r && r <= '9') || ('A' <= r && r <= 'Z') || ('a' <= r && r <= 'z') {
			out = append(out, byte(r))
		} else {
			out = append(out, '_')
		}
	}
	return string(out)
}
