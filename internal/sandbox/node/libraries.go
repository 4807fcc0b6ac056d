package node

import (
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// libraryFolders is where loaders look, in their order, beside what a binary
// itself names.
var libraryFolders = []string{
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
	"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib64", "/usr/local/lib",
}

// loaderCache tells a loader where libraries are; it holds no secret.
const loaderCache = "/etc/ld.so.cache"

// libraries lists the files that a binary needs to start: its loader and its
// libraries, and theirs. Where one isn't found in the usual places, all
// of these are listed, and the loader finds it or complains.
func libraries(path string) ([]string, error) {
	l := loading{seen: map[string]bool{}}
	if err := l.add(path); err != nil {
		return nil, err
	}
	files := append(l.files, loaderCache)
	if l.missing {
		files = append(files, libraryFolders...)
	}
	return files, nil
}

// loading walks through libraries, each once.
type loading struct {
	seen    map[string]bool
	files   []string
	missing bool
}

func (l *loading) add(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if loader := interpreter(f); loader != "" {
		l.keep(loader)
	}
	names, err := f.ImportedLibraries()
	if err != nil {
		return err
	}
	folders := append(ownFolders(f, path), libraryFolders...)
	for _, name := range names {
		if err := l.need(name, folders); err != nil {
			return err
		}
	}
	return nil
}

// need finds one library and walks on from it.
func (l *loading) need(name string, folders []string) error {
	if l.seen[name] {
		return nil
	}
	l.seen[name] = true
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		l.keep(path)
		return l.add(path)
	}
	l.missing = true
	return nil
}

func (l *loading) keep(path string) { l.files = append(l.files, path) }

// interpreter is the loader that a program names, "" for none.
func interpreter(f *elf.File) string {
	section := f.Section(".interp")
	if section == nil {
		return ""
	}
	text, err := section.Data()
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\x00")
}

// ownFolders are those that a binary itself names; $ORIGIN is its own.
func ownFolders(f *elf.File, path string) []string {
	var folders []string
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		values, err := f.DynString(tag)
		if err != nil {
			continue
		}
		for _, value := range values {
			for folder := range strings.SplitSeq(value, ":") {
				folders = append(folders, strings.NewReplacer("$ORIGIN", filepath.Dir(path), "${ORIGIN}", filepath.Dir(path)).Replace(folder))
			}
		}
	}
	return folders
}
