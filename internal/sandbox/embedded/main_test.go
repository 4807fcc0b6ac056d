package embedded

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox/wire"
)

func TestMain(m *testing.M) {
	parentOfOrphan(os.Args)
	ChildInTest(os.Args, Hooks{Probe: probe, Instead: forge})
	os.Exit(m.Run())
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
