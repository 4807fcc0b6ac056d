package config

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkLoad(b *testing.B) {
	var servers strings.Builder
	for i := range 50 {
		fmt.Fprintf(&servers, "s%d: {command: 'npx', args: ['-y', 'x'], env: {A_TOKEN: '${T}'}, timeoutMs: 5000},\n", i)
	}
	o := writeFile(b, "{tools: {toolSearch: 'auto'}, mcp: {servers: {"+servers.String()+"}}}", "T=secret-value", "TOOLCRIB_LOG__LEVEL=warn")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Load(o); err != nil {
			b.Fatal(err)
		}
	}
}
