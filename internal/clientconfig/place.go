package clientconfig

import (
	"slices"
	"strings"
)

// Environment is what the places of files depend on.
type Environment struct {
	// Home is the user's home folder.
	Home string
	// GOOS is the system, as runtime.GOOS names it.
	GOOS string
	// Dir is the project folder; without one there are no project files.
	Dir string
	// Getenv returns a variable, "" when it isn't set; nil means that none is.
	Getenv func(string) string
	// Exists reports whether a file or folder is there; nil means that nobody knows.
	Exists func(path string) bool
}

// File is a place where a program's configuration may be.
type File struct {
	// Client is the program's name.
	Client string `json:"client"`
	// Scope is "user" for all projects of a user, "project" for a file that a
	// project's folder holds, "local" for one project and this user alone.
	Scope string `json:"scope"`
	Path  string `json:"path"`
	// Project is the key of the project within the file, where Scope is "local".
	Project string `json:"project,omitempty"`
}

// The scopes.
const (
	scopeUser    = "user"
	scopeProject = "project"
	scopeLocal   = "local"
)

// Files returns the places where the program's configuration may be: those of
// the user, then those of the project, each with the one that is to be edited
// first. Places that are there (see Environment.Exists) come before the others.
func (c Client) Files(e Environment) []File {
	var out []File
	for _, scope := range []string{scopeUser, scopeLocal, scopeProject} {
		var places []place
		for _, p := range c.places(e) {
			if p.scope == scope {
				places = append(places, p)
			}
		}
		slices.SortStableFunc(places, func(a, b place) int { return a.rank(e) - b.rank(e) })
		for _, p := range places {
			out = append(out, File{Client: c.Name, Scope: scope, Path: p.path, Project: p.project})
		}
	}
	return out
}

// place is a file with how likely it is the right one.
type place struct {
	scope, path, project string
	// folder is what shows that the program is here; empty means the file itself.
	folder string
	// optional places are never the first unless they are there.
	optional bool
	// old places are read and never the first.
	old bool
}

func (p place) rank(e Environment) int {
	sign := p.folder
	if sign == "" {
		sign = p.path
	}
	switch {
	case p.old:
		return 3
	case e.exists(sign):
		return 0
	case p.optional:
		return 2
	}
	return 1
}

func (e Environment) exists(path string) bool { return e.Exists != nil && e.Exists(path) }

func (e Environment) get(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

// or is the variable's value, or else the fallback.
func (e Environment) or(name, fallback string) string {
	if v := e.get(name); v != "" {
		return v
	}
	return fallback
}

// join joins with the separator of the system that e describes.
func (e Environment) join(parts ...string) string {
	sep := "/"
	if e.GOOS == "windows" {
		sep = `\`
	}
	parts = slices.Clone(parts)
	for i, p := range parts {
		if i < len(parts)-1 {
			p = strings.TrimRight(p, `/`+sep)
		}
		parts[i] = p
	}
	return strings.Join(parts, sep)
}

// parent is the folder above, "" above the topmost.
func (e Environment) parent(dir string) string {
	seps := "/"
	if e.GOOS == "windows" {
		seps = `/\`
	}
	dir = strings.TrimRight(dir, seps)
	i := strings.LastIndexAny(dir, seps)
	if i <= 0 {
		return ""
	}
	return dir[:i]
}

// config is the folder for configuration of programs that follow the XDG rules on
// every system.
func (e Environment) config() string {
	return e.or("XDG_CONFIG_HOME", e.join(e.Home, ".config"))
}

// appData is the folder for data of desktop programs.
func (e Environment) appData() string {
	switch e.GOOS {
	case "windows":
		return e.or("APPDATA", e.join(e.Home, "AppData", "Roaming"))
	case "darwin":
		return e.join(e.Home, "Library", "Application Support")
	}
	return e.config()
}

// user is a place of the user.
func user(path string) place { return place{scope: scopeUser, path: path} }

// projectFiles are places in the project's folder.
func (e Environment) projectFiles(paths ...string) []place {
	var out []place
	for _, p := range paths {
		if e.Dir != "" {
			out = append(out, place{scope: scopeProject, path: e.join(append([]string{e.Dir}, strings.Split(p, "/")...)...)})
		}
	}
	return out
}
