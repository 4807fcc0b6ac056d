package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		name                 string
		o                    Options
		config, state, cache string
		explicit             bool
	}{
		{
			name: "linux", o: Options{GOOS: "linux", Home: "/h"},
			config: "/h/.config/toolcrib/config.json5", state: "/h/.local/state/toolcrib", cache: "/h/.cache/toolcrib",
		},
		{
			name: "xdg", o: Options{GOOS: "linux", Home: "/h", Environ: []string{"XDG_CONFIG_HOME=/c", "XDG_STATE_HOME=/s", "XDG_CACHE_HOME=/k"}},
			config: "/c/toolcrib/config.json5", state: "/s/toolcrib", cache: "/k/toolcrib",
		},
		{
			name: "relative and empty xdg", o: Options{GOOS: "linux", Home: "/h", Environ: []string{"XDG_CONFIG_HOME=c", "XDG_STATE_HOME=", "XDG_CACHE_HOME=./k"}},
			config: "/h/.config/toolcrib/config.json5", state: "/h/.local/state/toolcrib", cache: "/h/.cache/toolcrib",
		},
		{
			name: "macos", o: Options{GOOS: "darwin", Home: "/h"},
			config: "/h/.config/toolcrib/config.json5", state: "/h/.local/state/toolcrib", cache: "/h/Library/Caches/toolcrib",
		},
		{
			name: "macos xdg", o: Options{GOOS: "darwin", Home: "/h", Environ: []string{"XDG_CACHE_HOME=/k"}},
			config: "/h/.config/toolcrib/config.json5", state: "/h/.local/state/toolcrib", cache: "/k/toolcrib",
		},
		{
			name: "windows", o: Options{GOOS: "windows", Home: "C:/h", Environ: []string{"AppData=C:/r", "LOCALAPPDATA=C:/l"}},
			config: "C:/r/toolcrib/config.json5", state: "C:/l/toolcrib/state", cache: "C:/l/toolcrib/cache",
		},
		{
			name: "windows bare", o: Options{GOOS: "windows", Home: "C:/h"},
			config: "C:/h/AppData/Roaming/toolcrib/config.json5", state: "C:/h/AppData/Local/toolcrib/state", cache: "C:/h/AppData/Local/toolcrib/cache",
		},
		{
			name: "windows xdg", o: Options{GOOS: "windows", Home: "C:/h", Environ: []string{"XDG_STATE_HOME=D:/s", "xdg_cache_home=D:/k"}},
			config: "C:/h/AppData/Roaming/toolcrib/config.json5", state: "D:/s/toolcrib", cache: "D:/k/toolcrib",
		},
		{
			name: "variable", o: Options{GOOS: "linux", Home: "/h", Environ: []string{"TOOLCRIB_CONFIG=/first", "TOOLCRIB_CONFIG=/x.json"}},
			config: "/x.json", explicit: true, state: "/h/.local/state/toolcrib", cache: "/h/.cache/toolcrib",
		},
		{
			name: "flag", o: Options{GOOS: "linux", Path: "y.json", Home: "/h", Environ: []string{"TOOLCRIB_CONFIG=/x.json"}},
			config: "y.json", explicit: true, state: "/h/.local/state/toolcrib", cache: "/h/.cache/toolcrib",
		},
	} {
		config, explicit, err := ConfigPath(c.o)
		state, err2 := StateDir(c.o)
		cache, err3 := CacheDir(c.o)
		if err != nil || err2 != nil || err3 != nil {
			t.Errorf("%s: %v %v %v", c.name, err, err2, err3)
		}
		for _, p := range [][2]string{{config, c.config}, {state, c.state}, {cache, c.cache}} {
			if filepath.ToSlash(p[0]) != p[1] {
				t.Errorf("%s: %s, want %s", c.name, p[0], p[1])
			}
		}
		if explicit != c.explicit {
			t.Errorf("%s: explicit %v", c.name, explicit)
		}
	}
}

func TestPathsWithoutAHome(t *testing.T) {
	for name, f := range map[string]func() error{
		"HOME or XDG_CONFIG_HOME": func() error { _, _, err := ConfigPath(Options{GOOS: "linux"}); return err },
		"HOME or XDG_STATE_HOME":  func() error { _, err := StateDir(Options{GOOS: "windows"}); return err },
		"HOME or XDG_CACHE_HOME":  func() error { _, err := CacheDir(Options{GOOS: "darwin"}); return err },
	} {
		if got, want := errText(f()), "no home folder is known: HOME is not set (set "+name+")"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestRelativePathsStartAtTheFile(t *testing.T) {
	o := write(t, `{mcp: {servers: {a: {command: "x", cwd: "~/sub"}, b: {command: "x", cwd: "../up"}, c: {command: "x", cwd: "/abs"}, d: {command: "x"}}}}`)
	dir := filepath.Dir(o.Path)
	t.Chdir(dir)
	o.Path = "config.json5"
	c, _ := load(t, o)
	for name, want := range map[string]string{"a": "/home/me/sub", "b": filepath.Join(filepath.Dir(dir), "up"), "c": "/abs", "d": ""} {
		got := c.MCP.Servers[name].Cwd
		if real, err := filepath.EvalSymlinks(filepath.Dir(got)); err == nil {
			got = filepath.Join(real, filepath.Base(got))
		}
		if real, err := filepath.EvalSymlinks(filepath.Dir(want)); err == nil {
			want = filepath.Join(real, filepath.Base(want))
		}
		if got != want && c.MCP.Servers[name].Cwd != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if !filepath.IsAbs(c.Path) {
		t.Errorf("the path of the file is not absolute: %s", c.Path)
	}
}

func TestTheDefaultFileIsRead(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".config", "toolcrib", "config.json5")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{log: {level: 'error'}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _ := load(t, Options{Home: home, GOOS: "linux"})
	if !c.Found || c.Path != path || c.Log.Level != "error" {
		t.Errorf("%v %s %s", c.Found, c.Path, c.Log.Level)
	}
}
