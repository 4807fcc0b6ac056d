package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolcrib/toolcrib/internal/config"
)

// block returns the first block of a language below a heading of README.md.
func block(t *testing.T, heading, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, code, _ := strings.Cut(section, "```"+language+"\n")
	code, _, ok := strings.Cut(code, "```\n")
	if !ok {
		t.Fatalf("README.md has no block of %s below %q", language, heading)
	}
	return code
}

// The program in the README is whole, and says what its comment says.
func TestReadmeLibrary(t *testing.T) {
	code := block(t, "Library", "go")
	says := regexp.MustCompile(`fmt\.Println.* // (.*)\n`).FindStringSubmatch(code)
	if says == nil {
		t.Fatal("the program doesn't say what it prints")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput()
	if err != nil || string(out) != says[1]+"\n" {
		t.Errorf("it prints %q (%v), want %q", out, err, says[1])
	}
}

// The configurations in the README are valid as they stand, without any variable.
func TestReadmeConfiguration(t *testing.T) {
	for heading, servers := range map[string]int{"The configuration": 2, "Who may do what": 0} {
		file := filepath.Join(t.TempDir(), "config.json5")
		if err := os.WriteFile(file, []byte(block(t, heading, "json5")), 0o600); err != nil {
			t.Fatal(err)
		}
		c, warnings, err := config.Load(config.Options{Path: file, Home: t.TempDir()})
		if err != nil || len(warnings) > 0 || len(c.MCP.Servers) != servers {
			t.Errorf("%s: %v, %v, %v: want %d servers and no complaint", heading, c, warnings, err, servers)
		}
	}
}
