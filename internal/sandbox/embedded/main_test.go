package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib/internal/sandbox"
	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

func TestMain(m *testing.M) {
	parentOfOrphan(os.Args)
	ChildInTest(os.Args, Hooks{Probe: probe, Instead: forge})
	code := m.Run()
	cleanUp()
	os.Exit(code)
}

// probe is native code in a confined child.
func probe(name string) any {
	if name == "environment" {
		return os.Environ()
	}
	_, err := os.Open("/etc/passwd")
	return err != nil
}

// forge is a child that was broken into: once it has its script, it sends what
// the probe's name says.
func forge(name string, in io.Reader, out io.Writer) bool {
	wanted, ok := strings.CutPrefix(name, "forge:")
	if !ok {
		return false
	}
	var what string
	for _, f := range forgeries {
		if f.name == wanted {
			what = f.frame
		}
	}
	if _, err := wire.NewReader(in, 0).Read(); err != nil {
		return true
	}
	if text, ok := strings.CutPrefix(what, "raw:"); ok {
		_, _ = io.WriteString(out, text)
	} else {
		_ = wire.NewWriter(out).WriteRaw(wire.Kind(what[0]), []byte(what[1:]))
	}
	_, _ = io.Copy(io.Discard, in)
	return true
}

// parentOfOrphan is a process that runs a busy script, tells its child and
// waits to be killed.
func parentOfOrphan(args []string) {
	if len(args) < 2 || args[1] != "parent-of-orphan" {
		return
	}
	r, err := New(Options{Pool: -1})
	if err != nil {
		os.Exit(1)
	}
	h := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		fmt.Println("busy")
		return nil, nil
	}
	_, _ = r.Run(context.Background(), sandbox.Script{Code: "await f(); for (;;);", Functions: []string{"f"}, Limits: sandbox.Limits{Wall: time.Minute}}, h)
}
