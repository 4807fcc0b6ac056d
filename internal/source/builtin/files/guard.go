package files

import (
	"os"
	"path/filepath"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// guard keeps one protected file or folder from being reached.
type guard struct {
	is     os.FileInfo // what it is; nil when it doesn't exist
	parent os.FileInfo // the nearest folder above it that exists
	name   string      // what comes next there, folded
}

type guards []guard

// guardsOf looks at the protected paths as they are now, links followed and not.
func guardsOf(paths []string) guards {
	var all guards
	for _, p := range paths {
		all = append(all, guardOf(p))
		if real, err := filepath.EvalSymlinks(p); err == nil && real != filepath.Clean(p) {
			all = append(all, guardOf(real))
		}
	}
	return all
}

func guardOf(path string) guard {
	path = filepath.Clean(path)
	g := guard{}
	if info, err := os.Stat(path); err == nil {
		g.is = info
	}
	for {
		dir := filepath.Dir(path)
		if dir == path {
			return g
		}
		if info, err := os.Stat(dir); err == nil {
			g.parent, g.name = info, folded(filepath.Base(path))
			return g
		}
		path = dir
	}
}

// hold reports whether info is a protected file or folder.
func (gs guards) hold(info os.FileInfo) bool {
	for _, g := range gs {
		if g.is != nil && os.SameFile(g.is, info) {
			return true
		}
	}
	return false
}

// name reports whether a name in a folder is that of a protected one.
func (gs guards) name(folder os.FileInfo, name string) bool {
	for _, g := range gs {
		if g.parent != nil && os.SameFile(g.parent, folder) && g.name == folded(name) {
			return true
		}
	}
	return false
}

// folded is a name without case and way of writing, as the most forgiving file
// systems compare names.
func folded(name string) string { return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name))) }
