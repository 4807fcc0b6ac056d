//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestConfigSetInAReadOnlyFolder runs as a user who may write the file and not
// the folder in which the new one has to be made.
func TestConfigSetInAReadOnlyFolder(t *testing.T) {
	h := newHome(t, written)
	locked := filepath.Join(h.dir, "locked")
	if err := os.Mkdir(locked, 0o700); err != nil {
		t.Fatal(err)
	}
	h.config = filepath.Join(locked, "config.json5")
	h.write(written)
	cmd := h.command("config", "set", "log.level", "debug")
	if os.Getuid() == 0 { // nothing is read-only for root
		const nobody = 65534
		for _, path := range []string{h.dir, locked, h.config} {
			if err := os.Chown(path, nobody, nobody); err != nil {
				t.Skip("this user can't become another: ", err)
			}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		cmd.Path = forAll(t)
	}
	if err := os.Chmod(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(locked, 0o700) })
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("it ended with %v\n%s", err, out)
	}
	mentions(t, string(out), h.config+" can't be written: permission denied", "must be able to write to the folder")
	h.holds(written)
}

// forAll is a copy of the program that every user can run.
func forAll(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "crib")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "toolcrib")
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
