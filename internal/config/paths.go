package config

import (
	"path/filepath"
	"strings"
)

// ConfigPath returns the file that Load reads, and whether somebody named it: at
// Options.Path, else $TOOLCRIB_CONFIG, else toolcrib/config.json5 in
// $XDG_CONFIG_HOME, else in the system's usual place (~/.config; %APPDATA% on Windows).
func ConfigPath(o Options) (path string, explicit bool, err error) {
	if o.Path != "" {
		return o.Path, true, nil
	}
	if p, _ := o.env("TOOLCRIB_CONFIG"); p != "" {
		return p, true, nil
	}
	dir, err := o.folder("XDG_CONFIG_HOME", ".config", ".config", "APPDATA", "AppData/Roaming")
	return filepath.Join(dir, "config.json5"), false, err
}

// StateDir returns the folder for what must outlive a restart: toolcrib in
// $XDG_STATE_HOME, else in ~/.local/state (%LOCALAPPDATA% on Windows, and there
// the folder "state" in it).
func StateDir(o Options) (string, error) {
	dir, err := o.folder("XDG_STATE_HOME", ".local/state", ".local/state", "LOCALAPPDATA", "AppData/Local")
	return o.below(dir, "XDG_STATE_HOME", "state"), err
}

// CacheDir returns the folder for what may be deleted at any time: toolcrib in
// $XDG_CACHE_HOME, else in ~/.cache (~/Library/Caches on macOS, %LOCALAPPDATA%
// on Windows, and there the folder "cache" in it).
func CacheDir(o Options) (string, error) {
	dir, err := o.folder("XDG_CACHE_HOME", ".cache", "Library/Caches", "LOCALAPPDATA", "AppData/Local")
	return o.below(dir, "XDG_CACHE_HOME", "cache"), err
}

// folder returns the toolcrib folder in the base that the variable xdg names, or
// in the fallback of the system. A relative XDG path counts as unset, as its specification says.
func (o Options) folder(xdg, unix, mac, winVar, win string) (string, error) {
	if base, _ := o.env(xdg); o.absolute(base) {
		return filepath.Join(base, "toolcrib"), nil
	}
	fallback := unix
	switch o.goos() {
	case "windows":
		if base, _ := o.env(winVar); base != "" {
			return filepath.Join(base, "toolcrib"), nil
		}
		fallback = win
	case "darwin":
		fallback = mac
	}
	if o.Home == "" {
		return "", configError("no home folder is known: HOME is not set", "set HOME or "+xdg, nil)
	}
	return filepath.Join(o.Home, filepath.FromSlash(fallback), "toolcrib"), nil
}

// below keeps state and cache apart on Windows, where both fall back to one folder.
func (o Options) below(dir, xdg, name string) string {
	if base, _ := o.env(xdg); dir == "" || o.goos() != "windows" || o.absolute(base) {
		return dir
	}
	return filepath.Join(dir, name)
}

func (o Options) absolute(path string) bool {
	if o.goos() == "windows" && len(path) > 2 && path[1] == ':' {
		return path[2] == '/' || path[2] == '\\'
	}
	return filepath.IsAbs(path)
}

// resolve makes a path of the configuration absolute: "~/" is the home folder,
// and a relative path starts at dir.
func (o Options) resolve(path, dir string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && o.Home != "" {
		return filepath.Join(o.Home, rest)
	}
	if path == "" || filepath.IsAbs(path) || o.absolute(path) {
		return path
	}
	return filepath.Join(dir, path)
}
