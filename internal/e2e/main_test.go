package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/toolcrib/toolcrib/gateway"
)

// fakeEnv switches the test binary into an MCP server: its value names the behaviour.
const fakeEnv = "TOOLCRIB_E2E_FAKE"

// root is the module root, seen from this package's folder.
const root = "../.."

// binary is the program under test. TestMain builds it.
var binary string

// sandboxed lets gateways of this program run code: its children end in TestMain.
var sandboxed gateway.Sandbox

func TestMain(m *testing.M) {
	sandboxed = gateway.SandboxMain()
	if kind := os.Getenv(fakeEnv); kind != "" {
		os.Exit(runFake(kind))
	}
	os.Exit(testsWithBinary(m))
}

// testsWithBinary builds the program as a release is built, static, and runs the tests.
func testsWithBinary(m *testing.M) int {
	dir, err := os.MkdirTemp("", "crib")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "toolcrib.exe")
	build := exec.CommandContext(context.Background(), "go", "build", "-trimpath", "-o", binary, "./cmd/toolcrib")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building toolcrib: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// absent skips a test whose real parts are not installed, except where all of
// them must be.
func absent(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// npmFolder is the folder in which `make setup` installs real servers and the inspector.
func npmFolder(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TOOLCRIB_NPM")
	if dir == "" {
		dir = filepath.Join(root, ".cache", "npm")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		absent(t, "node is absent: install Node 20 or newer")
	}
	for _, name := range []string{"mcp-server-everything", "mcp-server-filesystem", "mcp-server-memory", "mcp-inspector"} {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", ".bin", name)); err != nil {
			absent(t, name+" is absent: run make setup, or set TOOLCRIB_NPM to a folder with it in node_modules")
		}
	}
	return dir
}

// npm is a server's entry in the configuration: one of the installed programs.
func npm(dir, program string, args ...string) object {
	return object{"command": "node", "args": append([]string{filepath.Join(dir, "node_modules", ".bin", program)}, args...)}
}

// catalogs is the folder of recorded tool lists.
func catalogs(t testing.TB) string {
	t.Helper()
	shared := os.Getenv("TOOLCRIB_SHARED")
	if shared == "" {
		shared = filepath.Join(root, "..", "shared")
	}
	dir := filepath.Join(shared, "catalogs")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("shared catalogs absent: set TOOLCRIB_SHARED to the folder that has catalogs in it")
	}
	return dir
}
