package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A package manager keeps a program in a folder of its version and a link to it on PATH.
func TestTheProgramsPathIsOneThatStays(t *testing.T) {
	dir := t.TempDir()
	real := put(t, filepath.Join(dir, "cellar", "toolcrib", "1.2.3", "toolcrib"), "x", 0o700)
	other := put(t, filepath.Join(dir, "other", "toolcrib"), "x", 0o700)
	link := filepath.Join(dir, "bin", "toolcrib")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	path := func(dirs ...string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }
	for name, tt := range map[string]struct{ called, path, want string }{
		"a link on PATH":              {"toolcrib", path(filepath.Dir(other), filepath.Dir(link)), link},
		"called by its own path":      {real, path(filepath.Dir(link)), link},
		"not on PATH":                 {real, path(filepath.Dir(other)), real},
		"not on PATH, by a link":      {link, "", link},
		"by a relative link":          {filepath.Join("bin", "..", "bin", "toolcrib"), "", link},
		"a relative folder on PATH":   {"toolcrib", "bin", real},
		"a name that leads elsewhere": {other, "", real},
	} {
		t.Run(name, func(t *testing.T) {
			a := newApp(Process{Program: tt.called, Executable: real, Dir: dir, Environ: []string{"PATH=" + tt.path}, Stdout: &bytes.Buffer{}})
			if got := a.stableProgram(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A client starts its servers without the shell's variables.
func TestTheEntryLeadsToTheSamePlaces(t *testing.T) {
	home := t.TempDir()
	standard := newApp(Process{Home: home, Stdout: &bytes.Buffer{}, Environ: []string{"XDG_STATE_HOME=" + filepath.Join(home, ".local", "state")}})
	if got := standard.stateEnv("/run/x.sock"); got != nil {
		t.Errorf("folders where they are by default need no variable, got %v", got)
	}
	moved := newApp(Process{Home: home, Stdout: &bytes.Buffer{}, Environ: []string{"XDG_STATE_HOME=/s", "XDG_CACHE_HOME=relative"}})
	deep := newApp(Process{Home: home, Stdout: &bytes.Buffer{}, Environ: []string{"XDG_RUNTIME_DIR=/run/user/7/"}})
	if got := deep.stateEnv("/run/user/7/toolcrib/x.sock"); len(got) != 1 || got["XDG_RUNTIME_DIR"] != "/run/user/7/" {
		t.Errorf("got %v, want the socket's folder", got)
	}
	if got := moved.stateEnv("/s/x.sock"); len(got) != 1 || got["XDG_STATE_HOME"] != "/s" {
		t.Errorf("got %v, want the state's folder alone", got)
	}
	if got, want := moved.plainConfig(), filepath.Join(home, ".config", "toolcrib", "config.json5"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
