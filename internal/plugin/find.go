package plugin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolcrib/toolcrib"
)

// Found is a plugin's folder. Manifest is nil when it can't be used, and Err says why.
type Found struct {
	// ID is that of the manifest; of a broken one what can be told, or else the
	// name of the folder.
	ID string
	// Dir is the folder, absolute where the path that led to it was.
	Dir      string
	Manifest *Manifest
	Err      error
}

// Find looks for plugins: each path is a plugin's folder, or a folder that holds
// such. The order is that of the paths, and below one that of the names. A path
// that can't be read is in problems; one that isn't there counts as such only
// when it is in wanted.
func Find(paths []string, wanted func(path string) bool) (found []Found, problems []error) {
	seen := map[string]bool{}
	for _, path := range paths {
		dirs, err := below(path)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) || wanted(path) {
				problems = append(problems, toolcrib.NewError(toolcrib.KindConfig, "plugins can't be looked for in "+path+": "+reason(err), "correct plugins.load.paths").WithCause(err))
			}
			continue
		}
		for _, dir := range dirs {
			if same := canonical(dir); !seen[same] {
				seen[same] = true
				found = append(found, Read(dir))
			}
		}
	}
	return found, problems
}

// canonical is a folder by its one true path, where that can be told.
func canonical(dir string) string {
	if true, err := filepath.EvalSymlinks(dir); err == nil {
		return true
	}
	return dir
}

// below lists the plugin folders that a path leads to.
func below(path string) ([]string, error) {
	if _, err := os.Stat(filepath.Join(path, File)); err == nil {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" {
			continue
		}
		dir := filepath.Join(path, e.Name())
		if _, err := os.Stat(filepath.Join(dir, File)); err == nil {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs, nil
}

// Read reads the plugin in a folder.
func Read(dir string) Found {
	f := Found{Dir: dir, ID: filepath.Base(dir)}
	text, err := readFile(filepath.Join(dir, File))
	if err != nil {
		f.Err = toolcrib.NewError(toolcrib.KindConfig, filepath.Join(dir, File)+" can't be read: "+reason(err), "").WithCause(err)
		return f
	}
	m, id, err := Parse(filepath.Join(dir, File), text)
	if id != "" {
		f.ID = id
	}
	f.Manifest, f.Err = m, err
	return f
}

// readFile reads a plain file within its bound.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no plain file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it is over %d MiB", maxFile>>20)
	}
	return text, err
}

// reason is an error without the path, which is said beside it.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Glance tells by sizes and times whether the files that Find would read have
// changed, without reading them: then it returns another text.
func Glance(paths []string) string {
	var b strings.Builder
	for _, path := range paths {
		dirs, err := below(path)
		fmt.Fprintf(&b, "%s %t\n", path, err == nil)
		for _, dir := range dirs {
			if info, err := os.Stat(filepath.Join(dir, File)); err == nil {
				fmt.Fprintf(&b, "%s %d %d\n", dir, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}
