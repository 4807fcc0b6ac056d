package toolsearch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/catalog"
)

// maxInventory bounds what the search control says of the catalog, in characters.
const maxInventory = 300

// inventory says how many tools of which owners there are, largest first. It
// depends on nothing but the catalog's tools.
func inventory(c *catalog.Catalog) string {
	owners, total := counted(c)
	if total == 0 {
		return "The servers are still starting: search again in a moment."
	}
	parts := make([]string, len(owners))
	for i, o := range owners {
		parts[i] = fmt.Sprintf("%s %d", o.name, o.tools)
	}
	head := thousands(total) + " tools: "
	if total == 1 {
		head = "1 tool: "
	}
	return head + listed(parts, maxInventory-len(head)-len(".")) + "."
}

// owner is an owner of catalogued tools, by the name that the operator gave it.
type owner struct {
	name  string
	tools int
}

// counted returns the owners, largest first, and how many tools they have
// together. The tool that reads results on is no reason to search.
func counted(c *catalog.Catalog) (owners []owner, total int) {
	for _, g := range c.Groups() {
		n := len(g.Tools)
		if slices.ContainsFunc(g.Tools, func(t toolcrib.Tool) bool { return t.ID == ResultsRead }) {
			n--
		}
		if n > 0 {
			owners = append(owners, owner{cmp.Or(g.Owner, string(g.Source)), n})
			total += n
		}
	}
	slices.SortStableFunc(owners, func(a, b owner) int {
		return cmp.Or(cmp.Compare(b.tools, a.tools), cmp.Compare(a.name, b.name))
	})
	return owners, total
}

// listed joins as many parts as fit into n bytes and says how many it left out.
func listed(parts []string, n int) string {
	all := strings.Join(parts, ", ")
	if len(all) <= n {
		return all
	}
	for shown := len(parts) - 1; shown > 0; shown-- {
		text := strings.Join(parts[:shown], ", ") + fmt.Sprintf(" and %d more", len(parts)-shown)
		if len(text) <= n {
			return text
		}
	}
	return fmt.Sprintf("%d in all", len(parts))
}

// thousands writes a count with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
