package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
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

// probe is native code in a confined child: it tells its environment, or
// whether one of the ways out is refused.
func probe(name string) any {
	if name == "environment" {
		return os.Environ()
	}
	try, ok := waysOut[name]
	return ok && try() != nil
}

// waysOut is what an engine that was broken out of would try. Each gives nil
// when it works.
var waysOut = map[string]func() error{
	"read a file":         func() error { return attempt(os.ReadFile("/etc/passwd")) },
	"read its memory map": func() error { return attempt(os.ReadFile("/proc/self/maps")) },
	"list a folder":       func() error { return attempt(os.ReadDir("/")) },
	"write a file":        func() error { return os.WriteFile("/tmp/toolcrib-escape", nil, 0o600) },
	"make a folder":       func() error { return os.Mkdir("/tmp/toolcrib-escape.d", 0o700) },
	"listen":              func() error { return attempt(net.Listen("tcp", "127.0.0.1:0")) },
	"listen on a file":    func() error { return attempt(net.Listen("unix", "/tmp/toolcrib-escape.sock")) },
	"send a datagram":     func() error { return attempt(net.Dial("udp", "127.0.0.1:53")) },
	"look up a name":      func() error { return attempt(net.LookupHost("localhost")) },
	"start a program":     func() error { return exec.Command("/bin/true").Run() },
	"signal the parent": func() error {
		parent, err := os.FindProcess(os.Getppid())
		if err != nil {
			return err
		}
		return parent.Signal(syscall.Signal(0))
	},
}

func attempt[T any](_ T, err error) error { return err }

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
