package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"

	"github.com/toolcrib/toolcrib/internal/config"
)

// imports remembers which of a client's servers came into toolcrib under which
// name, so that connect knows them even after one was changed there.
type imports struct{ path string }

func (a *app) imports(paths config.Paths) imports {
	return imports{filepath.Join(paths.StateDir, "clients", "imports.json")}
}

// origins are the names in toolcrib by a client's file and the names there.
type origins map[string]map[string]string

// load returns what is remembered; a file that is missing or broken remembers nothing.
func (i imports) load() origins {
	known := origins{}
	if text, err := os.ReadFile(i.path); err == nil {
		_ = json.Unmarshal(text, &known)
	}
	return known
}

// add remembers the servers that toolcrib has now.
func (i imports) add(rows []imported) error {
	known := i.load()
	for _, row := range rows {
		if row.Action != actionAdded && row.Action != actionPresent {
			continue
		}
		names := maps.Clone(known[row.File])
		if names == nil {
			names = map[string]string{}
		}
		names[row.Name] = row.As
		known[row.File] = names
	}
	text, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return err
	}
	return writePrivate(i.path, append(text, '\n'))
}
