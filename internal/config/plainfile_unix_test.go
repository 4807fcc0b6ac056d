//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolcrib/toolcrib"
)

func pipeAt(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

// freed ends the wait of whoever still opens a pipe.
func freed(t *testing.T, path string) {
	t.Cleanup(func() {
		if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			f.Close()
		}
	})
}

func TestPipesInPlaceOfFilesAreNotWaitedFor(t *testing.T) {
	home := t.TempDir()
	pipe := filepath.Join(home, ".config", "toolcrib", "config.json5")
	pipeAt(t, pipe)
	freed(t, pipe)
	if got := HashFile(pipe); got != "" {
		t.Errorf("a pipe has the hash %q", got)
	}
	if f, err := OpenPlain(pipe); err == nil {
		f.Close()
		t.Error("a pipe was opened as a plain file")
	}
	byDefault := Options{Home: home, GOOS: "linux"}
	named := Options{Path: pipe, patience: time.Millisecond}
	again := Options{Path: pipe, Again: true}
	for _, tt := range []struct {
		o    Options
		says string
	}{{byDefault, "is no plain file"}, {named, "nothing ended it in time"}, {again, "is no plain file"}} {
		if _, _, err := Load(tt.o); toolcrib.KindOf(err) != toolcrib.KindConfig || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("want %q: %v", tt.says, err)
		}
	}
	if _, err := EditSet(named, "log.level", "debug"); err == nil || !strings.Contains(err.Error(), "is no plain file") {
		t.Errorf("editing a pipe: %v", err)
	}
	referring := filepath.Join(home, "file.json5")
	if err := os.WriteFile(referring, []byte(`{gateway: {token: "${file:`+pipe+`}"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(Options{Path: referring, patience: time.Millisecond}); err == nil || !strings.Contains(err.Error(), "nothing ended it in time") {
		t.Errorf("a reference to a pipe: %v", err)
	}
}

func TestPipeThatSomebodyNamedIsRead(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	pipeAt(t, pipe)
	wrote := make(chan error, 1)
	go func() { wrote <- os.WriteFile(pipe, []byte(`{log: {level: "debug"}}`), 0) }()
	c, _, err := Load(Options{Path: pipe})
	if err != nil || c.Log.Level != "debug" {
		t.Errorf("%+v, %v", c, err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	if c, _, err := Load(Options{Path: os.DevNull}); err != nil || !c.Blank {
		t.Errorf("%s: %v", os.DevNull, err)
	}
	if _, _, err := Load(Options{Path: "/dev/zero"}); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("a device without end: %v", err)
	}
}
