package gateway

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/client"
	"github.com/toolcrib/toolcrib/internal/config"
	"github.com/toolcrib/toolcrib/internal/toolsearch"
)

// When something is worth switching off.
const (
	maxSavings = 5
	// smallShare is the percent of the direct list below which a server or tool isn't named.
	smallShare = 5.0
	// twinShare is the percent of a server's tools that another one has too, from
	// which on it counts as its twin, and twinTools how many it has at the least.
	twinShare = 80.0
	twinTools = 3
)

// savings says what to switch off first: servers whose tools another one has,
// then what takes most. A small list has no need.
func (w weight) savings(c *config.Config) []client.Saving {
	var list []client.Saving
	twins := w.twins()
	kept := slices.Collect(maps.Values(twins)) // or both of a pair would be switched off
	small := tokens(w.total) <= toolsearch.DirectTokens
	for _, o := range w.owners() {
		server, configured := c.MCP.Servers[o.Owner]
		twin := twins[o.Owner]
		if !configured || slices.Contains(kept, o.Owner) || twin == "" && (small || percent(o.Bytes, w.total) < smallShare) {
			continue
		}
		s := client.Saving{Owner: o.Owner, Twin: twin, Bytes: o.Bytes, Tokens: o.Tokens, Command: setCommand(o.Owner, "enabled", "false")}
		s.Reason = fmt.Sprintf("its %s are %.0f %% of the direct list", count(o.Tools, "tool"), percent(o.Bytes, w.total))
		if twin != "" {
			s.Reason = "server " + twin + " has the same tools, by their names"
		}
		list = append(list, s)
		if t, ok := w.huge(o); ok && !small && twin == "" {
			list = append(list, w.denial(t, server.Deny))
		}
	}
	slices.SortStableFunc(list, func(a, b client.Saving) int {
		return cmp.Or(cmp.Compare(min(len(b.Twin), 1), min(len(a.Twin), 1)), cmp.Compare(b.Bytes, a.Bytes))
	})
	return list[:min(len(list), maxSavings)]
}

// huge returns the largest tool of an owner if it stands out: it has a fair share
// of the list, and the owner has others.
func (w weight) huge(o client.OwnerStats) (weighed, bool) {
	for _, t := range w.bySize() {
		if t.tool.Owner == o.Owner && t.tool.Source == toolcrib.SourceMCP {
			return t, o.Tools > 1 && percent(t.bytes, w.total) >= smallShare
		}
	}
	return weighed{}, false
}

// denial switches off one tool, beside those that are switched off already.
func (w weight) denial(t weighed, denied []string) client.Saving {
	return client.Saving{
		Owner: t.tool.Owner, Tool: t.tool.ID, Bytes: t.bytes, Tokens: tokens(t.bytes), Command: denyCommand(t, denied),
		Reason: fmt.Sprintf("this one tool is %.0f %% of the direct list", percent(t.bytes, w.total)),
	}
}

// denyCommand is the command that denies a tool beside those that are denied already.
func denyCommand(t weighed, denied []string) string {
	list, _ := json.Marshal(append(slices.Clone(denied), t.tool.Name)) // texts always can be
	return setCommand(t.tool.Owner, "deny", string(list))
}

// twins finds the servers of whose tools another, larger one has nearly all, by
// their names; of two that are alike the later one is named.
func (w weight) twins() map[string]string {
	tools := map[string]map[string]bool{}
	for _, t := range w.tools {
		if t.tool.Source != toolcrib.SourceMCP {
			continue
		}
		if tools[t.tool.Owner] == nil {
			tools[t.tool.Owner] = map[string]bool{}
		}
		tools[t.tool.Owner][strings.ToLower(t.tool.Name)] = true
	}
	twins := map[string]string{}
	names := slices.Sorted(maps.Keys(tools))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(tools[b]), len(tools[a])) })
	for i, small := range names {
		for _, large := range names[:i] {
			if twins[large] == "" && len(tools[small]) >= twinTools && percent(common(tools[small], tools[large]), len(tools[small])) >= twinShare {
				twins[small] = large
				break
			}
		}
	}
	return twins
}

// common counts what two sets share.
func common(a, b map[string]bool) (n int) {
	for key := range a {
		if b[key] {
			n++
		}
	}
	return n
}

// setCommand is the command that sets a key of a server.
func setCommand(server, key, value string) string {
	path := "mcp.servers." + server + "." + key
	if strings.Contains(server, ".") {
		path = `mcp.servers["` + server + `"].` + key
	}
	return "toolcrib config set " + quoted(path) + " " + quoted(value)
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'`$\\*?[](){}<>|&;!#~", r) }) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
