package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// listEnv names the file that has the list of a shifty server.
const listEnv = "TOOLCRIB_E2E_LIST"

// shifty lists what stands in its file, and says that its list has changed when its
// tool renew is called.
func shifty() peer {
	return peer{
		tools: func(string) string {
			list, err := os.ReadFile(os.Getenv(listEnv))
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return string(list)
		},
		call: func(r request) string {
			if r.Params.Name == "renew" {
				say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
			return echo(r)
		},
	}
}

// golden compares what a command prints with a file.
func golden(t testing.TB, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", file, diff)
	}
}
