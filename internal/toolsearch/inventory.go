package toolsearch

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcrib/toolcrib/internal/catalog"
)

// maxInventory bounds what the search control says of the catalog, in characters.
const maxInventory = 300

// inventory says how many tools of which owners there are, largest first. It
// depends on nothing but the catalog's tools.
func inventory(c *catalog.Catalog) string {
	groups := c.Groups()
	if len(groups) == 0 {
		return "The servers are still starting: search again in a moment."
	}
	slices.SortStableFunc(groups, func(a, b catalog.Group) int {
		return cmp.Or(cmp.Compare(len(b.Tools), len(a.Tools)), cmp.Compare(a.Owner, b.Owner))
	})
	parts := make([]string, len(groups))
	for i, g := range groups {
		parts[i] = fmt.Sprintf("%s %d", cmp.Or(g.Owner, string(g.Source)), len(g.Tools))
	}
	head := thousands(c.Len()) + " tools: "
	if c.Len() == 1 {
		head = "1 tool: "
	}
	return head + listed(parts, maxInventory-len(head)-len(".")) + "."
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
