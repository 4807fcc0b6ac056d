package child

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCommandWord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my server")
	if err := os.WriteFile(file, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{"npx": "npx", "": "", "npx -y srv --token s3cret": "npx", " npx\t-y": "npx", file: file} {
		word, line := CommandWord(command)
		if word != want || line != (word != command) {
			t.Errorf("%q is shown as %q, a line: %t; want %q", command, word, line, want)
		}
	}
}
