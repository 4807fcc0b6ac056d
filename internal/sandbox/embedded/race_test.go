//go:build race

package embedded

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// program gives the children's program: these tests, built without the race
// detector, which looks at the parent alone. An engine under its eyes is
// thirty times slower, and meets none of its limits.
func program(t testing.TB) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// cleanUp removes the program.
func cleanUp() {
	if path, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "toolcrib-sandbox-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "child.test")
	cmd := exec.Command("go", "test", "-c", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	return path, cmd.Run()
})
