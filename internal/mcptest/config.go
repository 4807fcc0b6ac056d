package mcptest

import (
	"fmt"
	"strings"
)

// Config writes the toolcrib configuration that names every recorded server
// under base, the URL at which Handler is served.
func Config(servers []Recorded, base string) string {
	var b strings.Builder
	b.WriteString("{\n  mcp: {\n    servers: {\n")
	for _, r := range servers {
		fmt.Fprintf(&b, "      %q: { url: %q },\n", r.Server, base+"/"+r.Server)
	}
	b.WriteString("    },\n  },\n}")
	return b.String()
}
