//go:build linux

package node

import (
	"os/exec"
	"strings"
	"testing"
)

// TestTrialTellsOpenFromClosed runs the test of other systems with the Nodes
// here: a permission model that leaves the network open must be found out, and
// one that closes it must pass.
func TestTrialTellsOpenFromClosed(t *testing.T) {
	for name, path := range found(t) {
		t.Run(name, func(t *testing.T) {
			v, err := ask(path)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(path, append(flags(v, defaultMemory), "-e", trial)...)
			cmd.Env, cmd.Dir = []string{}, t.TempDir()
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			said := string(out)
			if v.before(closedMajor, closedMinor) {
				if !strings.Contains(said, "TCP") || !strings.Contains(said, "Unix sockets") || strings.Contains(said, "files") {
					t.Errorf("it says %q, want the network open and the files closed", said)
				}
			} else if said != "closed" {
				t.Errorf("it says %q, want closed", said)
			}
		})
	}
}
