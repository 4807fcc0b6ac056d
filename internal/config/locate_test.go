package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/config"
)

func TestLocate(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "a.json5")
	if err := os.WriteFile(file, []byte("{ this is broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	options := config.Options{Path: file, Home: home, GOOS: "linux", Environ: []string{"XDG_STATE_HOME=/s"}}
	got, err := config.Locate(options)
	if err != nil {
		t.Fatal(err)
	}
	if got.Config != file || !got.Exists || got.StateDir != "/s/toolcrib" {
		t.Errorf("got %+v, want the file %s, which exists, and the state folder /s/toolcrib", got, file)
	}
	if filepath.Dir(got.Socket) != "/s/toolcrib" || filepath.Ext(got.Socket) != ".sock" {
		t.Errorf("the socket is %s, want a .sock in the state folder", got.Socket)
	}

	options.Path = filepath.Join(home, "b.json5")
	other, err := config.Locate(options)
	if err != nil {
		t.Fatal(err)
	}
	if other.Exists || other.Socket == got.Socket {
		t.Errorf("got %+v for another file, which doesn't exist: want another socket than %s", other, got.Socket)
	}
}

func TestLocateTakesTheRuntimeFolderForLongPaths(t *testing.T) {
	options := config.Options{Home: "/h", GOOS: "linux", Environ: []string{"XDG_STATE_HOME=/" + strings.Repeat("s", 100), "XDG_RUNTIME_DIR=/run/user/7"}}
	got, err := config.Locate(options)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(got.Socket) != "/run/user/7/toolcrib" {
		t.Errorf("the socket is %s, want it below /run/user/7", got.Socket)
	}
}

func TestLocateWantsAHome(t *testing.T) {
	if got, err := config.Locate(config.Options{GOOS: "linux"}); err == nil {
		t.Errorf("got %+v without a home folder, want an error", got)
	}
}
