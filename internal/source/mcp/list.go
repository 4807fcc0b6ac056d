package mcp

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// maxWarnings bounds the warnings that are kept of one list.
const maxWarnings = 50

// list is what a server offers, read and judged. Immutable.
type list struct {
	tools       []toolcrib.Tool // what the operator lets through, sorted by name
	fingerprint string          // of tools
	warnings    []string

	sent  []toolcrib.Tool // all that the server listed, sorted by name, without the operator's marks
	mark  string          // the fingerprint of sent
	bytes int             // of the tools as the server sent them; 0 when remembered
	by    *Server         // whose patterns and marks made tools of sent; nil for none's
}

// judged is the list under a configuration: without the tools that it doesn't
// allow, and with its marks on the others. A nil list stays nil.
func (l *list) judged(s *Server) *list {
	if l == nil || l.by == s {
		return l
	}
	out := *l
	out.by, out.tools, out.fingerprint = s, l.sent, l.mark
	if len(s.Allow) == 0 && len(s.Deny) == 0 && !s.Trusted && !s.TrustHints && !s.CallsSequential {
		return &out
	}
	out.tools = make([]toolcrib.Tool, 0, len(l.sent))
	for _, t := range l.sent {
		if !s.filter.Allows(t.Name) {
			continue
		}
		t.Trusted, t.TrustedHints = s.Trusted, s.TrustHints
		if s.CallsSequential {
			t.ExecutionMode = toolcrib.ExecutionSequential
		}
		out.tools = append(out.tools, t)
	}
	out.tools = slices.Clip(out.tools)
	out.fingerprint = fingerprint(out.tools)
	return &out
}

// sharing is the list with the memory of another one, where both say the same.
func (l *list) sharing(other *list) *list {
	if l == nil || other == nil || l == other {
		return l
	}
	out := *l
	if l.mark == other.mark {
		out.sent = other.sent
	}
	if l.fingerprint == other.fingerprint {
		out.tools = other.tools
	}
	return &out
}

// find returns the tool of a name.
func (l *list) find(name string) (*toolcrib.Tool, bool) {
	i, ok := slices.BinarySearchFunc(l.tools, name, func(t toolcrib.Tool, n string) int { return strings.Compare(t.Name, n) })
	if !ok {
		return nil, false
	}
	return &l.tools[i], true
}

// gatherer collects the pages of one list.
type gatherer struct {
	owner    string
	byName   map[string]toolcrib.Tool
	seen     int
	bytes    int
	full     bool
	warnings []string
	more     int
}

// newGatherer starts an empty list of a server.
func newGatherer(owner string) *gatherer {
	return &gatherer{owner: owner, byName: map[string]toolcrib.Tool{}}
}

// warn keeps a warning, or counts it when there are too many.
func (g *gatherer) warn(format string, args ...any) {
	if len(g.warnings) == maxWarnings {
		g.more++
		return
	}
	g.warnings = append(g.warnings, fmt.Sprintf(format, args...))
}

// add reads the tools of one page, until a bound is reached.
func (g *gatherer) add(raws []json.RawMessage) {
	for _, raw := range raws {
		if g.seen == maxTools {
			g.cut("lists more than %d tools: the rest is left out", maxTools)
			return
		}
		if g.bytes+len(raw) > maxListBytes {
			g.cut("its list is over %d MiB: the rest is left out", maxListBytes>>20)
			return
		}
		g.seen++
		g.bytes += len(raw)
		g.tool(raw)
	}
}

// cut ends the list with a warning.
func (g *gatherer) cut(format string, args ...any) {
	if !g.full {
		g.full = true
		g.warn(format, args...)
	}
}

// tool reads one tool and keeps it unless it is malformed.
func (g *gatherer) tool(raw json.RawMessage) {
	t, notes, err := readTool(g.owner, raw)
	if err != nil {
		g.warn("tool %s is left out: %v", label(raw, g.seen), err)
		return
	}
	for _, n := range notes {
		g.warn("tool %q: %s", t.Name, n)
	}
	if _, twice := g.byName[t.Name]; twice {
		g.warn("tool %q is listed twice: the later one replaces the earlier", t.Name)
	}
	g.byName[t.Name] = t
}

// label names a malformed tool as well as can be: by its name, else by its place.
func label(raw json.RawMessage, place int) string {
	var head struct {
		Name any `json:"name"`
	}
	if len(raw) <= 4*maxToolBytes && json.Unmarshal(raw, &head) == nil {
		if name, ok := head.Name.(string); ok && strings.TrimSpace(name) != "" {
			return fmt.Sprintf("%q", clip(name, 80))
		}
	}
	return fmt.Sprintf("number %d", place)
}

// list returns what was gathered, not judged yet.
func (g *gatherer) list() *list {
	if g.more > 0 {
		g.warnings = append(g.warnings, fmt.Sprintf("and %d warnings more", g.more))
	}
	l := newList(slices.Collect(maps.Values(g.byName)), g.warnings)
	l.bytes = g.bytes
	return l
}

// newList sorts tools by name and takes their fingerprint.
func newList(tools []toolcrib.Tool, warnings []string) *list {
	slices.SortFunc(tools, func(a, b toolcrib.Tool) int { return strings.Compare(a.Name, b.Name) })
	tools = slices.Clip(tools)
	mark := fingerprint(tools)
	return &list{tools: tools, fingerprint: mark, warnings: warnings, sent: tools, mark: mark}
}

// fingerprint hashes all that a tool says, of tools in their order.
func fingerprint(tools []toolcrib.Tool) string {
	h := sha256.New()
	for i := range tools {
		t := &tools[i]
		part(h, t.ID)
		part(h, t.Label)
		part(h, t.Description)
		part(h, string(t.Parameters))
		part(h, string(t.OutputSchema))
		part(h, string(t.Meta))
		hints, _ := json.Marshal(t.Annotations)
		part(h, string(hints))
		part(h, string(t.ExecutionMode)+fmt.Sprint(t.Trusted, t.TrustedHints))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// part hashes a text with its length, so that no two lists read alike.
func part(h hash.Hash, s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}
