//go:build unix

package exec

import (
	"fmt"
	"os"
	"testing"
)

// probeArg as the first argument makes the test binary try the named ways out.
const probeArg = "__probe"

func TestMain(m *testing.M) {
	Child(os.Args)
	if len(os.Args) > 1 && os.Args[1] == probeArg {
		for _, name := range os.Args[2:] {
			fmt.Printf("%s: %s\n", name, probe(name))
		}
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == "__gateway" {
		gateway(os.Args[2], os.Args[3])
		os.Exit(0)
	}
	os.Exit(m.Run())
}
