package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHashFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.json5")
	if got := HashFile(path); got != "" {
		t.Errorf("a file that is not there has the hash %q", got)
	}
	if got := HashFile(dir); got != "" {
		t.Errorf("a folder has the hash %q", got)
	}
	for text, want := range map[string]string{
		"":    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := HashFile(path); got != want {
			t.Errorf("the hash of %q is %s, want %s", text, got, want)
		}
	}
}
