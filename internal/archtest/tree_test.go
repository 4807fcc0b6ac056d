package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/toolcrib/toolcrib"

// pkg is one package of the tree, tests left out.
type pkg struct {
	// dir is the folder below the module root, "." for the root itself.
	dir   string
	name  string
	files []file
}

// file is one parsed Go file that is not a test.
type file struct {
	path  string
	lines int
	ast   *ast.File
}

// imports returns the import paths of the package's files, each once.
func (p pkg) imports() []string {
	var all []string
	for _, f := range p.files {
		for _, spec := range f.ast.Imports {
			if s, err := strconv.Unquote(spec.Path.Value); err == nil {
				all = append(all, s)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// own turns an import path into a folder of this module; ok is false for the
// standard library and for other modules.
func own(importPath string) (dir string, ok bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// standard reports whether an import path is the standard library's: its first
// part has no dot.
func standard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// within reports whether dir is pattern or lies below it.
func within(dir, pattern string) bool {
	return dir == pattern || strings.HasPrefix(dir, pattern+"/")
}

// root is the module root, seen from this package's folder.
const root = "../.."

// readTree parses every package below the module root. It reads the files
// themselves: the go command's answers may come from a cache that is stale.
func readTree(t *testing.T) (*token.FileSet, []pkg) {
	t.Helper()
	fset := token.NewFileSet()
	found := map[string]*pkg{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(p, root), string(filepath.Separator)))
		if d.IsDir() {
			return skipDir(p, d.Name())
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		return addFile(fset, found, p, rel)
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for _, p := range found {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b pkg) int { return strings.Compare(a.dir, b.dir) })
	return fset, all
}

// skipDir leaves out what isn't part of the module: hidden folders, test data,
// and folders that are modules of their own.
func skipDir(p, name string) error {
	if p == root {
		return nil
	}
	if strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "bin" {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func addFile(fset *token.FileSet, found map[string]*pkg, p, rel string) error {
	src, err := os.ReadFile(p)
	if err != nil {
		return err
	}
	tree, err := parser.ParseFile(fset, rel, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir := path.Dir(rel)
	if found[dir] == nil {
		found[dir] = &pkg{dir: dir, name: tree.Name.Name}
	}
	found[dir].files = append(found[dir].files, file{path: rel, lines: strings.Count(string(src), "\n"), ast: tree})
	return nil
}
