//go:build unix

package gateway

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/toolcrib/toolcrib"
)

func TestPipeInPlaceOfTheFileHoldsNothingUp(t *testing.T) {
	file := written(t, `{tools: {deny: ["second"]}}`)
	g, s := open(t, Options{ConfigFile: file, Tools: []Tool{echo("first"), echo("second")}}, SessionOptions{Mode: "direct"})
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := g.Reload(t.Context()); toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), "is no plain file") {
		t.Errorf("reading a pipe: %v", err)
	}
	status, err := control{g}.Status(t.Context())
	if err != nil || !strings.Contains(status.ConfigError, "is no plain file") {
		t.Errorf("the status says %q, %v", status.ConfigError, err)
	}
	if got := others(s.Surface(t.Context())); len(got) != 1 {
		t.Errorf("a pipe changed what a session sees: %v", got)
	}
}
