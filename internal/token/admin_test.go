package token_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib"
	"github.com/toolcrib/toolcrib/internal/token"
)

// mode is the mode of a file.
func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestAdmin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "toolcrib")
	a := token.NewAdmin(dir, nil)
	if _, err := a.Secret(); !errors.Is(err, fs.ErrNotExist) || toolcrib.KindOf(err) != toolcrib.KindUnavailable {
		t.Errorf("before there is one: %v", err)
	}
	if a.Matches("") {
		t.Error("nothing is the admin token")
	}
	if err := a.Ensure(); err != nil {
		t.Fatal(err)
	}
	first, err := a.Secret()
	if err != nil || !strings.HasPrefix(first, "tcrib_admin_") || len(first) != len("tcrib_admin_")+43 {
		t.Errorf("%q, %v", first, err)
	}
	if runtime.GOOS != "windows" && (mode(t, a.Path()) != 0o600 || mode(t, dir) != 0o700) {
		t.Errorf("modes %v, %v", mode(t, a.Path()), mode(t, dir))
	}
	if err := a.Ensure(); err != nil || !a.Matches(first) {
		t.Errorf("it was made anew: %v", err)
	}
	if a.Matches(first+"x") || a.Matches(first[1:]) || a.Matches("") || a.Matches(" "+first) {
		t.Error("another is the admin token, too")
	}
	other := token.NewAdmin(dir, nil) // as in another process
	if err := other.Rotate(); err != nil {
		t.Fatal(err)
	}
	second, err := a.Secret()
	if err != nil || second == first || a.Matches(first) || !a.Matches(second) {
		t.Errorf("after it was replaced: %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

func TestAdminFileOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	var log bytes.Buffer
	dir := t.TempDir()
	a := token.NewAdmin(dir, slog.New(slog.NewTextHandler(&log, nil)))
	if err := a.Ensure(); err != nil {
		t.Fatal(err)
	}
	secret, err := a.Secret()
	if err != nil {
		t.Fatal(err)
	}
	log.Reset()
	for path, wide := range map[string]fs.FileMode{a.Path(): 0o644, dir: 0o755} {
		if err := os.Chmod(path, wide); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Ensure(); err != nil || !a.Matches(secret) {
		t.Errorf("it is another: %v", err)
	}
	if mode(t, a.Path()) != 0o600 || mode(t, dir) != 0o700 || strings.Count(log.String(), "narrowed") != 2 {
		t.Errorf("modes %v, %v; the log:\n%s", mode(t, a.Path()), mode(t, dir), &log)
	}
	if strings.Contains(log.String(), secret) {
		t.Error("it was logged")
	}
}

func TestAdminFileOfAnotherKind(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "short": "tcrib_admin_x", "another's": strings.Repeat("x", 80), "large": strings.Repeat("tcrib_admin_", 10_000)} {
		dir := t.TempDir()
		a := token.NewAdmin(dir, nil)
		if err := os.WriteFile(a.Path(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if a.Matches(content) || a.Matches("") {
			t.Errorf("%s: it is the admin token", name)
		}
		if err := a.Ensure(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if secret, err := a.Secret(); err != nil || !a.Matches(secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, token.AdminFile), 0o700); err != nil {
		t.Fatal(err)
	}
	a := token.NewAdmin(dir, nil)
	if err := a.Ensure(); toolcrib.KindOf(err) != toolcrib.KindUnavailable || a.Matches("") {
		t.Errorf("a folder in its place: %v", err)
	}
}
