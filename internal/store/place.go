package store

import (
	"path/filepath"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// FileName is the database in the state folder.
const FileName = "toolcrib.db"

// Place is where a store is kept.
type Place struct {
	// Path is the database's file; empty for a store in memory.
	Path string
}

// Memory reports whether nothing outlives the process.
func (p Place) Memory() bool { return p.Path == "" }

// String names the place in messages.
func (p Place) String() string {
	if p.Memory() {
		return "memory:"
	}
	return p.Path
}

// Locate reads store.url: "" is FileName in the state folder, "sqlite:PATH" that
// file, and "memory:" none. A relative PATH starts at the state folder. Without a
// state folder "" is memory, too.
func Locate(url, stateDir string) (Place, error) {
	path, sqlite := strings.CutPrefix(url, "sqlite:")
	switch {
	case url == "memory:" || url == "" && stateDir == "":
		return Place{}, nil
	case url == "":
		return Place{filepath.Join(stateDir, FileName)}, nil
	case !sqlite || path == "":
		return Place{}, toolcrib.NewError(toolcrib.KindConfig, "store.url is no store's", "write sqlite:PATH or memory:")
	case filepath.IsAbs(path):
		return Place{path}, nil
	case stateDir == "":
		return Place{}, toolcrib.NewError(toolcrib.KindConfig, "store.url has a relative path, and there is no state folder", "write an absolute one")
	}
	return Place{filepath.Join(stateDir, path)}, nil
}
