package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines     = 500
	maxFunctionLines = 80
)

var vagueNames = []string{"util", "utils", "common", "helper", "helpers", "shared", "types", "manager", "misc", "lib", "pkg"}

// A package is one concept and is named by its noun.
func TestPackagesAreNamedByTheirNoun(t *testing.T) {
	_, tree := readTree(t)
	for _, p := range tree {
		if slices.Contains(vagueNames, p.name) {
			t.Errorf("%s: package %s says nothing about what it owns; name it by its noun", p.dir, p.name)
		}
	}
}

// The package comment says what the package owns and what it doesn't know.
func TestPackagesHaveAComment(t *testing.T) {
	_, tree := readTree(t)
	for _, p := range tree {
		var comments []string
		for _, f := range p.files {
			if f.ast.Doc != nil {
				comments = append(comments, f.ast.Doc.Text())
			}
		}
		switch want := "Package " + p.name + " "; {
		case len(comments) == 0:
			t.Errorf("%s has no package comment: say what it owns and what it doesn't know", p.dir)
		case len(comments) > 1:
			t.Errorf("%s has %d package comments: keep one", p.dir, len(comments))
		case p.name != "main" && !strings.HasPrefix(comments[0], want):
			t.Errorf("%s: the package comment starts %.40q, want %q", p.dir, comments[0], want)
		}
	}
}

// Files and functions stay short enough to be read in one go.
func TestFilesAndFunctionsStayShort(t *testing.T) {
	fset, tree := readTree(t)
	for _, p := range tree {
		for _, f := range p.files {
			if f.lines > maxFileLines && !ast.IsGenerated(f.ast) {
				t.Errorf("%s has %d lines, at most %d: it holds more than one noun", f.path, f.lines, maxFileLines)
			}
			for _, d := range f.ast.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1
				if n > maxFunctionLines {
					t.Errorf("%s: %s has %d lines, at most %d: it holds more than one thought", f.path, fn.Name.Name, n, maxFunctionLines)
				}
			}
		}
	}
}

// Arguments, environment, stdio and exit enter in one file; init functions and
// registries do not exist, so that what a program does is what its main says.
func TestTheProcessEntersInOnePlace(t *testing.T) {
	const door = "internal/cli/process.go"
	// A program that uses the library without saying otherwise means its own environment.
	const libraryDoor = "gateway/options.go"
	// The child of a sandbox is a process of its own, with a main of its own.
	children := []string{"internal/sandbox/embedded/child.go", "internal/sandbox/embedded/serve.go", "internal/sandbox/node/child.go", "internal/source/builtin/exec/child_unix.go"}
	process := []string{"Args", "Exit", "Stdin", "Stdout", "Stderr", "Getenv", "LookupEnv", "Environ", "Setenv", "Unsetenv", "Getwd", "Chdir"}
	fset, tree := readTree(t)
	for _, p := range tree {
		if p.name == "main" {
			continue
		}
		for _, f := range p.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if n.Name.Name == "init" && n.Recv == nil {
						t.Errorf("%s: init runs behind everybody's back; give the caller a constructor", fset.Position(n.Pos()))
					}
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(process, n.Sel.Name) && f.path != door && f.path != libraryDoor && !slices.Contains(children, f.path) {
						t.Errorf("%s uses os.%s: the process enters in %s only; take what you need as a parameter",
							fset.Position(n.Pos()), n.Sel.Name, door)
					}
				}
				return true
			})
		}
	}
}
