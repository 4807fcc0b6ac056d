package gateway

import (
	"os"
	"testing"

	"github.com/toolcrib/toolcrib/internal/sandbox/embedded"
	"github.com/toolcrib/toolcrib/internal/sandbox/node"
	"github.com/toolcrib/toolcrib/internal/source/builtin/exec"
)

// able is what SandboxMain returns: TestMain has seen to it that the children of
// this program end there.
var able = Sandbox{able: true}

func TestMain(m *testing.M) {
	embedded.Child(os.Args)
	node.Child(os.Args)
	exec.Child(os.Args)
	os.Exit(m.Run())
}
